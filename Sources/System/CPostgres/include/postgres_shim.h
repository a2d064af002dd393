#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif

// Whether libpq is on this system. On Linux it is loaded at first use, and without it no other function may be called.
#ifdef __linux__
int postgres_library_is_there(void);
#else
static inline int postgres_library_is_there(void) { return 1; }
#endif

// Character constants, which Swift does not import.
static const int postgres_field_sqlstate = PG_DIAG_SQLSTATE;
static const int postgres_field_message = PG_DIAG_MESSAGE_PRIMARY;
static const int postgres_field_source = PG_DIAG_SOURCE_FUNCTION;

enum { postgres_readable = 1, postgres_writable = 2, postgres_woken = 4 };

// Waits until the descriptor is readable, is writable if `writes` is set, or `wake` has a byte; -1 stands for none.
// Returns the events, or 0 after `milliseconds` or a signal.
static inline int postgres_wait(int descriptor, int writes, int wake, int milliseconds) {
    struct pollfd ends[2] = {
        {.fd = descriptor, .events = (short)(POLLIN | (writes ? POLLOUT : 0))},
        {.fd = wake, .events = POLLIN},
    };
    if (poll(ends, 2, milliseconds) <= 0) return 0;
    int found = 0;
    if (ends[0].revents & ~POLLOUT) found |= postgres_readable;
    if (ends[0].revents & POLLOUT) found |= postgres_writable;
    if (ends[1].revents) found |= postgres_woken;
    return found;
}

// A pipe with non-blocking ends: one wakes a thread, the other is what the thread waits for.
static inline int postgres_open_wake(int ends[2]) {
    if (pipe(ends) != 0) return -1;
    for (int end = 0; end < 2; end++) {
        fcntl(ends[end], F_SETFL, O_NONBLOCK);
        fcntl(ends[end], F_SETFD, FD_CLOEXEC);
    }
    return 0;
}

static inline void postgres_wake(int end) {
    char byte = 0;
    // If the pipe is full, the thread wakes anyway.
    ssize_t ignored = write(end, &byte, 1);
    (void)ignored;
}

static inline void postgres_drain_wake(int end) {
    char bytes[64];
    while (read(end, bytes, sizeof bytes) > 0) {}
}

static inline void postgres_close_wake(const int ends[2]) {
    close(ends[0]);
    close(ends[1]);
}
