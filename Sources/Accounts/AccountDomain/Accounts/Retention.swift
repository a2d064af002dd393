/// How long records stay; nil keeps them for ever. Deleting an account erases more, immediately.
package struct Retention: Sendable {
    package var auditLog: Duration?
    /// From the end of the session.
    package var endedSessions: Duration? = .seconds(90 * 86_400)
    /// From the end of the mail. What it says is erased when it is sent.
    package var mails: Duration? = .seconds(7 * 86_400)
    /// From the end of the delivery of an event to a webhook.
    package var deliveries: Duration? = .seconds(7 * 86_400)
    /// From the hour in which sign-ins, refreshes or events of apps were counted.
    package var telemetry: Duration? = .seconds(400 * 86_400)

    package init() {}
}
