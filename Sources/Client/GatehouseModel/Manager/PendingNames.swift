import Foundation
public import Gatehouse

/// Apple sends names only at the first sign-in. Stores them until account and profile have them.
struct PendingNames: Sendable {
    let storage: any SecureStorage
    let key: String
    /// Two changes that read the same names would lose one.
    private let gate = SerialGate()

    init(storage: any SecureStorage, key: String) {
        self.storage = storage
        self.key = key
    }

    /// By Apple's user id.
    func read() async throws -> [String: AppleName] {
        switch await storage.read(key) {
        case .absent: return [:]
        case .unavailable(let problem): throw AuthClientError.storeUnavailable(problem)
        case .value(let bytes):
            // Ignored: unreadable names cannot be recovered.
            let stored = (try? JSONReader.read(bytes))?.objectValue ?? AuthJSONObject()
            let names = stored.compactMap { name, value in AppleName(stored: value).map { (name, $0) } }
            return Dictionary(uniqueKeysWithValues: names)
        }
    }

    func keep(_ credential: AppleCredential) async throws {
        guard let name = credential.credentials.name else { return }
        try await gate.run {
            var names = try await read()
            names[credential.person] = name
            try await write(names)
        }
    }

    /// Includes a name stored earlier.
    @MainActor
    func credentials(
        from sheet: @MainActor () async throws -> AppleCredential
    ) async throws -> IDTokenCredentials {
        let credential = try await sheet()
        try await keep(credential)
        var credentials = credential.credentials
        if credentials.name == nil { credentials.name = try await read()[credential.person] }
        return credentials
    }

    func forget(_ person: String) async throws {
        try await gate.run {
            var names = try await read()
            guard names.removeValue(forKey: person) != nil else { return }
            try await write(names)
        }
    }

    private func write(_ names: [String: AppleName]) async throws {
        if names.isEmpty {
            try await storage.remove(key)
        } else {
            try await storage.write(
                Array(AuthJSON.object(AuthJSONObject(names.mapValues(\.stored))).text.utf8), for: key)
        }
    }
}

extension AppleName {
    /// - Parameter stored: An object with `given` and `family`.
    fileprivate init?(stored: AuthJSON) {
        self.init(given: stored["given"]?.stringValue, family: stored["family"]?.stringValue)
    }

    fileprivate var stored: AuthJSON {
        var members: AuthJSONObject = [:]
        members["given"] = given.map(AuthJSON.string)
        members["family"] = family.map(AuthJSON.string)
        return .object(members)
    }
}

/// The result of Apple's sheet.
public struct AppleCredential: Sendable {
    /// The token, the raw nonce, and the accompanying values.
    public var credentials: IDTokenCredentials
    /// Apple's user id (`ASAuthorizationAppleIDCredential.user`).
    public var person: String
    /// Sent at the first sign-in only.
    public var firstName: String? { credentials.name?.given }
    /// Sent at the first sign-in only.
    public var lastName: String? { credentials.name?.family }

    /// Creates a credential from `ASAuthorizationAppleIDCredential`.
    ///
    /// - Parameters:
    ///   - nonce: ``SignInNonce/raw``; nil if the request had none.
    ///   - firstName: Cut to 50 characters.
    ///   - lastName: Cut to 50 characters.
    ///   - authorizationCode: Lets the server revoke Apple's consent with the account's deletion, as the App Store
    ///     requires.
    public init(
        idToken: String, nonce: String?, person: String, firstName: String?, lastName: String? = nil,
        authorizationCode: String? = nil
    ) {
        credentials = IDTokenCredentials(
            provider: .apple, idToken: idToken, nonce: nonce, name: AppleName(given: firstName, family: lastName),
            authorizationCode: authorizationCode)
        self.person = person
    }
}

extension AppleCredential: Unprinted {
    public var description: String { "AppleCredential(tokens: <secret>)" }
}
