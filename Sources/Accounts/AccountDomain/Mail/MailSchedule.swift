package enum MailSchedule {
    /// Within this time, a node that took an email starts the attempt or returns it.
    package static let beginning: Duration = .seconds(60)

    /// - Parameter attempt: The longest duration.
    package static func lease(attempt: Duration) -> Duration { beginning + attempt + .seconds(30) }

    /// A notice has no code that expires.
    package static let noticeLifetime: Duration = .seconds(3 * 86_400)

    /// Longer than any email waits: at most until its code expires.
    package static let longestWait: Duration = .seconds(8 * 86_400)

    /// After this many refusals, the fault is more likely ours or the mail server's than the addresses'.
    package static let refusalsInARow = 3

    /// Five seconds, doubled each time, at most ten minutes, ± 25 % to spread emails that failed together.
    ///
    /// - Parameters:
    ///   - attempts: At least 1.
    ///   - chance: Random, from 0 to 1.
    package static func pause(after attempts: Int, chance: Double) -> Duration {
        let seconds = min(5 << min(max(attempts, 1) - 1, 7), 600)
        return .milliseconds(Int(Double(seconds) * 1_000 * (0.75 + chance / 2)))
    }
}
