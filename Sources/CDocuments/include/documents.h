#pragma once

#include <stddef.h>

/// The OpenAPI document as it is in the sources: UTF-8, without a zero at the end. It lasts as long as the program.
const unsigned char *gatehouse_openapi_bytes(void);
size_t gatehouse_openapi_count(void);
