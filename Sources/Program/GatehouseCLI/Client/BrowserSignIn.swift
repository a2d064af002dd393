import ArgumentParser
import Foundation
import Gatehouse
import GatehouseDesktop
import GatehouseModel
import GatehouseWire

/// A provider to sign in with in the browser.
struct WebProvider: ExpressibleByArgument, Sendable {
    let provider: AuthProvider

    /// - Returns: nil for text that is no provider's name, such as one with spaces.
    init?(argument: String) {
        let name = argument.lowercased()
        let isName = name.utf8.allSatisfy { $0.isLowerAlphanumeric || "-_:".utf8.contains($0) }
        guard (1...64).contains(name.utf8.count), isName else { return nil }
        provider = AuthProvider(rawValue: name)
    }

    var method: AuthMethod { AuthMethod(provider) }
    /// The provider's display name.
    var title: String { method.name }

    static let defaultCompletionKind = CompletionKind.list(["apple", "azure", "discord", "github", "gitlab", "google"])
}

struct BrowserSignIn: Sendable {
    let provider: WebProvider
    let opensBrowser: Bool
    /// The loopback port for the callback; 0 for any free port.
    let port: UInt16
    let factor: FactorOptions

    /// - Throws: ``ClientFailure``. The previous session stays active.
    func signIn(_ client: Client) async throws -> AuthUser {
        let browser = LoopbackWebAuthentication(
            port: port,
            // Copying the URL takes longer than opening it.
            limit: opensBrowser ? .seconds(60) : .seconds(300),
            open: { address in try await show(address, client) })
        do {
            return try await client.auth.signInWithOAuth(provider: provider.provider, in: browser).user
        } catch {
            guard let question = (error as? AuthClientError)?.linkQuestion else {
                throw ClientFailure(error, provider.method, at: client.target.text)
            }
            return try await LinkByPassword(question: question, provider: provider, factor: factor).ask(client)
        }
    }

    private func show(_ address: URL, _ client: Client) async throws {
        // No secret: only this process has the verifier.
        let text = address.absoluteString.printable
        Output.note(
            client.isJSON
                ? AuthJSON.object(["open": .string(text)]).text : "Sign in with your browser at\n\n  \(text)\n"
        )
        guard opensBrowser else { return }
        do {
            try await SystemDefaults.browser()(address)
        } catch is AuthClientError {
            client.note("No browser could be opened. Open the URL yourself.")
        }
    }
}
