import SQLDatabase

extension Profiles {
    /// Every text is from a closed set, which bounds the rows.
    static let eventCounts: SQL = """
        CREATE TABLE event_counts (
            hour    \(.instant) NOT NULL,                       -- its beginning, in microseconds since 1970
            app     \(.text) NOT NULL,
            name    \(.text) NOT NULL,
            method  \(.text) NOT NULL,                          -- empty for events without one
            detail  \(.text) NOT NULL,                          -- error type, reason, class of duration, other method
            count   \(.integer) NOT NULL CHECK (count > 0),
            PRIMARY KEY (hour, app, name, method, detail)
        ) \(.table)
        """
}
