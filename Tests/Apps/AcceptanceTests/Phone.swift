import AuthenticationServices
import Foundation
import GatehouseWire
import HTTPTypes
import SwiftUI
import TestSupport

/// A device's sheets, and a person known to the stand-ins of Apple and Google.
@MainActor final class Phone {
    /// A person of a stand-in.
    struct Person: Sendable {
        /// `verified`, `hidden`, `existing`, `cancels` and so on, as the stand-in's page describes.
        var id: String
        /// Only for `existing`.
        var email: String?

        static let verified = Person(id: "verified")
        static func existing(_ email: String) -> Person { Person(id: "existing", email: email) }
    }

    /// The person's reaction to a sheet.
    enum Conduct: Sendable {
        case chooses(Person)
        case closesTheSheet
        /// The sheet itself fails.
        case fails
        /// The sheet does not reach the provider.
        case isOffline
        /// An address that the server did not send.
        case comesBack(to: String)
        /// Never returns.
        case fallsAsleep
    }

    var apple = Conduct.closesTheSheet
    var google = Conduct.closesTheSheet
    /// The requests to Apple's sheets.
    private(set) var requests: [ASAuthorizationAppleIDRequest] = []
    /// The requests to the browser's sheets.
    private(set) var pages: [URL] = []
    let passkeys = DevicePasskeys()
    private let server: TestServer
    private var isHeld = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ server: TestServer) { self.server = server }

    /// Keeps new sheets open until ``release()``.
    func hold() { isHeld = true }
    /// The number of open sheets.
    var heldCount: Int { waiting.count }

    func release() {
        let waiting = waiting
        (self.waiting, isHeld) = ([], false)
        for sheet in waiting { sheet.resume() }
    }

    var sheets: ProviderSheets {
        ProviderSheets { request in
            try await self.answer(request)
        } browser: { address, scheme in
            try await self.browse(address, scheme)
        }
    }

    private func waitIfHeld() async {
        if isHeld { await withCheckedContinuation { waiting.append($0) } }
    }

    private func answer(_ request: ASAuthorizationAppleIDRequest) async throws -> ASAuthorization {
        requests.append(request)
        await waitIfHeld()
        switch apple {
        case .closesTheSheet: throw ASAuthorizationError(.canceled)
        case .fails, .comesBack, .fallsAsleep: throw ASAuthorizationError(.failed)
        case .isOffline: throw URLError(.notConnectedToInternet)
        case .chooses(let person): return try await credential(of: person, request)
        }
    }

    /// Like Apple's own sheet: a signed token for the request's nonce; name and address only the first time.
    private func credential(of person: Person, _ request: ASAuthorizationAppleIDRequest) async throws
        -> ASAuthorization
    {
        var wanted: AuthJSONObject = ["person": .string(person.id)]
        wanted["email"] = person.email.map(AuthJSON.string)
        wanted["nonce"] = request.nonce.map(AuthJSON.string)
        let answer = try await server.send(.post, "/dev/apple/native-credential", json: .object(wanted))
        guard let token = answer["identityToken"]?.stringValue, let user = answer["user"]?.stringValue else {
            throw ASAuthorizationError(answer.code == "user_cancelled_authorize" ? .canceled : .failed)
        }
        var name: PersonNameComponents?
        if let given = answer["fullName"], given != .null {
            name = PersonNameComponents()
            name?.givenName = given["givenName"]?.stringValue
            name?.familyName = given["familyName"]?.stringValue
        }
        let credential = ASAuthorizationAppleIDCredential(
            user: user, state: request.state, authorizedScopes: request.requestedScopes ?? [],
            authorizationCode: answer["authorizationCode"]?.stringValue.map { Data($0.utf8) },
            identityToken: Data(token.utf8), email: answer["email"]?.stringValue, fullName: name)
        return ASAuthorization(provider: request.provider, credential: credential)
    }

    private func browse(_ address: URL, _ scheme: String) async throws -> URL {
        pages.append(address)
        await waitIfHeld()
        switch google {
        // The user also closes a page that fails to load.
        case .closesTheSheet, .isOffline: throw ASWebAuthenticationSessionError(.canceledLogin)
        case .fails: throw ASWebAuthenticationSessionError(.presentationContextInvalid)
        case .comesBack(let text): return try Self.url(text)
        case .fallsAsleep:
            for await _ in AsyncStream<Never>.makeStream().stream {}
            throw CancellationError()
        case .chooses(let person): return try await walk(from: address, as: person)
        }
    }

    private static func url(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw URLError(.badURL) }
        return url
    }

    /// Through the server's page, or directly to the provider's.
    private func walk(from address: URL, as person: Person) async throws -> URL {
        let browser = TestBrowser(server)
        let back =
            address.path.hasPrefix("/dev/")
            ? try await browser.choose(person.id, email: person.email, at: address.absoluteString)
            : try await browser.signIn(address.absoluteString, as: person.id, email: person.email)
        guard let location = back.location else { throw UnexpectedAnswer(answer: back) }
        return try Self.url(location)
    }
}
