/* The bulk semaphore of fathom/memory/bulk_semaphore.hpp: four threads want a page each, a chunk
   has two, CHUNKS chunks can be had. Checked: pages are neither made nor lost, nobody waits for
   ever, and a thread goes without only when the chunks are used up. */
#define BATCH 2
#ifndef CHUNKS
#define CHUNKS 1
#endif
#define WANTED 4

short count = 0, expected = 0, reserved = 0;
byte chunks = CHUNKS, minted = 0, granted = 0, refused = 0;

proctype thread() {
  short old;
  bool mine;
  do
  :: atomic { /* the decision: one word, one compare-and-swap */
       if
       :: count > 0 -> mine = true
       :: count <= 0 && count + expected * BATCH - reserved < 1 -> expected++; mine = false; goto mint
       :: else -> goto reserve
       fi
     }
     atomic { old = count; count-- } /* one addition, given back when another was faster */
     if
     :: old >= 1 -> granted++; break
     :: else -> count++
     fi;
     goto again;
mint:
     if
     :: atomic { chunks > 0 -> chunks-- }
        granted++;
        atomic { minted = minted + BATCH; count = count + BATCH - 1; expected-- }
        break
     :: atomic { chunks == 0 -> expected-- }
        refused++;
        break
     fi;
reserve: /* what the decision saw may have changed */
     reserved++;
     /* leaves its wait at any time while this holds */
     (count > 0 || count + expected * BATCH < reserved);
     reserved--;
again:
     skip
  od
}

init {
  byte i;
  atomic { for (i : 1 .. WANTED) { run thread() } }
  (_nr_pr == 1);
  assert(expected == 0 && reserved == 0);
  assert(granted + count == minted);
  assert(refused == 0 || chunks == 0);
  assert(granted + refused == WANTED)
}
