import GatehouseWire

/// Raw values are stored and sent, and must not change.
package enum AccountEventKind: String, CaseIterable, Sendable {
    case userCreated = "user.created"
    case userUpdated = "user.updated"
    case userDeleted = "user.deleted"
    case sessionStarted = "session.started"
    case sessionEnded = "session.ended"
    case identityLinked = "identity.linked"
    case identityUnlinked = "identity.unlinked"

    /// - Parameter text: A kind, `user.*`, `session.*`, `identity.*` or `*`.
    package static func named(_ text: String) -> [AccountEventKind] {
        if text == "*" { return allCases }
        guard text.hasSuffix(".*") else { return allCases.filter { $0.rawValue == text } }
        let prefix = String(text.dropLast())
        return allCases.filter { $0.rawValue.hasPrefix(prefix) }
    }

    package static var list: String { allCases.map(\.rawValue).joined(separator: ", ") + ", user.* and the like" }
}

package struct WebhookEndpoint: Sendable {
    package let name: String
    package let url: String
    package let secrets: [WebhookSecret]
    package let kinds: Set<AccountEventKind>

    package init(name: String, url: String, secrets: [WebhookSecret], kinds: Set<AccountEventKind>) {
        (self.name, self.url, self.secrets, self.kinds) = (name, url, secrets, kinds)
    }

    package static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isLowerAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }
}

package enum WebhookSchedule {
    package static let lifetime: Duration = .seconds(3 * 86_400)
    /// The longest attempt.
    package static let timeLimit: Duration = .seconds(10)
    /// Within this time, a node that took a delivery starts the attempt or returns it.
    package static let beginning: Duration = .seconds(30)
    package static let lease = beginning + timeLimit + .seconds(20)

    /// Longer than any pause.
    package static let longestWait: Duration = .seconds(6 * 3_600)

    private static let seconds = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400]

    /// From five seconds to four hours, ± 25 %.
    ///
    /// - Parameters:
    ///   - attempts: At least 1.
    ///   - chance: Random, from 0 to 1.
    package static func pause(after attempts: Int, chance: Double) -> Duration {
        let base = seconds[min(max(attempts, 1), seconds.count) - 1]
        return .milliseconds(Int(Double(base) * 1_000 * (0.75 + chance / 2)))
    }
}
