#include "curl_shim.h"

#ifdef __linux__
#include "late_library.h"
#include <stdarg.h>

// libcurl brings 25 other libraries. A program that neither calls out nor sends mail does without them. The C code of
// FoundationNetworking, linked statically, calls these functions too.

static struct late_library curl = {.file = "libcurl.so.4"};

int transfer_library_is_there(void) { return late_library_is_there(&curl); }

LATE_FUNCTION(curl, CURLcode, curl_global_init, (long flags), (flags))
LATE_FUNCTION(curl, char *, curl_version, (void), ())
LATE_FUNCTION(curl, curl_version_info_data *, curl_version_info, (CURLversion version), (version))
LATE_FUNCTION(curl, void, curl_free, (void *memory), (memory))

LATE_FUNCTION(curl, struct curl_slist *, curl_slist_append, (struct curl_slist * list, const char *text), (list, text))
LATE_FUNCTION(curl, void, curl_slist_free_all, (struct curl_slist * list), (list))

LATE_FUNCTION(curl, CURL *, curl_easy_init, (void), ())
LATE_FUNCTION(curl, void, curl_easy_cleanup, (CURL * transfer), (transfer))
LATE_FUNCTION(curl, void, curl_easy_reset, (CURL * transfer), (transfer))
LATE_FUNCTION(curl, CURLcode, curl_easy_pause, (CURL * transfer, int mask), (transfer, mask))
LATE_FUNCTION(curl, const char *, curl_easy_strerror, (CURLcode code), (code))

LATE_FUNCTION(curl, CURLM *, curl_multi_init, (void), ())
LATE_FUNCTION(curl, CURLMcode, curl_multi_cleanup, (CURLM * transfers), (transfers))
LATE_FUNCTION(
    curl, CURLMcode, curl_multi_add_handle, (CURLM * transfers, CURL *transfer), (transfers, transfer))
LATE_FUNCTION(
    curl, CURLMcode, curl_multi_remove_handle, (CURLM * transfers, CURL *transfer), (transfers, transfer))
LATE_FUNCTION(
    curl, CURLMcode, curl_multi_assign, (CURLM * transfers, curl_socket_t descriptor, void *owner),
    (transfers, descriptor, owner))
LATE_FUNCTION(curl, CURLMsg *, curl_multi_info_read, (CURLM * transfers, int *count), (transfers, count))
LATE_FUNCTION(curl, CURLMcode, curl_multi_perform, (CURLM * transfers, int *count), (transfers, count))
LATE_FUNCTION(
    curl, CURLMcode, curl_multi_poll,
    (CURLM * transfers, struct curl_waitfd others[], unsigned int count, int milliseconds, int *ready),
    (transfers, others, count, milliseconds, ready))
LATE_FUNCTION(curl, CURLMcode, curl_multi_wakeup, (CURLM * transfers), (transfers))
LATE_FUNCTION(
    curl, CURLMcode, curl_multi_socket_action,
    (CURLM * transfers, curl_socket_t descriptor, int events, int *running), (transfers, descriptor, events, running))

LATE_FUNCTION(curl, CURLU *, curl_url, (void), ())
LATE_FUNCTION(
    curl, CURLUcode, curl_url_get, (CURLU * url, CURLUPart part, char **text, unsigned int flags),
    (url, part, text, flags))
LATE_FUNCTION(
    curl, CURLUcode, curl_url_set, (CURLU * url, CURLUPart part, const char *text, unsigned int flags),
    (url, part, text, flags))

// The last argument is a long, a curl_off_t or a pointer. All three have 64 bits and are passed alike.
_Static_assert(sizeof(long) == sizeof(void *) && sizeof(curl_off_t) == sizeof(void *), "needs 64 bits");

#define LATE_OPTION(result, name, handle_type, option_type)                                              \
    __attribute__((visibility("hidden"))) result(name)(handle_type * handle, option_type option, ...) { \
        static _Atomic(void *) found;                                                                    \
        va_list arguments;                                                                               \
        va_start(arguments, option);                                                                     \
        void *value = va_arg(arguments, void *);                                                         \
        va_end(arguments);                                                                               \
        result (*function)(handle_type *, option_type, ...) = late_function(&curl, &found, #name);       \
        return function(handle, option, value);                                                          \
    }

LATE_OPTION(CURLcode, curl_easy_setopt, CURL, CURLoption)
LATE_OPTION(CURLcode, curl_easy_getinfo, CURL, CURLINFO)
LATE_OPTION(CURLMcode, curl_multi_setopt, CURLM, CURLMoption)
#else
int transfer_library_is_there(void) { return 1; }
#endif
