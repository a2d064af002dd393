#ifndef GATEHOUSE_LATE_LIBRARY
#define GATEHOUSE_LATE_LIBRARY

// A shared library of the system that is loaded at the first call of one of its functions. Any thread may call them.
struct late_library {
    // What the loader searches for, such as "libcurl.so.4".
    const char *file;
    _Atomic(void *) handle;
};

// Whether the library is loaded, or could be loaded now.
int late_library_is_there(struct late_library *library);

// The address of a function, which is also stored in `found`. A program whose caller did not ask
// `late_library_is_there` ends here without the library, as the loader would have ended it at its start.
void *late_function(struct late_library *library, _Atomic(void *) *found, const char *name);

// Defines a function of the library, which calls the one with the same name in the loaded library:
// LATE_FUNCTION(curl, void, curl_free, (void *memory), (memory))
// It has hidden visibility, so that the library calls its own functions, and not these.
#define LATE_FUNCTION(library, result, name, parameters, arguments)                                  \
    __attribute__((visibility("hidden"))) result name parameters {                                   \
        static _Atomic(void *) found;                                                                \
        return((result(*) parameters) late_function(&library, &found, #name)) arguments;             \
    }

#endif
