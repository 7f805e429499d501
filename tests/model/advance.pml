/* The chunks of a linked queue in fathom/memory/linked_storage.hpp: three threads attach a chunk
   each, one behind the other, while a fourth empties two (a chunk has one slot here). Emptied
   chunks leave at the head; with CHUNKS=2 one is attached again while others may still look at it.
   Checked: nobody takes for a head what is none, chunks leave once and in order, and those
   that were emptied have left in the end. With HEADLESS advance() does not mind that there is no head
   yet, as once it did not; with BLIND who appends does not look at what was emptied before. */
#define EMPTIED 2
#ifndef CHUNKS
#define CHUNKS 3
#endif
#define NONE 15

byte head = NONE, head_index = 0; /* one word */
byte tag[3], next[3], taken[3];
bool used[CHUNKS];
byte attached = 0, ready = 0, left = 0;

inline find(index, c) { /* by hint, or by the way from the head */
  atomic {
    if
    :: tag[0] == index + 1 -> c = 0
    :: tag[1] == index + 1 -> c = 1
    :: tag[2] == index + 1 -> c = 2
    fi
  }
}

inline advance() {
  do
  :: atomic { first = head; first_index = head_index }
#ifndef HEADLESS
     if
     :: first == NONE -> break
     :: else
     fi;
#endif
     assert(first < CHUNKS);
     t = tag[first];
     gone = taken[first];
     n = next[first];
     if
     :: head != first || head_index != first_index || tag[first] != t -> goto again
     :: else
     fi;
     if
     :: gone != 1 || n == NONE -> break
     :: else
     fi;
     atomic {
       if
       :: head == first && head_index == first_index -> 
          head = n;
          head_index = first_index + 1;
          assert(t == head_index && left == first_index);
          left++
       :: else -> goto again
       fi
     }
     tag[first] = 0;
     taken[first] = 0;
     next[first] = 0;
     d_step { assert(used[first]); used[first] = false }
again:
  od
}

proctype attacher() {
  byte c = 0, p, index, first, first_index, t, gone, n;
  atomic { /* a chunk that nobody has */
    (!used[0] || !used[1] || (CHUNKS > 2 && !used[CHUNKS - 1]));
    do
    :: used[c] -> c++
    :: else -> break
    od;
    used[c] = true;
    taken[c] = 0;
    next[c] = NONE;
    index = attached;
    attached++
  }
  tag[c] = index + 1;
  if
  :: index == 0 -> atomic { head = c; head_index = 0 }
  :: else -> find(index - 1, p); next[p] = c
  fi;
#ifndef BLIND
  advance();
#endif
  ready++
}

proctype emptier() {
  byte c, index, first, first_index, t, gone, n;
  for (index : 0 .. EMPTIED - 1) {
    (ready > index); /* what has been written */
    find(index, c);
    atomic { taken[c]++; assert(taken[c] == 1) }
    advance()
  }
}

init {
  atomic { run attacher(); run attacher(); run attacher(); run emptier() }
  (_nr_pr == 1);
  assert(head_index == EMPTIED && left == EMPTIED)
}
