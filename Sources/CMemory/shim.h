#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// Returns free memory to the system, which the C library would otherwise keep. Takes milliseconds.
static inline void memory_return(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
