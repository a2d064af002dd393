#include <sqlite3.h>

// Switches off SQLite's statistics of its memory, which take a lock that all connections of the process share at each
// allocation. It has an effect only before the first connection. Swift cannot call `sqlite3_config` itself, because its
// arguments are variable.
static inline int sqlite_without_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
