import ArgumentParser
import Foundation
import Gatehouse
import GatehouseWire

struct SessionCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "Lists and revokes your account's sessions.",
        subcommands: [ListSessions.self, RevokeSessions.self], defaultSubcommand: ListSessions.self)
}

struct ListSessions: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists your account's sessions, most recent sign-in first.",
        discussion: "EXAMPLES:\n  gatehouse sessions\n  gatehouse sessions list --json")

    @OptionGroup(title: "Connection Options") var options: ClientOptions

    func perform(_ client: Client) async throws { try client.answer(.sessions(await client.sessions())) }
}

struct RevokeSessions: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revokes sessions, which signs their devices out.",
        discussion: """
            Other services may accept a revoked session's access token until it expires, for up to an hour.

            EXAMPLES:
              gatehouse sessions revoke 9b5f0f5e-5a0c-4f0e-9d4f-2f1f9c1d7a11
              gatehouse sessions revoke --others
            """)

    @OptionGroup(title: "Connection Options") var options: ClientOptions
    @Argument(help: ArgumentHelp("Session IDs, from `gatehouse sessions`.", valueName: "id")) var ids: [String] = []
    @Flag(help: "Revoke all sessions except this one.") var others = false

    func validate() throws {
        if ids.isEmpty != others { throw ValidationError("Specify session IDs or --others.") }
        for id in ids where UUID(uuidString: id) == nil {
            throw ValidationError("\(id.printable) is not a session ID. List them with `gatehouse sessions`.")
        }
    }

    func perform(_ client: Client) async throws {
        if others {
            try await client.auth.signOut(scope: .others)
            return try client.answer(.revoked([], endsOthers: true, isSignedIn: true))
        }
        let wanted = Set(ids.compactMap(UUID.init(uuidString:)))
        let sessions = try await client.sessions().filter { wanted.contains($0.id) }
        if let unknown = wanted.subtracting(sessions.map(\.id)).first {
            throw ClientFailure(
                "not_found", "No session has the ID \(unknown.uuidString.lowercased()).",
                remedy: "List them with `gatehouse sessions`.", exit: .refused)
        }
        // The current session ends last: ending the others requires it.
        for session in sessions where !session.isCurrent { try await client.auth.revokeSession(id: session.id) }
        let endsThis = sessions.contains(where: \.isCurrent)
        if endsThis, case .notRevoked(let error) = try await client.auth.signOut(scope: .local) { throw error }
        try client.answer(.revoked(sessions.map(\.id), endsOthers: false, isSignedIn: !endsThis))
    }
}

extension Client {
    /// - Throws: ``ClientFailure`` if the server does not list sessions, or ``AuthClientError``.
    fileprivate func sessions() async throws -> [SessionInfo] {
        do {
            return try await auth.sessions()
        } catch AuthClientError.refused(let refusal) where refusal.status == 404 {
            throw ClientFailure("sessions_unsupported", "This server does not list sessions.", exit: .refused)
        }
    }
}
