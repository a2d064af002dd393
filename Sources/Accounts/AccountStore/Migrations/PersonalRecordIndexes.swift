import SQLDatabase

extension Accounts {
    /// For ``PersonalRecords/record(of:at:)``.
    static let personalRecordIndexes: [SQL] = [
        "CREATE INDEX audit_log_by_actor ON audit_log (actor_id, created_at)",
        "CREATE INDEX mail_outbox_by_user ON mail_outbox (user_id, created_at) WHERE user_id IS NOT NULL",
    ]
}
