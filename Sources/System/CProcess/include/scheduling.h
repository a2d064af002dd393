#ifndef GATEHOUSE_SCHEDULING
#define GATEHOUSE_SCHEDULING

#include <stdint.h>

// Lets every other thread run first: the calling thread gets this niceness, unless it is nicer, and, from Linux 6.12 on, turns of this length,
// which a thread with shorter turns interrupts as soon as it wakes. Its share of a busy core depends on the niceness alone.
// On Linux alone; elsewhere it does nothing.
void scheduling_yield(int niceness, uint64_t turn_nanoseconds);

#endif
