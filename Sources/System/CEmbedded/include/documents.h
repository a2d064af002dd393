#pragma once

#include <stddef.h>

/// A file as it is in the sources: without a zero at the end. It lasts as long as the program.
struct gatehouse_document {
    const unsigned char *bytes;
    size_t count;
};

/// The OpenAPI document, in UTF-8.
struct gatehouse_document gatehouse_openapi(void);
/// The texts of the account pages: JSON in UTF-8.
struct gatehouse_document gatehouse_page_texts(void);
/// The texts of the built-in emails and of the page of a mailed link: JSON in UTF-8.
struct gatehouse_document gatehouse_email_texts(void);
/// The style of both, and what the console adds.
struct gatehouse_document gatehouse_pages_css(void);
struct gatehouse_document gatehouse_console_css(void);
