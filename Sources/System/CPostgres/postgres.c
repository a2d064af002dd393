#include "postgres_shim.h"

#include "late_library.h"

// libpq brings 25 other libraries. A program on SQLite does without them.

static struct late_library libpq = {.file = "libpq.so.5"};

int postgres_library_is_there(void) { return late_library_is_there(&libpq); }

LATE_FUNCTION(libpq, void, PQfreemem, (void *memory), (memory))
LATE_FUNCTION(libpq, PQconninfoOption *, PQconninfoParse, (const char *text, char **reason), (text, reason))
LATE_FUNCTION(libpq, void, PQconninfoFree, (PQconninfoOption * options), (options))

LATE_FUNCTION(
    libpq, PGconn *, PQconnectdbParams, (const char *const *keywords, const char *const *values, int expands),
    (keywords, values, expands))
LATE_FUNCTION(libpq, void, PQfinish, (PGconn * connection), (connection))
LATE_FUNCTION(libpq, ConnStatusType, PQstatus, (const PGconn *connection), (connection))
LATE_FUNCTION(libpq, char *, PQerrorMessage, (const PGconn *connection), (connection))
LATE_FUNCTION(libpq, int, PQsocket, (const PGconn *connection), (connection))
LATE_FUNCTION(libpq, int, PQbackendPID, (const PGconn *connection), (connection))
LATE_FUNCTION(libpq, int, PQsetnonblocking, (PGconn * connection, int on), (connection, on))
LATE_FUNCTION(libpq, int, PQenterPipelineMode, (PGconn * connection), (connection))
LATE_FUNCTION(
    libpq, PQnoticeProcessor, PQsetNoticeProcessor, (PGconn * connection, PQnoticeProcessor processor, void *owner),
    (connection, processor, owner))

LATE_FUNCTION(libpq, PGcancel *, PQgetCancel, (PGconn * connection), (connection))
LATE_FUNCTION(libpq, int, PQcancel, (PGcancel * cancel, char *reason, int size), (cancel, reason, size))
LATE_FUNCTION(libpq, void, PQfreeCancel, (PGcancel * cancel), (cancel))

LATE_FUNCTION(
    libpq, int, PQsendQueryParams,
    (PGconn * connection, const char *text, int count, const Oid *types, const char *const *values, const int *lengths,
     const int *formats, int format),
    (connection, text, count, types, values, lengths, formats, format))
LATE_FUNCTION(
    libpq, int, PQsendPrepare,
    (PGconn * connection, const char *name, const char *text, int count, const Oid *types),
    (connection, name, text, count, types))
LATE_FUNCTION(
    libpq, int, PQsendQueryPrepared,
    (PGconn * connection, const char *name, int count, const char *const *values, const int *lengths,
     const int *formats, int format),
    (connection, name, count, values, lengths, formats, format))
LATE_FUNCTION(libpq, int, PQpipelineSync, (PGconn * connection), (connection))
LATE_FUNCTION(libpq, int, PQflush, (PGconn * connection), (connection))
LATE_FUNCTION(libpq, int, PQconsumeInput, (PGconn * connection), (connection))
LATE_FUNCTION(libpq, int, PQisBusy, (PGconn * connection), (connection))
LATE_FUNCTION(libpq, PGresult *, PQgetResult, (PGconn * connection), (connection))

LATE_FUNCTION(libpq, void, PQclear, (PGresult * result), (result))
LATE_FUNCTION(libpq, ExecStatusType, PQresultStatus, (const PGresult *result), (result))
LATE_FUNCTION(libpq, char *, PQresultErrorField, (const PGresult *result, int field), (result, field))
LATE_FUNCTION(libpq, char *, PQcmdTuples, (PGresult * result), (result))
LATE_FUNCTION(libpq, int, PQntuples, (const PGresult *result), (result))
LATE_FUNCTION(libpq, int, PQnfields, (const PGresult *result), (result))
LATE_FUNCTION(libpq, Oid, PQftype, (const PGresult *result, int column), (result, column))
LATE_FUNCTION(libpq, int, PQgetisnull, (const PGresult *result, int row, int column), (result, row, column))
LATE_FUNCTION(libpq, int, PQgetlength, (const PGresult *result, int row, int column), (result, row, column))
LATE_FUNCTION(libpq, char *, PQgetvalue, (const PGresult *result, int row, int column), (result, row, column))
