import SQLDatabase

extension Accounts {
    /// Of the last sign-in that a notice reported.
    static let deviceReports: [SQL] = [
        // SHA-256 of the emailed token and the address.
        "ALTER TABLE known_devices ADD COLUMN report_digest \(.bytes)",
        "ALTER TABLE known_devices ADD COLUMN report_until \(.instant)",
        // No foreign key: a report also concerns a password whose session has ended.
        "ALTER TABLE known_devices ADD COLUMN session_id \(.uuid)",
        "ALTER TABLE known_devices ADD COLUMN signed_in_at \(.instant)",
        // SHA-256 of the hash of the password that signed in.
        "ALTER TABLE known_devices ADD COLUMN password_digest \(.bytes)",
    ]

    static let deviceReportIndex: SQL = """
        CREATE INDEX known_devices_by_report ON known_devices (report_digest) WHERE report_digest IS NOT NULL
        """
}
