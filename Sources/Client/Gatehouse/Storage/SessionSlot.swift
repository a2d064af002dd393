import Foundation

struct StoredSession: Hashable, Sendable {
    /// New for every write of tokens.
    var generation: String
    /// The same from sign-in to sign-out.
    var lineage: String
    var refreshToken: String
    var user: AuthUser
    /// nil if the second write failed.
    var access: StoredAccess?
    /// In the same entry as the refresh token, which is bound to it.
    var key: StoredKey?
}

struct StoredAccess: Hashable, Sendable {
    var token: String
    var type: String
    /// In seconds.
    var expiresIn: TimeInterval
    /// By the server's clock.
    var expiresAt: TimeInterval
    /// The server's clock minus the device's.
    var serverAhead: TimeInterval
}

/// A session's two entries in a store.
///
/// - `<key>.refresh-token` is the session: refresh token, user, generation and lineage, replaced atomically; written
///   first, deleted first.
/// - `<key>.access-token` is supplementary. After a crash between the writes its generation differs: it is ignored, and
///   the first call refreshes.
///
/// Generations are random, so that a sign-out and sign-in never look like "unchanged". Every write rereads the first
/// entry, and does nothing if that is unreadable or not the one to replace.
struct SessionSlot: Sendable {
    let storage: any SecureStorage
    let key: String

    var refreshKey: String { key + ".refresh-token" }
    var accessKey: String { key + ".access-token" }

    enum Content: Hashable, Sendable {
        case absent
        case unavailable(StoreProblem)
        /// No version of this code wrote these bytes.
        case damaged
        case session(StoredSession)
    }

    enum SaveResult: Hashable, Sendable {
        case saved
        case savedWithoutAccessToken(StoreProblem)
        /// The slot contains another session; nothing was written.
        case slotChanged
    }

    func load() async -> Content {
        let refresh = await storage.read(refreshKey)
        guard case .value = refresh else { return Content(refresh, access: .absent) }
        return Content(refresh, access: await storage.read(accessKey))
    }

    /// nil if the store cannot answer immediately.
    func loadNow() -> Content? {
        guard let refresh = storage.readNow(refreshKey) else { return nil }
        guard case .value = refresh else { return Content(refresh, access: .absent) }
        return storage.readNow(accessKey).map { Content(refresh, access: $0) }
    }

    /// - Parameter generation: The one to replace; nil for any or none.
    func save(_ session: StoredSession, replacing generation: String?) async throws -> SaveResult {
        let content = await readGeneration()
        if case .unavailable(let reason) = content { throw AuthClientError.storeUnavailable(reason) }
        if let generation, content != .value(generation) { return .slotChanged }
        try await write(session.refreshEntry, for: refreshKey)
        guard let access = session.access else { return .saved }
        if case .unavailable(let problem) = await storage.read(accessKey) {
            return .savedWithoutAccessToken(problem)
        }
        do {
            try await write(access.entry(generation: session.generation), for: accessKey)
            return .saved
        } catch AuthClientError.storeFailed(let problem) {
            return .savedWithoutAccessToken(problem)
        }
    }

    /// Returns false if the slot has another generation.
    func save(_ user: AuthUser, generation: String) async throws -> Bool {
        try await change(generation) { $0.user = user }
    }

    /// Returns false if the slot has another generation.
    func save(_ key: StoredKey, generation: String) async throws -> Bool {
        try await change(generation) { $0.key = key }
    }

    private func change(_ generation: String, _ change: (inout StoredSession) -> Void) async throws -> Bool {
        switch await load() {
        case .unavailable(let reason): throw AuthClientError.storeUnavailable(reason)
        case .session(var session) where session.generation == generation:
            change(&session)
            try await write(session.refreshEntry, for: refreshKey)
            return true
        case .session, .absent, .damaged: return false
        }
    }

    /// The session, then its access token, even if the first fails.
    func clear() async throws {
        var failure: (any Error)?
        for key in [refreshKey, accessKey] {
            do { try await storage.remove(key) } catch { failure = failure ?? error }
        }
        if let failure { throw AuthClientError.storeFailed(StoreProblem(failure)) }
    }

    func clear(_ lineages: [String]) async throws {
        switch await load() {
        case .session(let stored) where lineages.contains(stored.lineage): try await clear()
        // The session may be stored again.
        case .unavailable(let problem): throw AuthClientError.storeFailed(problem)
        case .session, .absent, .damaged: break
        }
    }

    private enum Generation: Equatable {
        case value(String?)
        case unavailable(StoreProblem)
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
            throw AuthClientError.storeFailed(StoreProblem(error))
        }
    }
}

extension AuthSession {
    /// For an app's tests.
    package func entries(below key: String) -> [String: [UInt8]] {
        let slot = SessionSlot(storage: MemoryStorage(), key: key)
        let access = StoredAccess(
            token: accessToken, type: tokenType, expiresIn: expiresIn, expiresAt: expiresAt, serverAhead: 0)
        let stored = StoredSession(
            generation: "stored", lineage: "stored", refreshToken: refreshToken, user: user, access: access)
        return [
            slot.refreshKey: stored.refreshEntry, slot.accessKey: access.entry(generation: stored.generation),
        ]
    }
}

extension SessionSlot.Content {
    fileprivate init(_ refresh: StoredValue, access: StoredValue) {
        switch (refresh, access) {
        case (.absent, _): self = .absent
        case (.unavailable(let problem), _): self = .unavailable(problem)
        case (.value(let bytes), _):
            guard var session = StoredSession(refreshEntry: bytes) else {
                self = .damaged
                return
            }
            switch access {
            case .absent: break
            case .unavailable(let problem):
                self = .unavailable(problem)
                return
            case .value(let bytes): session.access = StoredAccess(entry: bytes, generation: session.generation)
            }
            self = .session(session)
        }
    }
}

extension StoredSession {
    fileprivate init?(refreshEntry bytes: [UInt8]) {
        // Ignored: an unreadable entry is damage.
        guard let json = try? JSONReader.read(bytes), let generation = json["generation"]?.stringValue,
            let lineage = json["lineage"]?.stringValue, let token = json["refresh_token"]?.stringValue,
            // Ignored: as above.
            let user = try? AuthUser(json: json["user"] ?? .null)
        else { return nil }
        self.init(
            generation: generation, lineage: lineage, refreshToken: token, user: user, access: nil,
            key: json["key"].flatMap(StoredKey.init))
    }

    fileprivate var refreshEntry: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("generation", generation)
        writer.member("lineage", lineage)
        writer.member("refresh_token", refreshToken)
        writer.name("user")
        user.write(to: &writer)
        if let key { writer.member("key", key.json) }
        writer.endObject()
        return writer.bytes
    }
}

extension StoredAccess {
    /// nil for another generation, or invalid bytes or times.
    fileprivate init?(entry bytes: [UInt8], generation: String) {
        // Ignored: a refresh replaces it.
        guard let json = try? JSONReader.read(bytes), json["generation"]?.stringValue == generation,
            // Ignored: as above.
            let members = try? WireMembers(json, path: "access"), let token = members.text("access_token"),
            let expiresIn = members.number("expires_in"), let expiresAt = members.number("expires_at"),
            let serverAhead = members.number("server_ahead"), WireMembers.lifetimes.contains(expiresIn),
            WireMembers.times.contains(expiresAt), WireMembers.times.contains(abs(serverAhead))
        else { return nil }
        self.init(
            token: token, type: members.text("token_type") ?? "bearer", expiresIn: expiresIn, expiresAt: expiresAt,
            serverAhead: serverAhead)
    }

    fileprivate func entry(generation: String) -> [UInt8] {
        let json: AuthJSON = [
            "generation": .string(generation), "access_token": .string(token), "token_type": .string(type),
            "expires_in": .double(expiresIn), "expires_at": .double(expiresAt), "server_ahead": .double(serverAhead),
        ]
        return Array(json.text.utf8)
    }
}

extension Error {
    /// The full text may contain a URL.
    package var shortText: String {
        if let problem = self as? StoreProblem { return problem.detail }
        let error = self as NSError
        return "\(error.domain) \(error.code)"
    }
}
