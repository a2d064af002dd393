import AccountDomain
import AccountStore
import ArgumentParser
import AuthServer
import GatehouseWire

struct Why: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why", abstract: "Shows why a user's sessions ended, most recent first.",
        discussion: """
            Records are kept as long as the setting retention_ended_sessions says. Name a deleted account by its ID.

            EXAMPLES:
              gatehouse why ada@example.com
            """)

    @OptionGroup var options: DataOptions
    @Argument(help: "The account's ID or email.") var account: String
    @Option(
        help: ArgumentHelp("The maximum number of sessions, up to \(SessionStore.mostEndedSessions).", valueName: "n"))
    var limit = 20
    @Flag(help: "Print one JSON object per line.") var json = false

    func validate() throws {
        guard (1...SessionStore.mostEndedSessions).contains(limit) else {
            throw ValidationError("--limit must be from 1 to \(SessionStore.mostEndedSessions).")
        }
    }

    func run() async throws {
        let accounts = try await OpenedAccounts(options, using: .sessionEnds).accounts
        let user = try await find(account, in: accounts)?.user
        guard let id = user?.id ?? UserID(account) else {
            throw CommandFailure("No account is \(account). List them with `gatehouse users list`.")
        }
        let ended = try await accounts.sessions.endedSessions(of: id, limit: limit, at: System.now())
        guard user != nil || !ended.isEmpty else {
            throw CommandFailure("No account is \(account). List them with `gatehouse users list`.")
        }
        if json {
            for session in ended { try Output.line(line(session).escaped) }
            return
        }
        if let user, user.isBanned(at: System.now()), let end = user.times.bannedUntil {
            try Output.line("The account is banned until \(end). Its sessions continue after the ban.\n")
        }
        guard !ended.isEmpty else { return try Output.line("None of this user's sessions has ended.") }
        try Output.send(text(ended))
    }

    private func line(_ session: EndedSession) -> String {
        var writer = JSONWriter(capacity: 512)
        writer.endedSession(session)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func text(_ ended: [EndedSession]) -> String {
        var table = TextTable(["ENDED", "DEVICE", "BEGAN", "LAST USED", "BY", "REQUEST", "REASON"])
        for session in ended { table.add(row(session)) }
        var text = table.text
        var seen: Set<SessionEnd.Reason> = []
        for session in ended where seen.insert(session.reason).inserted {
            text += "\n\(session.reason.rawValue): \(session.story)\n    \(session.advice)\n"
        }
        return text
    }

    private func row(_ session: EndedSession) -> [String] {
        let request = [session.endedBy?.requestID, session.endedBy?.address].compactMap(\.self)
        return [
            "\(session.endedAt)", session.device.words ?? "-", "\(session.beganAt)",
            session.refreshedAt.map { "\($0)" } ?? "-", session.actor.words,
            request.isEmpty ? "-" : request.joined(separator: " "), session.reason.rawValue,
        ]
    }
}
