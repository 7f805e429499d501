/* The hand-over of entries through the ring of fathom/memory/index_queue.hpp: two enqueuers, two
   dequeuers, a ring of two slots, every atomic operation a step of its own. Checked: each value
   arrives once, no slot is overwritten, nobody waits for ever. */
#define SLOTS 2
#define EACH 2
#define EMPTY 255

short room = SLOTS, queued = 0;
byte back = 0, front = 0, slot[SLOTS] = EMPTY, arrived[4] = 0, received = 0;

proctype enqueuer(byte first) {
  byte sent = 0, position;
  short old;
  do
  :: sent == EACH -> break
  :: else ->
     do /* room for one, given back when another was faster */
     :: room > 0 ->
        atomic { old = room; room = room - 1 }
        if
        :: old >= 1 -> break
        :: else -> room = room + 1
        fi
     od;
     atomic { position = back; back = back + 1 }
     atomic { slot[position % SLOTS] == EMPTY -> slot[position % SLOTS] = first + sent }
     queued = queued + 1;
     sent = sent + 1
  od
}

proctype dequeuer() {
  byte got = 0, position, value;
  short old;
  do
  :: got == EACH -> break
  :: else ->
     do
     :: queued > 0 ->
        atomic { old = queued; queued = queued - 1 }
        if
        :: old >= 1 -> break
        :: else -> queued = queued + 1
        fi
     od;
     atomic { position = front; front = front + 1 }
     atomic {
       slot[position % SLOTS] != EMPTY ->
       value = slot[position % SLOTS];
       slot[position % SLOTS] = EMPTY
     }
     assert(arrived[value] == 0);
     arrived[value] = 1;
     room = room + 1;
     got = got + 1;
     received = received + 1
  od
}

init {
  atomic { run enqueuer(0); run enqueuer(2); run dequeuer(); run dequeuer() }
  (_nr_pr == 1);
  assert(received == 4 && room == SLOTS && queued == 0 && back == front)
}
