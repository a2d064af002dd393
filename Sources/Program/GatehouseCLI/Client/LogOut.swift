import ArgumentParser
import Gatehouse
import GatehouseWire

struct LogOut: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Signs out.",
        discussion: """
            Always signs out on this machine. If the server cannot be reached, the exit code is \
            \(ProgramExit.unavailable.rawValue), and the session stays active there until it expires.

            EXAMPLES:
              gatehouse logout
              gatehouse logout --everywhere
            """)

    @OptionGroup(title: "Connection Options") var options: ClientOptions
    @Flag(help: "Sign out on all devices.") var everywhere = false

    func perform(_ client: Client) async throws {
        let (user, server) = (await client.auth.currentUser, client.target.text)
        let outcome = try await client.auth.signOut(scope: everywhere ? .global : .local)
        switch outcome {
        case .revoked: try client.answer(.signedOut(user, server: server, isRevoked: user != nil))
        case .notRevoked(let error):
            try client.answer(.signedOut(user, server: server, isRevoked: false))
            var failure = ClientFailure(error, at: server)
            failure.text = "The session is still active on the server. " + failure.text
            throw failure
        }
    }
}
