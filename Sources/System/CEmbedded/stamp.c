#include "stamp.h"

// `make dist` and `make install` give both, through Package.swift. Only this file is compiled again when they change.
#define TEXT_OF(value) #value
#define TEXT(value) TEXT_OF(value)

#ifdef GATEHOUSE_BUILD_COMMIT
const char *gatehouse_build_commit(void) { return TEXT(GATEHOUSE_BUILD_COMMIT); }
#else
const char *gatehouse_build_commit(void) { return ""; }
#endif

#ifdef GATEHOUSE_BUILD_DATE
const char *gatehouse_build_date(void) { return TEXT(GATEHOUSE_BUILD_DATE); }
#else
const char *gatehouse_build_date(void) { return ""; }
#endif
