/// nil keeps records forever. Deleting an account erases more, immediately.
package struct Retention: Sendable {
    package var auditLog: Duration?
    /// From the session's end, and from an account's last refused sign-in.
    package var endedSessions: Duration? = .seconds(90 * 86_400)
    /// From the end of delivery. The content is erased when the email is sent.
    package var mails: Duration? = .seconds(7 * 86_400)
    /// From the end of delivery.
    package var deliveries: Duration? = .seconds(7 * 86_400)
    /// From the counted hour.
    package var telemetry: Duration? = .seconds(400 * 86_400)

    package init() {}
}
