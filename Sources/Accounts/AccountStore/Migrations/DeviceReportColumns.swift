import SQLDatabase

extension Accounts {
    static let deviceReports: [SQL] = [
        // SHA-256 of a notice's token and the address.
        "ALTER TABLE known_devices ADD COLUMN report_digest \(.bytes)",
        // A fixed time after the sign-in that the notice reports.
        "ALTER TABLE known_devices ADD COLUMN report_until \(.instant)",
    ]

    static let deviceReportIndex: SQL = """
        CREATE INDEX known_devices_by_report ON known_devices (report_digest) WHERE report_digest IS NOT NULL
        """
}
