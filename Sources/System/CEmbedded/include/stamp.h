#pragma once

/// The commit that this program was built from, or "" where the build does not say. It lasts as long as the program.
const char *gatehouse_build_commit(void);

/// The date of that commit, such as 2026-01-31, or "".
const char *gatehouse_build_date(void);
