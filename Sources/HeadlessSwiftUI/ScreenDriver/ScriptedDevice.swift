package import AuthenticationServices
public import Foundation

/// The device under a screen, with somebody in front of it who does what the script says.
@MainActor public final class ScriptedDevice {
    /// Somebody with an account at Apple.
    public struct Person: Sendable {
        public var id: String
        public var email: String?
        public var givenName: String?
        public var familyName: String?
        /// The identity token that Apple makes for a request with this nonce.
        public var token: @Sendable (_ nonce: String?) -> String

        public init(
            id: String, email: String? = nil, givenName: String? = nil, familyName: String? = nil,
            token: @escaping @Sendable (_ nonce: String?) -> String
        ) {
            (self.id, self.email, self.givenName, self.familyName) = (id, email, givenName, familyName)
            self.token = token
        }
    }

    /// What the person does when Apple's sheet is shown.
    public enum Step: Sendable {
        case signsIn(Person)
        case cancels
        /// The sheet itself fails.
        case fails
        /// The sheet does not reach Apple.
        case isOffline
    }

    /// What Apple's sheet was asked for.
    public struct Request: Hashable, Sendable {
        public var nonce: String?
        public var scopes: [String]
    }

    private var steps: [Step]
    private var known: Set<String> = []
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var isHeld = false
    /// What was asked for, in order.
    public private(set) var requests: [Request] = []
    /// The addresses that a screen opened outside.
    public internal(set) var openedURLs: [URL] = []
    /// Apple's sheet in somebody's hands: then there is no script.
    package var apple: (@MainActor (ASAuthorizationAppleIDRequest) async throws -> ASAuthorization)?
    /// What the browser's sheet gives; without it everybody cancels.
    public var browser: (@MainActor (_ address: URL, _ callbackURLScheme: String) async throws -> URL)?

    /// - Parameter steps: One for each of Apple's sheets; the last one is repeated. Without any, everybody cancels.
    public init(_ steps: Step...) { self.steps = steps }

    /// Replaces what is left of the script.
    public func follow(_ steps: Step...) { self.steps = steps }

    /// Leaves the sheets open that are shown from now on, until ``release()``.
    public func hold() { isHeld = true }

    /// How many sheets are open.
    public var heldCount: Int { waiting.count }

    /// Lets the person do what the script says, in every open sheet.
    public func release() {
        isHeld = false
        let waiting = waiting
        self.waiting = []
        for sheet in waiting { sheet.resume() }
    }

    var sheets: ProviderSheets {
        ProviderSheets { request in
            try await self.answer(request)
        } browser: { address, scheme in
            guard let browser = self.browser else { throw ASWebAuthenticationSessionError(.canceledLogin) }
            return try await browser(address, scheme)
        }
    }

    private func answer(_ request: ASAuthorizationAppleIDRequest) async throws -> ASAuthorization {
        let scopes = request.requestedScopes ?? []
        requests.append(Request(nonce: request.nonce, scopes: scopes.map(\.rawValue)))
        if let apple { return try await apple(request) }
        if isHeld { await withCheckedContinuation { waiting.append($0) } }
        switch steps.count > 1 ? steps.removeFirst() : steps.first ?? .cancels {
        case .cancels: throw ASAuthorizationError(.canceled)
        case .fails: throw ASAuthorizationError(.failed)
        case .isOffline: throw URLError(.notConnectedToInternet)
        case .signsIn(let person): return authorization(of: person, request, scopes)
        }
    }

    /// As with Apple itself, name and address come the first time only.
    private func authorization(
        of person: Person, _ request: ASAuthorizationAppleIDRequest, _ scopes: [ASAuthorization.Scope]
    ) -> ASAuthorization {
        let isNew = known.insert(person.id).inserted
        var name: PersonNameComponents?
        if isNew, scopes.contains(.fullName) {
            var given = PersonNameComponents()
            given.givenName = person.givenName
            given.familyName = person.familyName
            name = given
        }
        let credential = ASAuthorizationAppleIDCredential(
            user: person.id, state: request.state, authorizedScopes: scopes,
            authorizationCode: Data("code-of-\(person.id)".utf8), identityToken: Data(person.token(request.nonce).utf8),
            email: isNew && scopes.contains(.email) ? person.email : nil, fullName: name)
        return ASAuthorization(provider: request.provider, credential: credential)
    }
}
