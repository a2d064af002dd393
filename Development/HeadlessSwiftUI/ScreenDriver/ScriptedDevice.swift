package import AuthenticationServices
public import Foundation

/// A device whose user follows a script.
@MainActor public final class ScriptedDevice {
    public struct Person: Sendable {
        public var id: String
        public var email: String?
        public var givenName: String?
        public var familyName: String?
        /// Apple's ID token for this nonce.
        public var token: @Sendable (_ nonce: String?) -> String

        public init(
            id: String, email: String? = nil, givenName: String? = nil, familyName: String? = nil,
            token: @escaping @Sendable (_ nonce: String?) -> String
        ) {
            (self.id, self.email, self.givenName, self.familyName) = (id, email, givenName, familyName)
            self.token = token
        }
    }

    public enum Step: Sendable {
        case signsIn(Person)
        case cancels
        case fails
        case isOffline
    }

    public struct Request: Hashable, Sendable {
        public var nonce: String?
        public var scopes: [String]
    }

    private var steps: [Step]
    private var known: Set<String> = []
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var isHeld = false
    /// In order.
    public private(set) var requests: [Request] = []
    public internal(set) var openedURLs: [URL] = []
    public internal(set) var sharedTexts: [String] = []
    package var apple: (@MainActor (ASAuthorizationAppleIDRequest) async throws -> ASAuthorization)?
    /// Without it, the user cancels.
    public var browser: (@MainActor (_ address: URL, _ callbackURLScheme: String) async throws -> URL)?

    /// - Parameter steps: One per sheet; the last one repeats. Without steps, the user cancels.
    public init(_ steps: Step...) { self.steps = steps }

    public func follow(_ steps: Step...) { self.steps = steps }

    /// Keeps new sheets open until ``release()``.
    public func hold() { isHeld = true }

    public var heldCount: Int { waiting.count }

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

    /// Like Apple, sends name and address only the first time.
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
