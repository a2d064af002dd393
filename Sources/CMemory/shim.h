#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// Gives memory that is free back to the system, where the C library keeps it otherwise. Takes milliseconds.
static inline void memory_return(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
