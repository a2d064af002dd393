package enum MailSchedule {
    /// A node that took an email starts the attempt within this time, or returns it.
    package static let beginning: Duration = .seconds(60)

    /// How long a node holds an email.
    ///
    /// - Parameter attempt: The longest duration of an attempt.
    package static func lease(attempt: Duration) -> Duration { beginning + attempt + .seconds(30) }

    /// How long a notice is retried. It has no code that expires.
    package static let noticeLifetime: Duration = .seconds(3 * 86_400)

    /// Longer than an email waits for its next attempt, which is at most until its code expires.
    package static let longestWait: Duration = .seconds(8 * 86_400)

    /// This many refusals in a row are our or the mail server's fault, not the addresses'.
    package static let refusalsInARow = 3

    /// Five seconds, doubled each time, at most ten minutes, ± 25 % so that emails that failed together are not retried
    /// together.
    ///
    /// - Parameters:
    ///   - attempts: At least 1.
    ///   - chance: Random, from 0 to 1.
    package static func pause(after attempts: Int, chance: Double) -> Duration {
        let seconds = min(5 << min(max(attempts, 1) - 1, 7), 600)
        return .milliseconds(Int(Double(seconds) * 1_000 * (0.75 + chance / 2)))
    }
}
