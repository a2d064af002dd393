import SQLDatabase

extension Accounts {
    static let childSessions: [SQL] = [
        // No foreign key: children end before their parent is deleted, with a reason.
        "ALTER TABLE sessions ADD COLUMN parent_id \(.uuid)",
        "ALTER TABLE sessions ADD COLUMN child \(.json)",
        "ALTER TABLE sessions ADD COLUMN ends_at \(.instant)",
        "ALTER TABLE ended_sessions ADD COLUMN parent_id \(.uuid)",
        "ALTER TABLE ended_sessions ADD COLUMN child \(.json)",
    ]

    static let sessionsByParent: SQL = """
        CREATE INDEX sessions_by_parent ON sessions (parent_id) WHERE parent_id IS NOT NULL
        """
}
