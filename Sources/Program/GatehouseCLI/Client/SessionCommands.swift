import ArgumentParser
import Foundation
import Gatehouse
import GatehouseWire

struct SessionCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "Lists and ends the sessions of your account.",
        subcommands: [ListSessions.self, RevokeSessions.self], defaultSubcommand: ListSessions.self)
}

struct ListSessions: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the sessions of your account, newest sign-in first.")

    @OptionGroup var options: ClientOptions

    func perform(_ client: Client) async throws { try client.answer(.sessions(await client.sessions())) }
}

struct RevokeSessions: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Ends sessions.",
        discussion: "Other services may accept access tokens of ended sessions for up to an hour.")

    @OptionGroup var options: ClientOptions
    @Argument(help: "The ids of the sessions, from `gatehouse sessions`.") var ids: [String] = []
    @Flag(help: "End all sessions except this one.") var others = false

    func validate() throws {
        if ids.isEmpty != others { throw ValidationError("Specify the ids of sessions, or --others.") }
        for id in ids where UUID(uuidString: id) == nil { throw ValidationError("\(id.printable) is no session's id.") }
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
                "not_found", "No session has the id \(unknown.uuidString.lowercased()).", exit: .refused)
        }
        // The current session ends last, because ending the others requires it.
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
