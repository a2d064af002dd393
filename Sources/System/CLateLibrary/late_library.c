#include "late_library.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

// A library that is missing is searched for again at the next call: it may be installed meanwhile. Two threads that load
// it at once get the same handle.
static void *loaded(struct late_library *library) {
    void *handle = atomic_load_explicit(&library->handle, memory_order_acquire);
    if (handle != NULL) return handle;
    handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
    if (handle != NULL) atomic_store_explicit(&library->handle, handle, memory_order_release);
    return handle;
}

int late_library_is_there(struct late_library *library) { return loaded(library) != NULL; }

void *late_function(struct late_library *library, _Atomic(void *) *found, const char *name) {
    void *function = atomic_load_explicit(found, memory_order_acquire);
    if (function != NULL) return function;
    void *handle = loaded(library);
    function = handle == NULL ? NULL : dlsym(handle, name);
    if (function == NULL) {
        const char *reason = dlerror();
        fprintf(stderr, "%s: %s\n", library->file, reason == NULL ? "cannot be loaded" : reason);
        _exit(127);
    }
    atomic_store_explicit(found, function, memory_order_release);
    return function;
}
