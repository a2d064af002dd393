#include "documents.h"

// Large files that the program contains. As an array literal of Swift, the document took the compiler 13 seconds and a
// gigabyte. `#embed` is of C23; clang has it in every language mode.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char openapi[] = {
#embed "../GatehouseServer/OpenAPI/openapi.json"
};

const unsigned char *gatehouse_openapi_bytes(void) { return openapi; }
size_t gatehouse_openapi_count(void) { return sizeof openapi; }
