#pragma once

#include <stddef.h>

/// The digests of the most common passwords, sorted: six characters of ASCII and a line feed for each. They last as long as
/// the program. Scripts/make-common-passwords documents them.
struct common_passwords {
    const unsigned char *digests;
    size_t count;
};

struct common_passwords common_passwords(void);
