import SQLDatabase

extension Accounts {
    /// Empty unless notices of new devices are on.
    static let knownDevices: [SQL] = [
        """
        CREATE TABLE known_devices (
            digest   \(.bytes) PRIMARY KEY CHECK (length(digest) = 32),          -- SHA-256 of account and device family
            user_id  \(.uuid) NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            seen_at  \(.instant) NOT NULL
        ) \(.table)
        """,
        "CREATE INDEX known_devices_by_user ON known_devices (user_id)",
        "CREATE INDEX known_devices_by_time ON known_devices (seen_at)",
    ]
}
