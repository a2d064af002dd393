// How many Argon2id hashes (19 MiB, 2 passes, 1 lane) this machine makes in a second with all of its cores.
// Usage: argon2 THREADS SECONDS
#include <argon2.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static atomic_int is_over;
static atomic_long hashes;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void *work(void *unused) {
    (void)unused;
    unsigned char salt[16] = {1}, hash[32];
    while (!is_over) {
        if (argon2id_hash_raw(2, 19456, 1, "correct horse 42 battery", 24, salt, 16, hash, 32) != ARGON2_OK) exit(1);
        hashes++;
    }
    return NULL;
}

int main(int count, char **arguments) {
    if (count != 3) return 2;
    int threads = atoi(arguments[1]);
    double seconds = atof(arguments[2]);
    pthread_t *ids = calloc(threads, sizeof *ids);
    double start = now();
    for (int i = 0; i < threads; i++) pthread_create(&ids[i], NULL, work, NULL);
    struct timespec rest = {(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)};
    nanosleep(&rest, NULL);
    long made = hashes;
    double took = now() - start;
    is_over = 1;
    for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
    printf("%.3f\n", made / took);
    return 0;
}
