import SQLDatabase

extension Accounts {
    static let activity: [SQL] = [
        // Bounded: every text is from a closed set of the program.
        """
        CREATE TABLE activity_counts (
            hour    \(.integer) NOT NULL,                        -- whole hours since 1970
            name    \(.text) NOT NULL,
            label   \(.text) NOT NULL,                           -- the method, or the verdict
            detail  \(.text) NOT NULL,                           -- the outcome; empty for names with one label
            count   \(.integer) NOT NULL CHECK (count > 0),
            PRIMARY KEY (hour, name, label, detail)
        ) \(.table)
        """
    ]
}
