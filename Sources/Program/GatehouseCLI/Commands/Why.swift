import AccountDomain
import AccountStore
import ArgumentParser
import AuthServer
import GatehouseServer
import GatehouseWire

struct Why: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why", abstract: "Shows why a user cannot sign in, and why sessions ended.",
        discussion: """
            Names locks, bans, unconfirmed addresses and refused sign-ins, then ended sessions, most recent first. \
            Records are kept as long as the setting retention_ended_sessions says. Name a deleted account by its ID.

            EXAMPLES:
              gatehouse why ada@example.com
            """)

    @OptionGroup var options: DataOptions
    @Argument(help: "The account's ID or email.") var account: String
    @Option(
        help: ArgumentHelp("The maximum number of sessions, up to \(SessionStore.mostEndedSessions).", valueName: "n"))
    var limit = 20
    @Flag(help: "Print the ended sessions, one JSON object per line.") var json = false

    func validate() throws {
        guard (1...SessionStore.mostEndedSessions).contains(limit) else {
            throw ValidationError("--limit must be from 1 to \(SessionStore.mostEndedSessions).")
        }
    }

    func run() async throws {
        let opened = try await OpenedAccounts(options, using: .locks)
        let accounts = opened.accounts
        let known = try await find(account, in: accounts)
        let user = known?.user
        guard let id = user?.id ?? UserID(account) else {
            throw CommandFailure("No account is \(account). List them with `gatehouse users list`.")
        }
        let ended = try await accounts.sessions.endedSessions(of: id, limit: limit, at: System.now())
        guard user != nil || !ended.isEmpty else {
            throw CommandFailure("No account is \(account). List them with `gatehouse users list`.")
        }
        if let known, !json {
            // Without the settings of emails: their code may be a way in.
            let diagnosis = try await makeLocks(opened.settings, opened.database, accounts)
                .diagnosis(of: known, mailsCodes: true, at: System.now())
            try Output.send(text(diagnosis))
        }
        if json {
            for session in ended { try Output.line(line { $0.endedSession(session) }) }
            return
        }
        guard !ended.isEmpty else { return try Output.line("None of this user's sessions has ended.") }
        try Output.send(text(ended))
    }

    private func line(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(capacity: 512)
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self).escaped
    }

    private func text(_ diagnosis: SignInDiagnosis) -> String {
        var text = ""
        for finding in diagnosis.findings {
            text += "\(finding.code.rawValue): \(finding.text.printable)\n    \(finding.advice)\n"
        }
        if diagnosis.findings.isEmpty { text += "Nothing stops this user's sign-ins.\n" }
        text += "\n"
        guard !diagnosis.refusals.isEmpty else { return text }
        var table = TextTable(["REFUSED", "TIMES", "LAST", "FROM", "REQUEST", "CODE"])
        for refusal in diagnosis.refusals {
            table.add([
                refusal.story, String(refusal.count), "\(refusal.lastAt)", refusal.address?.printable ?? "-",
                refusal.requestID?.printable ?? "-", refusal.bucket ?? refusal.code,
            ])
        }
        return text + table.text + "\n"
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

    private func words(_ session: EndedSession) -> String {
        let words = [session.child?.kind.rawValue.printable, session.device.words].compactMap(\.self)
        return words.isEmpty ? "-" : words.joined(separator: ", ")
    }

    private func row(_ session: EndedSession) -> [String] {
        let request = [session.endedBy?.requestID, session.endedBy?.address].compactMap(\.self)
        return [
            "\(session.endedAt)", words(session), "\(session.beganAt)",
            session.refreshedAt.map { "\($0)" } ?? "-", session.actor.words,
            request.isEmpty ? "-" : request.joined(separator: " "), session.reason.rawValue,
        ]
    }
}
