import AccountDomain
import GatehouseWire
import SQLDatabase

extension Connection {
    /// Makes emails, deliveries and tasks due that wait longer than any schedule allows, because a clock was ahead. A
    /// delivery also gets a new expiry.
    func makeDue(at now: Instant, limit: Int) throws -> Int {
        let mails = try MailLane.allCases.reduce(0) { count, lane in
            try count
                + run(
                    """
                    UPDATE mail_outbox SET next_at = \(now) WHERE id IN (
                        SELECT id FROM mail_outbox
                        WHERE state = 'queued' AND lane = \(lane.rawValue) AND next_at > \(now + MailSchedule.longestWait)
                        LIMIT \(limit) \(.skippingLocked))
                    """)
        }
        let deliveries = try run(
            """
            UPDATE webhook_deliveries SET next_at = \(now), expires_at = \(now + WebhookSchedule.lifetime) WHERE id IN (
                SELECT id FROM webhook_deliveries
                WHERE state = 'queued' AND expires_at > \(now + WebhookSchedule.lifetime + NodeClocks.difference)
                    AND next_at > \(now + WebhookSchedule.longestWait)
                LIMIT \(limit) \(.skippingLocked))
            """)
        let tasks = try run(
            """
            UPDATE outbox SET next_at = \(now) WHERE id IN (
                SELECT id FROM outbox WHERE next_at > \(now + OutboxSchedule.longestWait)
                LIMIT \(limit) \(.skippingLocked))
            """)
        return mails + deliveries + tasks
    }
}
