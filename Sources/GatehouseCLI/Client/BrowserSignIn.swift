import ArgumentParser
import Foundation
import Gatehouse
import GatehouseModel
import GatehouseWire

/// Who can vouch for a person in the browser.
enum WebProvider: String, CaseIterable, ExpressibleByArgument, Sendable {
    case google, apple

    var provider: Provider { self == .google ? .google : .apple }
    var method: AuthMethod { self == .google ? .google : .apple }
    /// As people know it.
    var title: String { self == .google ? "Google" : "Apple" }
}

/// Signs in with a provider's pages.
struct BrowserSignIn: Sendable {
    let provider: WebProvider
    /// False to print the address alone, for a browser that somebody else opens.
    let opensBrowser: Bool
    /// Of the address on this machine that the browser comes back to; 0 for any.
    let port: UInt16

    /// - Throws: ``ClientFailure``; whoever was signed in still is.
    func signIn(_ client: Client) async throws -> User {
        let browser = LoopbackWebAuthentication(
            port: port,
            // Who carries the address to a browser needs longer than one that opens (requirement E9).
            limit: opensBrowser ? .seconds(60) : .seconds(300),
            open: { address in try await show(address, client) })
        do {
            return try await client.auth.signInWithOAuth(provider: provider.provider, in: browser).user
        } catch {
            guard let question = (error as? AuthClientError)?.linkQuestion else {
                throw ClientFailure(error, provider.method, at: client.target.text)
            }
            return try await LinkByPassword(question: question, provider: provider).ask(client)
        }
    }

    private func show(_ address: URL, _ client: Client) async throws {
        // It holds no secret: the code that comes back needs the verifier, which stays here.
        let text = address.absoluteString.printable
        Output.note(
            client.isJSON ? AnyJSON.object(["open": .string(text)]).text : "Sign in with your browser at\n\n  \(text)\n"
        )
        guard opensBrowser else { return }
        do {
            try await SystemDefaults.browser()(address)
        } catch is WebAuthenticationError {
            client.note("No browser could be opened here: open the address yourself.")
        }
    }
}
