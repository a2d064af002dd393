// curl.h checks arguments with macros over the functions that Swift cannot call.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <pthread.h>
#include <signal.h>

// Swift imports no functions with variable arguments, and no macros that are composed of others.

// Whether libcurl is on this system. On Linux it is loaded at first use, and without it no other function may be called.
int transfer_library_is_there(void);

static inline CURLcode transfer_start_library(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

static inline CURLcode transfer_set_number(CURL *transfer, CURLoption option, long value) {
    return curl_easy_setopt(transfer, option, value);
}

// libcurl copies the text.
static inline CURLcode transfer_set_text(CURL *transfer, CURLoption option, const char *text) {
    return curl_easy_setopt(transfer, option, text);
}

// libcurl uses the memory until the end of the transfer, except with CURLOPT_COPYPOSTFIELDS, which copies it.
static inline CURLcode transfer_set_pointer(CURL *transfer, CURLoption option, void *pointer) {
    return curl_easy_setopt(transfer, option, pointer);
}

typedef size_t (*transfer_receiver)(char *bytes, size_t one, size_t count, void *owner);

static inline CURLcode transfer_set_receiver(CURL *transfer, CURLoption option, transfer_receiver receiver) {
    return curl_easy_setopt(transfer, option, receiver);
}

static inline CURLcode transfer_set_http_only(CURL *transfer) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(transfer, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return curl_easy_setopt(transfer, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static inline CURLcode transfer_set_mail_only(CURL *transfer) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(transfer, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
#else
    return curl_easy_setopt(transfer, CURLOPT_PROTOCOLS, (long)(CURLPROTO_SMTP | CURLPROTO_SMTPS));
#endif
}

typedef int (*transfer_observer)(CURL *transfer, curl_infotype kind, char *bytes, size_t count, void *owner);

// Sees what libcurl sends and receives.
static inline CURLcode transfer_set_observer(CURL *transfer, transfer_observer observer) {
    return curl_easy_setopt(transfer, CURLOPT_DEBUGFUNCTION, observer);
}

typedef int (*transfer_watch)(void *owner, curl_off_t, curl_off_t, curl_off_t, curl_off_t);

// Called at least once a second while libcurl works, even if it blocks. Another result than 0 ends the transfer.
static inline CURLcode transfer_set_watch(CURL *transfer, transfer_watch watch) {
    curl_easy_setopt(transfer, CURLOPT_NOPROGRESS, 0L);
    return curl_easy_setopt(transfer, CURLOPT_XFERINFOFUNCTION, watch);
}

// For each reply of a server of mail. The name of the option depends on the version.
static inline CURLcode transfer_set_reply_limit(CURL *transfer, long seconds) {
    return curl_easy_setopt(transfer, CURLOPT_FTP_RESPONSE_TIMEOUT, seconds);
}

// The number of idle connections that are kept.
static inline void transfers_keep(CURLM *transfers, long connections) {
    curl_multi_setopt(transfers, CURLMOPT_MAXCONNECTS, connections);
}

// A transfer that ends does not wait for the system's resolver. Before libcurl 7.87 it does.
static inline CURLcode transfer_leave_resolver(CURL *transfer) {
#if LIBCURL_VERSION_NUM >= 0x075700
    return curl_easy_setopt(transfer, CURLOPT_QUICK_EXIT, 1L);
#else
    return CURLE_OK;
#endif
}

// The status of the response, or 0.
static inline long transfer_status(CURL *transfer) {
    long status = 0;
    curl_easy_getinfo(transfer, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

// The status of the proxy's response to CONNECT, or 0.
static inline long transfer_proxy_status(CURL *transfer) {
    long status = 0;
    curl_easy_getinfo(transfer, CURLINFO_HTTP_CONNECTCODE, &status);
    return status;
}

// The `errno` of the failed connection, or 0.
static inline int transfer_errno(CURL *transfer) {
    long code = 0;
    curl_easy_getinfo(transfer, CURLINFO_OS_ERRNO, &code);
    return (int)code;
}

// For a thread that writes to sockets: OpenSSL cannot suppress the signal of a closed one.
static inline void transfer_block_sigpipe(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
}
