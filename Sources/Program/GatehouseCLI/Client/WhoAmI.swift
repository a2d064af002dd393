import ArgumentParser
import Gatehouse
import GatehouseWire

struct WhoAmI: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "whoami", abstract: "Shows who is signed in.",
        discussion: """
            Checks the session with the server. If the server does not respond, prints the last known state and exits \
            with code \(ProgramExit.unavailable.rawValue).

            EXAMPLES:
              gatehouse whoami
              gatehouse whoami --json
            """)

    @OptionGroup(title: "Connection Options") var options: ClientOptions

    func perform(_ client: Client) async throws {
        let session = try await known(client)
        let server = client.target.text
        do {
            let user = try await client.auth.user()
            try client.answer(.whoAmI(user, await profile(client), server: server, isChecked: true))
        } catch {
            let failure = ClientFailure(error, at: server)
            // An unreachable server has not ended the session.
            if failure.exit == .unavailable {
                try client.answer(.whoAmI(session.user, nil, server: server, isChecked: false))
            }
            throw failure
        }
    }

    private func known(_ client: Client) async throws -> AuthSession {
        switch await client.auth.state {
        case .signedIn(let session, _): return session
        case .signedOut(let reason): throw AuthClientError.signedOut(reason)
        // The session storage does not respond; this throws the reason.
        case .restoring: return try await client.auth.session
        }
    }

    /// - Returns: nil without a profile, or at a server without profiles, such as hosted Supabase.
    private func profile(_ client: Client) async throws -> ProfileSummary? {
        do {
            return try await client.gateway.fetchMe().profile
        } catch AuthClientError.offline(.notUnderstood) {
            return nil
        }
    }
}
