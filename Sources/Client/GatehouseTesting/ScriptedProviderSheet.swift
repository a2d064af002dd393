public import Foundation
public import Gatehouse
public import GatehouseModel

/// Simulates Apple's sheet, Google's sheet and the browser, following a script.
///
/// ```swift
/// let sheet = ScriptedProviderSheet(.cancels, .signsIn(.ada))
/// try await manager.signInWithApple { try await sheet.apple() }       // .cancelled
/// try await manager.signInWithApple { try await sheet.apple() }       // .signedIn
/// ```
///
/// Like Apple, sends a person's name only the first time.
public final class ScriptedProviderSheet: Sendable {
    /// The user's reaction to a sheet.
    public enum Step: Hashable, Sendable {
        /// The person signs in.
        case signsIn(ProviderPerson)
        /// The person closes the sheet.
        case cancels
        /// The sheet fails.
        case fails
        /// The sheet cannot reach the provider.
        case isOffline
    }

    /// A sheet's request.
    public struct Request: Hashable, Sendable {
        /// The sheet's provider.
        public var provider: AuthProvider
        /// The request's hashed nonce; nil if there was none.
        public var nonce: String?
        /// The requested scopes, for example `name` and `email`.
        public var scopes: [String]
    }

    private struct State {
        var steps: [Step]
        var requests: [Request] = []
        var known: Set<String> = []
        var isHeld = false
    }

    private let state: Locked<State>
    private let gate = Gate()

    /// Creates a simulated user.
    ///
    /// - Parameter steps: One per sheet; the last repeats. Without steps, the user always cancels.
    public init(_ steps: Step...) { state = Locked(State(steps: steps)) }

    /// The requests so far, in order.
    public var requests: [Request] { state.withLock { $0.requests } }

    /// Replaces the rest of the script.
    public func follow(_ steps: Step...) { state.withLock { $0.steps = steps } }

    /// Keeps new sheets open until ``release()``.
    public func hold() { state.withLock { $0.isHeld = true } }

    /// The number of open sheets.
    public var heldCount: Int { gate.waitingCount }

    /// Continues every open sheet.
    public func release() {
        state.withLock { $0.isHeld = false }
        gate.open()
    }

    /// Shows Apple's sheet.
    ///
    /// - Parameters:
    ///   - nonce: The nonce whose hash is in the request; nil for none.
    ///   - scopes: Without `name` and `email` Apple sends neither.
    /// - Throws: `AuthError.cancelled` for ``Step/cancels``, `AuthError.providerFailed` for ``Step/fails``, `URLError`
    ///   for ``Step/isOffline``, or `CancellationError` while the sheet is held.
    public func apple(
        nonce: SignInNonce? = nil, scopes: [String] = ["name", "email"]
    ) async throws -> AppleCredential {
        var (person, isNew) = try await show(Request(provider: .apple, nonce: nonce?.hashed, scopes: scopes))
        if !scopes.contains("email") { (person.email, person.isEmailVerified) = (nil, false) }
        return AppleCredential(
            idToken: person.credentials(from: .apple, nonce: nonce).idToken, nonce: nonce?.raw, person: person.id,
            firstName: isNew && scopes.contains("name") ? person.firstName : nil,
            authorizationCode: "code-of-\(person.id)")
    }

    /// Shows Google's own sheet.
    ///
    /// - Throws: As ``apple(nonce:scopes:)``.
    public func google(
        nonce: SignInNonce? = nil, scopes: [String] = ["openid", "email", "profile"]
    ) async throws -> IDTokenCredentials {
        let (person, _) = try await show(Request(provider: .google, nonce: nonce?.hashed, scopes: scopes))
        return person.credentials(from: .google, nonce: nonce)
    }

    /// Opens a URL of an ``InMemoryAuthService`` in a browser.
    ///
    /// - Returns: The app's redirect URL with a code.
    /// - Throws: As ``apple(nonce:scopes:)``; `AuthError.invalidCallback` for any other URL.
    public func browser(_ address: URL) async throws -> URL {
        guard let flow = ScriptedFlow(address) else { throw AuthError.invalidCallback }
        let (person, _) = try await show(Request(provider: flow.provider, nonce: nil, scopes: []))
        guard let back = flow.callback(for: person) else { throw AuthError.invalidCallback }
        return back
    }

    private func show(_ request: Request) async throws -> (ProviderPerson, isNew: Bool) {
        let isHeld = state.withLock { state in
            state.requests.append(request)
            return state.isHeld
        }
        if isHeld { try await gate.wait() }
        let step = state.withLock { state in
            state.steps.count > 1 ? state.steps.removeFirst() : state.steps.first ?? .cancels
        }
        switch step {
        case .signsIn(let person):
            let key = "\(request.provider.rawValue) \(person.id)"
            return (person, state.withLock { $0.known.insert(key).inserted })
        case .cancels: throw AuthError.cancelled
        case .fails: throw AuthError.providerFailed
        case .isOffline: throw URLError(.notConnectedToInternet)
        }
    }
}

extension ScriptedProviderSheet: WebAuthenticator {
    /// Opens a browser that returns to `com.example.app://callback`.
    ///
    /// - Throws: `AuthClientError`, as the system's sheet does.
    public func authenticate(_ address: @Sendable (_ redirectTo: URL) async throws -> URL) async throws -> URL {
        guard let redirect = URL(string: "com.example.app://callback") else {
            throw AuthClientError.couldNotOpenBrowser
        }
        do {
            return try await browser(try await address(redirect))
        } catch AuthError.cancelled {
            throw AuthClientError.cancelled
        } catch AuthError.providerFailed {
            throw AuthClientError.couldNotOpenBrowser
        } catch AuthError.invalidCallback {
            throw AuthClientError.invalidCallback
        }
    }
}

/// As encoded in URLs.
struct ScriptedFlow: Hashable, Sendable {
    /// The PKCE challenge.
    var id: String
    var provider: AuthProvider
    var redirectTo: String

    var address: URL? {
        var components = URLComponents()
        (components.scheme, components.host, components.path) = ("https", "accounts.example.com", "/authorize")
        components.queryItems = [
            URLQueryItem(name: "provider", value: provider.rawValue), URLQueryItem(name: "code_challenge", value: id),
            URLQueryItem(name: "redirect_to", value: redirectTo),
        ]
        return components.url
    }

    func callback(for person: ProviderPerson) -> URL? {
        let code = id + "~" + ScriptedToken(person, from: provider, nonce: nil).text
        return URL(string: redirectTo)?.appending(queryItems: [URLQueryItem(name: "code", value: code)])
    }

    static func read(code: String) -> (id: String, token: ScriptedToken)? {
        let parts = code.split(separator: "~", maxSplits: 1)
        guard parts.count == 2, let token = ScriptedToken(String(parts[1])) else { return nil }
        return (String(parts[0]), token)
    }
}

extension ScriptedFlow {
    init?(_ address: URL) { self.init(address.queryValues) }

    init?(_ values: [String: String]) {
        guard let id = values["code_challenge"], let provider = values["provider"],
            let redirectTo = values["redirect_to"]
        else {
            return nil
        }
        self.init(id: id, provider: AuthProvider(rawValue: provider), redirectTo: redirectTo)
    }
}

extension URL {
    /// The last duplicate wins.
    var queryValues: [String: String] {
        let items = URLComponents(url: self, resolvingAgainstBaseURL: false)?.queryItems ?? []
        return Dictionary(items.compactMap { item in item.value.map { (item.name, $0) } }) { _, last in last }
    }
}
