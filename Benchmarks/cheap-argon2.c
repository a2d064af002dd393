// Stands in for libargon2 where the cost of a request without its password hash is counted: preloaded, it answers at once.
// Equal passwords and salts give equal bytes, others give others. Not a hash for passwords.
#include <argon2.h>
#include <stddef.h>
#include <stdint.h>

static uint64_t mix(uint64_t state, const uint8_t *bytes, size_t count) {
    for (size_t index = 0; index < count; index++) state = (state ^ bytes[index]) * 0x100000001b3;
    return state;
}

int argon2_ctx(argon2_context *context, argon2_type type) {
    uint64_t state = mix(0xcbf29ce484222325 ^ (uint64_t)type, context->pwd, context->pwdlen);
    state = mix(state, context->salt, context->saltlen);
    for (uint32_t index = 0; index < context->outlen; index++) {
        state = state * 6364136223846793005 + 1442695040888963407;
        context->out[index] = (uint8_t)(state >> 56);
    }
    return ARGON2_OK;
}
