/* Fresh units in fathom/memory/chunk_pool.hpp: four threads that want 3, 2, 1 and 1 of UNITS units,
   by addition or by compare-and-swap as they like (the code adds where much is left), while the
   owner moves its front (FRONT). Checked: no unit is handed out twice or to two sides, what a
   thread refuses itself was not there, and nothing is lost. With SUBTRACT each thread takes its own
   addition back that failed, as once it did: units are then handed out twice. */
#ifndef UNITS
#define UNITS 4
#endif
#define END (UNITS - front)

byte taken = 0, front = 0; /* one word */
byte handed_out = 0;       /* how many units, for the checks */
bool given[UNITS];

inline hand_out() {
  for (u : first .. first + size - 1) {
    assert(!given[u]);
    given[u] = true
  }
  handed_out = handed_out + size
}

proctype thread(byte size) {
  byte first, f, now, u;
  bool won;
  do
  ::
#ifdef SUBTRACT
     atomic { first = taken; f = front }
#else
     atomic { taken <= END -> first = taken; f = front; assert(first == handed_out) }
#endif
     if
     :: first + size > UNITS - f -> break /* refused */
     :: else
     fi;
     if
     :: true -> /* adds */
        atomic {
          first = taken;
          f = front;
          taken = taken + size;
          won = (first + size <= UNITS - f);
          if
          :: won -> hand_out()
          :: else
          fi
        }
        if
        :: won -> break
        :: else
        fi;
#ifdef SUBTRACT
        taken = taken - size
#else
        if
        :: first > UNITS - f /* on top of another's: goes with it */
        :: else ->
           do
           :: now = taken;
              atomic {
                if
                :: taken == now && front == f -> taken = first; break
                :: else
                fi
              }
           od
        fi
#endif
     :: true -> /* compares */
        atomic {
          if
          :: taken == first && front == f -> taken = taken + size; hand_out(); break
          :: else
          fi
        }
     fi
  od
}

proctype owner() {
  byte c, to, moves;
  for (moves : 0 .. 1) {
    to = 1 - moves;
    do
    :: atomic { taken <= END -> c = taken }
       if
       :: to + c > UNITS -> break
       :: else
       fi;
       atomic {
         if
         :: taken == c && front == 1 - to -> front = to; break
         :: taken == c && front == to -> break
         :: else
         fi
       }
    od
  }
}

init {
  atomic {
    run thread(3);
    run thread(2);
    run thread(1);
    run thread(1);
#ifdef FRONT
    run owner()
#endif
  }
  (_nr_pr == 1);
  assert(taken == handed_out && taken <= END)
}
