import Foundation

/// The device's accounts in a store, except the one in use.
///
/// The session in use stays in the client's own slot. Each other account has the slot `<key>.account.<user id>`, and
/// `<key>.accounts` lists all, because a store cannot name its keys. Two rules make crashes between writes harmless:
///
/// - An account is listed before its slot is written, and until its slot is deleted. Without a slot it is signed out.
/// - A session is copied before the original is replaced or deleted. If both exist, the client's own slot is newer.
///
/// Every write holds the store's lock, so no refresh uses either slot's tokens.
struct ParkedAccounts: Sendable {
    let storage: any SecureStorage
    let key: String

    private var listKey: String { key + ".accounts" }

    func slot(_ id: UUID) -> SessionSlot {
        SessionSlot(storage: storage, key: "\(key).account.\(id.uuidString.lowercased())")
    }

    /// Another user's session in the slot is damage.
    func load(_ id: UUID) async -> SessionSlot.Content {
        let content = await slot(id).load()
        if case .session(let stored) = content, stored.user.id != id { return .damaged }
        return content
    }

    /// Empty if unreadable.
    func list() async throws -> [DeviceAccount] {
        // The next sign-in to an account lists it again.
        try await entries() ?? []
    }

    /// Throws `storeFailed` if unreadable.
    func readableList() async throws -> [DeviceAccount] {
        guard let accounts = try await entries() else {
            throw AuthClientError.storeFailed("the list of accounts is unreadable")
        }
        return accounts
    }

    /// nil if the list is unreadable.
    private func entries() async throws -> [DeviceAccount]? {
        switch await storage.read(listKey) {
        case .absent: return []
        case .unavailable(let problem): throw AuthClientError.storeUnavailable(problem)
        case .value(let bytes):
            // Ignored: the caller decides.
            return (try? JSONReader.read(bytes))?.arrayValue?.compactMap(DeviceAccount.init(listed:))
        }
    }

    /// Lists the next account, unless it is the only one, and moves the current one to its own slot.
    func park(_ leaving: StoredSession?, for next: AuthUser) async throws {
        let before = try await list()
        guard leaving != nil || !before.isEmpty else { return }
        var accounts = before
        if let leaving { accounts.put(leaving.user) }
        if !next.isAnonymous { accounts.put(next) }
        let used = [leaving?.user.id, next.id]
        for account in before where accounts.count > DeviceAccount.limit && !used.contains(account.id) {
            if await load(account.id) == .absent { accounts.removeAll { $0.id == account.id } }
        }
        guard accounts.count <= DeviceAccount.limit else { throw AuthClientError.tooManyAccounts }
        if accounts != before { try await write(accounts) }
        if let leaving { _ = try await slot(leaving.user.id).save(leaving, replacing: nil) }
    }

    /// Deletes the slot, then the entry. If the slot cannot be deleted, the entry stays.
    func remove(_ id: UUID) async throws {
        try await slot(id).clear()
        let before = try await list()
        let accounts = before.filter { $0.id != id }
        if accounts != before { try await write(accounts) }
    }

    private func write(_ accounts: [DeviceAccount]) async throws {
        do {
            if accounts.isEmpty { return try await storage.remove(listKey) }
            try await storage.write(Array(AuthJSON.array(accounts.map(\.listed)).text.utf8), for: listKey)
        } catch {
            throw AuthClientError.storeFailed(StoreProblem(error))
        }
    }
}

extension Array where Element == DeviceAccount {
    /// Keeps a listed account's place.
    fileprivate mutating func put(_ user: AuthUser) {
        let account = DeviceAccount(user, .signedOut)
        if let index = firstIndex(where: { $0.id == user.id }) { self[index] = account } else { append(account) }
    }
}

extension DeviceAccount {
    fileprivate init?(listed json: AuthJSON) {
        guard let id = json["id"]?.stringValue.flatMap(UUID.init(uuidString:)) else { return nil }
        self.init(id: id, email: json["email"]?.stringValue, name: json["name"]?.stringValue, state: .signedOut)
    }

    fileprivate var listed: AuthJSON {
        var members: AuthJSONObject = ["id": .string(id.uuidString.lowercased())]
        members["email"] = email.map(AuthJSON.string)
        members["name"] = name.map(AuthJSON.string)
        return .object(members)
    }
}
