import AccountDomain

/// How long records stay.
extension Setting {
    package static let auditLogRetention = Setting(
        "retention_audit_log", .none, .durationOrZero("0"),
        "How long an entry of the audit log stays: `0` for ever, otherwise at least `24h`. On PostgreSQL with the roles of `Deploy/postgresql` this needs "
            + "`GRANT DELETE ON audit_log TO gatehouse_service`.")
    package static let endedSessionRetention = Setting(
        "retention_ended_sessions", .none, .durationOrZero("2160h"),
        "How long the record of an ended session stays: when it ended, why, and by whom. `0` for ever, otherwise at "
            + "least `24h`.")
    package static let mailRetention = Setting(
        "retention_mails", .none, .durationOrZero("168h"),
        "How long the status of a mail stays after its end: `0` for ever, otherwise at least `24h`. What the mail says "
            + "is erased when it is sent.")

    package static let deliveryRetention = Setting(
        "retention_webhook_deliveries", .none, .durationOrZero("168h"),
        "How long the delivery of an event to a webhook stays after its end, and can be replayed: `0` for ever, otherwise "
            + "at least `24h`.")

    package static let telemetryRetention = Setting(
        "retention_telemetry", .none, .durationOrZero("9600h"),
        "How long the counts of apps' events, sign-ins and refreshes stay: `0` for ever, otherwise at least `24h`.")

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

    /// - Returns: nil for `0`, which keeps records for ever. A shorter time than a day is more likely a wrong unit than a
    ///   wish.
    private mutating func stay(_ setting: Setting) -> Duration? {
        guard let stay = duration(setting), stay > .zero else { return nil }
        if stay < .seconds(86_400) { refuse(setting, "expected at least 24h, or 0 to keep records for ever") }
        return stay
    }
}
