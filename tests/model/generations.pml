/* Entries of a chunk that leaves its class, while its generations come round (fathom/memory,
   chunk_state.hpp): two threads take pages of two classes from one chunk, for ever. A chunk of
   class 0 has two pages, of class 1 one. Nobody is obliged to draw entries, so stale ones may stay.
   Checked: no page is handed out while it is held. With KEEP nothing drops the entries when the
   generations of a half begin, as once nothing did: a page is then handed out twice.

   Assumed, as the code does: who has drawn an entry looks at its chunk before the chunk has come
   through a half of its generations. */
#ifndef GENERATIONS
#define GENERATIONS 4
#endif
#define PAGES(k) (2 - (k))
#define NOTHING 9

byte generation = 1, kind = 0 /* a class, or 2: of nobody */, free = 2; /* one word: the state */
bool held[2];
chan queue0 = [3] of { byte, byte }; /* generation and page; what finds no room is dropped */
chan queue1 = [3] of { byte, byte };
byte uses[2] = NOTHING; /* since a thread drew an entry that it has not looked at */

inline list(k, g, p) {
  if
  :: k == 0 && len(queue0) < 3 -> queue0!g,p
  :: k == 1 && len(queue1) < 3 -> queue1!g,p
  :: else
  fi
}

inline hold(p) {
  assert(!held[p]);
  held[p] = true
}

proctype thread(byte me) {
  byte k, g, p, n;
  bool mine;
  do
  :: mine = false;
     if
     :: k = 0
     :: k = 1
     fi;
     if
     :: true -> /* by an entry */
        atomic {
          if
          :: k == 0 && len(queue0) > 0 -> queue0?g,p; uses[me] = 0
          :: k == 1 && len(queue1) > 0 -> queue1?g,p; uses[me] = 0
          :: else -> g = GENERATIONS
          fi
        }
        if
        :: g == GENERATIONS
        :: else ->
           atomic { /* who lists a page counts it later */
             (generation != g || kind != k || free > 0) ->
             uses[me] = NOTHING;
             if
             :: generation == g && kind == k -> free--; hold(p); mine = true
             :: else
             fi
           }
        fi
     :: true -> /* by making the chunk one of class k */
        atomic {
          if
          :: kind < 2 && free == PAGES(kind) && /* and nobody is late: */
             uses[0] != GENERATIONS / 2 - 1 && uses[1] != GENERATIONS / 2 - 1 ->
             kind = 2;
             generation = (generation + 1) % GENERATIONS;
             for (n : 0 .. 1) { uses[n] = (uses[n] == NOTHING -> NOTHING : uses[n] + 1) }
             mine = true
          :: else
          fi
        }
        if
        :: mine ->
#ifndef KEEP
           if
           :: generation % (GENERATIONS / 2) == 0 -> /* all that is listed names what is past */
              do
              :: queue0?g,p
              :: empty(queue0) -> break
              od;
              do
              :: queue1?g,p
              :: empty(queue1) -> break
              od
           :: else
           fi;
#endif
           atomic { kind = k; free = 0; g = generation; p = 0; hold(p) }
           if
           :: k == 0 -> list(k, g, 1); free++
           :: else
           fi
        :: else
        fi
     fi;
     if
     :: mine -> /* gives it back */
        held[p] = false;
        list(k, g, p);
        free++
     :: else
     fi
  od
}

init { atomic { run thread(0); run thread(1) } }
