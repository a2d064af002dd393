import AccountDomain

extension Setting {
    package static let auditLogRetention = Setting(
        "retention_audit_log", .none, .durationOrZero("0"),
        "How long audit log entries are kept. With the PostgreSQL roles in `Deploy/postgresql`, also run "
            + "`GRANT DELETE ON audit_log TO gatehouse_service`.")
    package static let endedSessionRetention = Setting(
        "retention_ended_sessions", .none, .durationOrZero("2160h"),
        "How long records of ended sessions (when, why, by whom) are kept.")
    package static let mailRetention = Setting(
        "retention_mails", .none, .durationOrZero("168h"),
        "How long a finished email's status is kept. Its content is erased when sent.")

    package static let deliveryRetention = Setting(
        "retention_webhook_deliveries", .none, .durationOrZero("168h"),
        "How long finished webhook deliveries are kept and can be replayed.")

    package static let telemetryRetention = Setting(
        "retention_telemetry", .none, .durationOrZero("9600h"),
        "How long counts of apps' events, sign-ins and refreshes are kept.")

    static let retention = [
        auditLogRetention, endedSessionRetention, mailRetention, deliveryRetention, telemetryRetention,
    ]
}

extension SettingsReader {
    mutating func retention() -> Retention {
        var retention = Retention()
        retention.auditLog = stay(.auditLogRetention)
        retention.endedSessions = stay(.endedSessionRetention)
        retention.mails = stay(.mailRetention)
        retention.deliveries = stay(.deliveryRetention)
        retention.telemetry = stay(.telemetryRetention)
        return retention
    }

    /// - Returns: nil for `0`, which keeps records forever. Less than a day is probably a wrong unit.
    private mutating func stay(_ setting: Setting) -> Duration? {
        guard let stay = duration(setting), stay > .zero else { return nil }
        if stay < .seconds(86_400) { refuse(setting, "expected at least 24h, or 0 to keep records for ever") }
        return stay
    }
}
