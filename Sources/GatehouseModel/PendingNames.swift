import Foundation
public import Gatehouse

/// The names that Apple gave, until the server has them (pitfall 6).
///
/// Apple gives a name once, at the very first sign-in. It is written down before the first call, and removed when the
/// profile has a name.
struct PendingNames: Sendable {
    let storage: any SecureStorage
    let key: String

    /// By Apple's identifier of the person.
    func read() async throws -> [String: String] {
        switch await storage.read(key) {
        case .absent: return [:]
        case .unavailable(let reason): throw AuthClientError.storeUnavailable(reason)
        case .value(let bytes):
            // What is lost: names that nobody can read.
            return (try? JSONReader.read(bytes))?.objectValue?.compactMapValues(\.stringValue) ?? [:]
        }
    }

    /// Keeps the name that the credential brings, if it brings one: at most 50 characters.
    func keep(_ credential: AppleCredential) async throws {
        let name = credential.firstName?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        guard !name.isEmpty else { return }
        var names = try await read()
        names[credential.person] = String(name.prefix(50))
        try await write(names)
    }

    func forget(_ person: String) async throws {
        var names = try await read()
        guard names.removeValue(forKey: person) != nil else { return }
        try await write(names)
    }

    private func write(_ names: [String: String]) async throws {
        if names.isEmpty {
            try await storage.remove(key)
        } else {
            try await storage.write(Array(AnyJSON.object(names.mapValues(AnyJSON.string)).text.utf8), for: key)
        }
    }
}

/// What Apple's sheet gave.
public struct AppleCredential: Sendable {
    /// The token, with the raw nonce whose SHA-256 was in the request.
    public var credentials: OpenIDConnectCredentials
    /// Apple's identifier of the person (`ASAuthorizationAppleIDCredential.user`).
    public var person: String
    /// Given at the first sign-in only.
    public var firstName: String?

    /// - Parameter nonce: The raw one.
    public init(idToken: String, nonce: String?, person: String, firstName: String?) {
        credentials = OpenIDConnectCredentials(provider: .apple, idToken: idToken, nonce: nonce)
        self.person = person
        self.firstName = firstName
    }
}
