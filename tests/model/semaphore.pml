/* The bulk semaphore of fathom/memory/bulk_semaphore.hpp: WANTED threads want a page each, a chunk
   has two, CHUNKS chunks can be had; every atomic operation is a step of its own. Checked: pages
   are neither made nor lost, nobody waits for ever, and a thread goes without only when the chunks
   are used up. Not modelled: threads that want several pages at once, and who takes fewer than that
   by a compare-and-swap (tests/cpu/memory has both). */
#define BATCH 2
#ifndef CHUNKS
#define CHUNKS 1
#endif
#ifndef WANTED
#define WANTED 4
#endif
#define BATCHES(units) ((units) <= 0 -> 0 : ((units) + BATCH - 1) / BATCH)

short count = 0, reserved = 0; /* one word */
short expected = 0;            /* another */
byte chunks = CHUNKS, minted = 0, granted = 0, refused = 0;

proctype thread() {
  short old, before, few;
  bool lacking = false;
  do
  :: count > 0 ->
     atomic { old = count; count-- } /* one addition, given back when another was faster */
     if
     :: old >= 1 -> granted++; break
     :: else -> count++
     fi
  :: count <= 0 ->
     atomic { before = reserved - count; reserved++ }
     if
     :: (lacking || BATCHES(before) < BATCHES(before + 1)) && expected * BATCH < before + 1 ->
        expected++;
        if
        :: atomic { chunks > 0 -> chunks-- }
           granted++;
           atomic { minted = minted + BATCH; count = count + BATCH - 1; reserved-- }
           expected--;
           break
        :: atomic { chunks == 0 -> reserved-- }
           expected--;
           refused++;
           break
        fi
     :: else
     fi;
     if
     :: before + 1 > 0 ->
        /* leaves its wait at any time while either holds; two words, two looks */
        do
        :: count > 0 -> lacking = false; break
        :: count <= 0 ->
           few = reserved - count;
           if
           :: few > expected * BATCH -> lacking = true; break
           :: else -> (count > 0 || reserved - count > expected * BATCH)
           fi
        od
     :: else
     fi;
     reserved--
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
