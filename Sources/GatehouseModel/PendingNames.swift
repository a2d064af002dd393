import Foundation
public import Gatehouse

/// The names that Apple gave, until the server has them (pitfall 6).
///
/// Apple gives a name once, at the very first sign-in. It is written down before the first call, and removed when the
/// account and the profile have a name.
struct PendingNames: Sendable {
    let storage: any SecureStorage
    let key: String

    /// By Apple's identifier of the person.
    func read() async throws -> [String: AppleName] {
        switch await storage.read(key) {
        case .absent: return [:]
        case .unavailable(let reason): throw AuthClientError.storeUnavailable(reason)
        case .value(let bytes):
            // What is lost: names that nobody can read.
            let stored = (try? JSONReader.read(bytes))?.objectValue ?? JSONObject()
            let names = stored.compactMap { name, value in AppleName(stored: value).map { (name, $0) } }
            return Dictionary(uniqueKeysWithValues: names)
        }
    }

    /// Keeps the name that the credential brings, if it brings one.
    func keep(_ credential: AppleCredential) async throws {
        guard let name = credential.credentials.name else { return }
        var names = try await read()
        names[credential.person] = name
        try await write(names)
    }

    func forget(_ person: String) async throws {
        var names = try await read()
        guard names.removeValue(forKey: person) != nil else { return }
        try await write(names)
    }

    private func write(_ names: [String: AppleName]) async throws {
        if names.isEmpty {
            try await storage.remove(key)
        } else {
            try await storage.write(Array(AnyJSON.object(JSONObject(names.mapValues(\.stored))).text.utf8), for: key)
        }
    }
}

extension AppleName {
    /// - Parameter stored: An object with `given` and `family`.
    fileprivate init?(stored: AnyJSON) {
        self.init(given: stored["given"]?.stringValue, family: stored["family"]?.stringValue)
    }

    fileprivate var stored: AnyJSON {
        var members: JSONObject = [:]
        members["given"] = given.map(AnyJSON.string)
        members["family"] = family.map(AnyJSON.string)
        return .object(members)
    }
}

/// What Apple's sheet gave.
public struct AppleCredential: Sendable {
    /// The token, with the raw nonce whose SHA-256 was in the request, and what comes beside it.
    public var credentials: OpenIDConnectCredentials
    /// Apple's identifier of the person (`ASAuthorizationAppleIDCredential.user`).
    public var person: String
    /// Given at the first sign-in only.
    public var firstName: String? { credentials.name?.given }
    /// Given at the first sign-in only.
    public var lastName: String? { credentials.name?.family }

    /// - Parameters:
    ///   - nonce: The raw one.
    ///   - firstName: At most 50 characters are kept.
    ///   - lastName: The same.
    ///   - authorizationCode: With it the server can end Apple's consent when the account is deleted, as the App Store
    ///     asks of apps.
    public init(
        idToken: String, nonce: String?, person: String, firstName: String?, lastName: String? = nil,
        authorizationCode: String? = nil
    ) {
        credentials = OpenIDConnectCredentials(
            provider: .apple, idToken: idToken, nonce: nonce, name: AppleName(given: firstName, family: lastName),
            authorizationCode: authorizationCode)
        self.person = person
    }
}
