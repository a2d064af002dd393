// For dl_iterate_phdr.
#define _GNU_SOURCE
#include "memory.h"

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef __linux__
#include <link.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

void memory_return(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

#ifdef __linux__
static int leave_file(struct dl_phdr_info *file, size_t size, void *page) {
    (void)size;
    uintptr_t mask = *(uintptr_t *)page - 1;
    for (int part = 0; part < file->dlpi_phnum; part++) {
        const ElfW(Phdr) *segment = &file->dlpi_phdr[part];
        // A writable segment has pages that only this process has, also after the loader has protected them.
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W)) continue;
        uintptr_t start = file->dlpi_addr + segment->p_vaddr;
        uintptr_t end = (start + segment->p_memsz + mask) & ~mask;
        // A failure changes nothing.
        (void)madvise((void *)(start & ~mask), end - (start & ~mask), MADV_DONTNEED);
    }
    return 0;
}
#endif

void memory_leave_start(void) {
#ifdef __linux__
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    dl_iterate_phdr(leave_file, &page);
#endif
}
