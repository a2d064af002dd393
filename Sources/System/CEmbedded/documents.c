#include "documents.h"

// Large files that the program contains. As an array literal of Swift, the OpenAPI document took the compiler 13 seconds
// and a gigabyte. `#embed` is of C23; clang has it in every language mode.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char openapi[] = {
#embed "../../Server/GatehouseServer/OpenAPI/openapi.json"
};

static const unsigned char page_texts[] = {
#embed "../../Server/WebPages/Texts/texts.json"
};

static const unsigned char email_texts[] = {
#embed "../../Protocols/MailTemplates/Texts/texts.json"
};

static const unsigned char pages_css[] = {
#embed "../../Server/WebPages/Assets/pages.css"
};

static const unsigned char console_css[] = {
#embed "../../Server/WebPages/Assets/console.css"
};

struct gatehouse_document gatehouse_openapi(void) { return (struct gatehouse_document){openapi, sizeof openapi}; }
struct gatehouse_document gatehouse_page_texts(void) { return (struct gatehouse_document){page_texts, sizeof page_texts}; }
struct gatehouse_document gatehouse_email_texts(void) { return (struct gatehouse_document){email_texts, sizeof email_texts}; }
struct gatehouse_document gatehouse_pages_css(void) { return (struct gatehouse_document){pages_css, sizeof pages_css}; }
struct gatehouse_document gatehouse_console_css(void) { return (struct gatehouse_document){console_css, sizeof console_css}; }
