// Sends GET requests at a fixed rate, whatever the answers do, and tells how long the answers took.
// A request counts from the moment at which it was due, so that a server that stalls cannot hide it.
// Usage: openloop PORT PATH TOKEN_FILE RATE SECONDS
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS = 64, BUFFER = 65536, REQUEST = 8192 };

struct connection {
    int socket, is_busy;
    int64_t due;
    size_t length;
    char buffer[BUFFER];
};

static struct connection connections[CONNECTIONS];
static char **requests;
static int request_count;
static int64_t *waiting, *latencies;
static size_t first_waiting, last_waiting, answered, refused, failed;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void read_tokens(const char *path, const char *name) {
    FILE *file = fopen(path, "r");
    if (!file) fail(path);
    char token[REQUEST - 1024];
    while (fgets(token, sizeof token, file) && request_count < 10000) {
        token[strcspn(token, "\r\n")] = 0;
        requests = realloc(requests, (request_count + 1) * sizeof *requests);
        requests[request_count] = malloc(REQUEST);
        snprintf(requests[request_count++], REQUEST,
                 "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n\r\n", name, token);
    }
    fclose(file);
    if (!request_count) exit(1);
}

static void start_connection(struct connection *it, int port, int poll) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    it->socket = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(it->socket, (struct sockaddr *)&address, sizeof address)) fail("connect");
    int yes = 1;
    setsockopt(it->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    fcntl(it->socket, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = it};
    epoll_ctl(poll, EPOLL_CTL_ADD, it->socket, &event);
}

// Gives what is due to the connections that are free.
static void send_waiting(void) {
    for (int i = 0; i < CONNECTIONS && first_waiting < last_waiting; i++) {
        struct connection *it = &connections[i];
        if (it->is_busy) continue;
        it->due = waiting[first_waiting];
        it->is_busy = 1;
        it->length = 0;
        const char *request = requests[first_waiting++ % request_count];
        ssize_t length = strlen(request);
        if (write(it->socket, request, length) != length) fail("write");
    }
}

static void receive(struct connection *it) {
    ssize_t count = read(it->socket, it->buffer + it->length, BUFFER - 1 - it->length);
    if (count <= 0) {
        if (count < 0 && errno == EAGAIN) return;
        fprintf(stderr, "the server closed a connection\n");
        exit(1);
    }
    it->length += count;
    it->buffer[it->length] = 0;
    char *body = strstr(it->buffer, "\r\n\r\n");
    if (!body) return;
    char *length = strcasestr(it->buffer, "\r\ncontent-length:");
    if (!length || length > body) exit(1);
    if (it->buffer + it->length < body + 4 + atol(length + 17)) return;
    latencies[answered++] = now() - it->due;
    if (strncmp(it->buffer + 9, "200", 3)) refused++;
    it->is_busy = 0;
}

static int compare(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static double percentile(double part) { return latencies[(size_t)(part * (answered - 1))] / 1e6; }

int main(int count, char **arguments) {
    if (count != 6) return 2;
    int port = atoi(arguments[1]), poll = epoll_create1(0);
    double rate = atof(arguments[4]), seconds = atof(arguments[5]);
    read_tokens(arguments[3], arguments[2]);
    size_t total = rate * seconds;
    waiting = calloc(total, sizeof *waiting);
    latencies = calloc(total, sizeof *latencies);
    for (int i = 0; i < CONNECTIONS; i++) start_connection(&connections[i], port, poll);

    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(poll, EPOLL_CTL_ADD, timer, &event);
    int64_t start = now() + 10000000, step = 1e9 / rate, end = start + (int64_t)((seconds + 20) * 1e9);
    while (answered < total && now() < end) {
        if (last_waiting < total) {
            int64_t due = start + (int64_t)last_waiting * step;
            struct itimerspec when = {.it_value = {due / 1000000000, due % 1000000000}};
            timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL);
        }
        struct epoll_event events[CONNECTIONS + 1];
        int ready = epoll_wait(poll, events, CONNECTIONS + 1, 1000);
        for (int i = 0; i < ready; i++) {
            uint64_t expirations;
            if (events[i].data.ptr) receive(events[i].data.ptr);
            else if (read(timer, &expirations, sizeof expirations) < 0 && errno != EAGAIN) fail("timer");
        }
        for (int64_t time = now(); last_waiting < total && start + (int64_t)last_waiting * step <= time; last_waiting++)
            waiting[last_waiting] = start + (int64_t)last_waiting * step;
        send_waiting();
    }
    failed = total - answered;
    if (!answered) return 1;
    qsort(latencies, answered, sizeof *latencies, compare);
    printf("{\"requests\":%zu,\"refused\":%zu,\"failed\":%zu,\"p50_ms\":%.3f,\"p95_ms\":%.3f,\"p99_ms\":%.3f,\"max_ms\":%.3f}\n",
           answered, refused, failed, percentile(0.5), percentile(0.95), percentile(0.99), percentile(1));
    return 0;
}
