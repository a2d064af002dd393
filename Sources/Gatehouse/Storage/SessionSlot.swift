import Foundation

/// What is kept of a session between two starts.
struct StoredSession: Hashable, Sendable {
    /// Another one for every write of tokens: who wants to write says which one it replaces.
    var generation: String
    /// The same from a sign-in to its sign-out.
    var lineage: String
    var refreshToken: String
    var user: User
    /// Nil when a crash or a full disk came between the two entries.
    var access: StoredAccess?
}

struct StoredAccess: Hashable, Sendable {
    var token: String
    var type: String
    /// Seconds.
    var expiresIn: TimeInterval
    /// Seconds since 1970 by the server's clock.
    var expiresAt: TimeInterval
    /// Seconds to add to the device's wall clock to have the server's.
    var serverAhead: TimeInterval
}

/// The session's two entries in a store.
///
/// - `<key>.refresh-token` is the session: refresh token, user, generation and lineage in one value, so that one
///   write replaces all of it or nothing. It is written first, and removed first. There is a session if and only
///   if this entry is there.
/// - `<key>.access-token` is an extra, tied to the first by the generation. When a crash came between the two, the
///   generations differ: the token is ignored, and the first call refreshes.
///
/// The generation is random rather than counted, so that "signed out and in again" never looks like "unchanged",
/// and it needs no third entry that would outlive the session. Before every write the first entry is read again:
/// when it cannot be read nothing is written, and when it is not the one to be replaced neither.
struct SessionSlot: Sendable {
    let storage: any SecureStorage
    let key: String

    var refreshKey: String { key + ".refresh-token" }
    var accessKey: String { key + ".access-token" }

    enum Content: Hashable, Sendable {
        case absent
        case unavailable(String)
        /// The store answers, with bytes that no version of this code wrote.
        case damaged
        case session(StoredSession)
    }

    enum SaveResult: Hashable, Sendable {
        case saved
        /// The session is kept; its access token is not.
        case savedWithoutAccessToken(String)
        /// The slot holds something else by now; nothing was written.
        case slotChanged
    }

    func load() async -> Content {
        switch await storage.read(refreshKey) {
        case .absent: return .absent
        case .unavailable(let reason): return .unavailable(reason)
        case .value(let bytes):
            guard var session = StoredSession(refreshEntry: bytes) else { return .damaged }
            switch await storage.read(accessKey) {
            case .absent: break
            case .unavailable(let reason): return .unavailable(reason)
            case .value(let bytes): session.access = StoredAccess(entry: bytes, generation: session.generation)
            }
            return .session(session)
        }
    }

    /// - Parameter generation: What the slot must hold; nil when any session, or none, may be replaced.
    /// - Throws: ``AuthClientError/storeUnavailable(_:)`` or ``AuthClientError/storeFailed(_:)``; the slot is then
    ///   as it was.
    func save(_ session: StoredSession, replacing generation: String?) async throws -> SaveResult {
        let content = await readGeneration()
        if case .unavailable(let reason) = content { throw AuthClientError.storeUnavailable(reason) }
        if let generation, content != .value(generation) { return .slotChanged }
        try await write(session.refreshEntry, for: refreshKey)
        guard let access = session.access else { return .saved }
        if case .unavailable(let reason) = await storage.read(accessKey) { return .savedWithoutAccessToken(reason) }
        do {
            try await write(access.entry(generation: session.generation), for: accessKey)
            return .saved
        } catch AuthClientError.storeFailed(let reason) {
            return .savedWithoutAccessToken(reason)
        }
    }

    /// Replaces the user of the session whose generation is given; false when the slot holds another one.
    func save(_ user: User, generation: String) async throws -> Bool {
        switch await load() {
        case .unavailable(let reason): throw AuthClientError.storeUnavailable(reason)
        case .session(var session) where session.generation == generation:
            session.user = user
            try await write(session.refreshEntry, for: refreshKey)
            return true
        case .session, .absent, .damaged: return false
        }
    }

    /// Ends the session first, then clears what is left of it. Tries both, whatever happens to the first.
    func clear() async throws {
        var failure: (any Error)?
        for key in [refreshKey, accessKey] {
            do { try await storage.remove(key) } catch { failure = failure ?? error }
        }
        if let failure { throw AuthClientError.storeFailed(failure.shortText) }
    }

    private enum Generation: Equatable {
        case value(String?)
        case unavailable(String)
    }

    private func readGeneration() async -> Generation {
        switch await storage.read(refreshKey) {
        case .absent: .value(nil)
        case .unavailable(let reason): .unavailable(reason)
        case .value(let bytes): .value(StoredSession(refreshEntry: bytes)?.generation)
        }
    }

    private func write(_ bytes: [UInt8], for key: String) async throws {
        do {
            try await storage.write(bytes, for: key)
        } catch {
            throw AuthClientError.storeFailed(error.shortText)
        }
    }
}

extension StoredSession {
    fileprivate init?(refreshEntry bytes: [UInt8]) {
        // What is lost: why the entry cannot be read. Every caller answers "damaged" the same way.
        guard let json = try? JSONReader.read(bytes), let generation = json["generation"]?.stringValue,
            let lineage = json["lineage"]?.stringValue, let token = json["refresh_token"]?.stringValue,
            // The same is lost.
            let user = try? User(json: json["user"] ?? .null)
        else { return nil }
        self.init(generation: generation, lineage: lineage, refreshToken: token, user: user, access: nil)
    }

    fileprivate var refreshEntry: [UInt8] {
        let json: AnyJSON = [
            "generation": .string(generation), "lineage": .string(lineage), "refresh_token": .string(refreshToken),
            "user": user.json,
        ]
        return Array(json.text.utf8)
    }
}

extension StoredAccess {
    /// - Returns: nil for the token of another generation, and for bytes that hold none.
    fileprivate init?(entry bytes: [UInt8], generation: String) {
        // What is lost: an access token, which a refresh replaces.
        guard let json = try? JSONReader.read(bytes), json["generation"]?.stringValue == generation,
            // The same is lost.
            let members = try? WireMembers(json, path: "access"), let token = members.text("access_token"),
            let expiresIn = members.number("expires_in"), let expiresAt = members.number("expires_at"),
            let serverAhead = members.number("server_ahead")
        else { return nil }
        self.init(
            token: token, type: members.text("token_type") ?? "bearer", expiresIn: expiresIn, expiresAt: expiresAt,
            serverAhead: serverAhead)
    }

    fileprivate func entry(generation: String) -> [UInt8] {
        let json: AnyJSON = [
            "generation": .string(generation), "access_token": .string(token), "token_type": .string(type),
            "expires_in": .double(expiresIn), "expires_at": .double(expiresAt), "server_ahead": .double(serverAhead),
        ]
        return Array(json.text.utf8)
    }
}

extension Error {
    /// The kind and number of an error, without its text, which may hold an address.
    var shortText: String {
        if let problem = self as? SecretServiceProblem { return problem.reason }
        let error = self as NSError
        return "\(error.domain) \(error.code)"
    }
}
