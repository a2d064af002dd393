#include "common_passwords.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char digests[] = {
#embed "digests.txt"
};

struct common_passwords common_passwords(void) { return (struct common_passwords){digests, sizeof digests / 7}; }
