#ifndef GATEHOUSE_MEMORY
#define GATEHOUSE_MEMORY

// Returns free memory to the system, which the C library would otherwise keep. Takes milliseconds.
void memory_return(void);

// Gives up the pages of the program and its libraries that are as in their files: code and tables that only the start
// needed. The system maps a page again when it is used. On Linux alone.
void memory_leave_start(void);

#endif
