import ArgumentParser
import Gatehouse
import GatehouseWire

struct DeleteAccount: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-account", abstract: "Deletes your account and all its data.",
        discussion: """
            Asks you to type the account's email, or yes.

            EXAMPLES:
              gatehouse delete-account
            """)

    @OptionGroup(title: "Connection Options") var options: ClientOptions
    @Flag(help: "Do not ask for confirmation.") var yes = false

    func perform(_ client: Client) async throws {
        let user = try await client.auth.session.user
        if !yes { try await confirm(user, client) }
        try await client.gateway.deleteAccount()
        // Ignored: the session was deleted with the account.
        try await client.auth.signOut(scope: .local)
        try client.answer(.deleted(user, server: client.target.text))
    }

    private func confirm(_ user: AuthUser, _ client: Client) async throws {
        let name = ClientAnswer.name(user)
        let answer = try await client.ask(
            """
            This will permanently delete your account and all your data. This cannot be undone.
            Type \(name) to delete it at \(client.target.text): 
            """, insteadOf: "--yes")
        guard [name.lowercased(), "yes"].contains(answer.lowercased()) else { throw ClientFailure.cancelled }
    }
}
