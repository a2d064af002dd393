// For syscall.
#define _GNU_SOURCE
#include "scheduling.h"

#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// sched_setattr(2), whose structure glibc has from 2.41 on.
struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t niceness;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};
#endif

void scheduling_yield(int niceness, uint64_t turn_nanoseconds) {
#ifdef __linux__
    // PRIO_PROCESS with 0 is the calling thread, not the process (setpriority(2), "C library/kernel differences").
    int present = getpriority(PRIO_PROCESS, 0);
    if (present > niceness) niceness = present;
    struct attributes wanted = {
        // The policy for all that is not real-time.
        .size = sizeof wanted, .policy = 0, .niceness = niceness, .runtime = turn_nanoseconds,
    };
    if (syscall(SYS_sched_setattr, 0, &wanted, 0) == 0) return;
    // A sandbox may forbid it. A failure changes nothing.
    (void)setpriority(PRIO_PROCESS, 0, niceness);
#else
    (void)niceness;
    (void)turn_nanoseconds;
#endif
}
