/// When a mail is tried again.
package enum MailSchedule {
    /// A node begins an attempt within this time after it took the mail, or gives the mail back.
    package static let beginning: Duration = .seconds(60)

    /// How long a node holds a mail before another node may take it.
    ///
    /// - Parameter attempt: The longest that an attempt lasts.
    package static func lease(attempt: Duration) -> Duration { beginning + attempt + .seconds(30) }

    /// How long a notice is tried. It has no code that expires.
    package static let noticeLifetime: Duration = .seconds(3 * 86_400)

    /// Longer than a mail waits for its next attempt: than a code is valid, for which a mail waits at most.
    package static let longestWait: Duration = .seconds(8 * 86_400)

    /// So many mails that the mail server refused in a row are the server's or our fault, not that of their addresses.
    package static let refusalsInARow = 3

    /// The delay before the next attempt: five seconds, doubled each time, at most ten minutes, and up to a quarter
    /// more or less, so that mails that failed together are not tried together.
    ///
    /// - Parameters:
    ///   - attempts: The number of attempts so far, at least 1.
    ///   - chance: A random number from 0 to 1.
    package static func pause(after attempts: Int, chance: Double) -> Duration {
        let seconds = min(5 << min(max(attempts, 1) - 1, 7), 600)
        return .milliseconds(Int(Double(seconds) * 1_000 * (0.75 + chance / 2)))
    }
}
