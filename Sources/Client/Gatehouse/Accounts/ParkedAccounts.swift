import Foundation

/// The device's accounts, except the one in use, in a store.
///
/// The session in use stays in the client's own slot. Each other account has a slot below `<key>.account.<user id>`, and
/// `<key>.accounts` lists all accounts, because a store cannot name its keys. Two rules make a crash between two writes
/// harmless:
///
/// - An account is listed before its slot is written, and stays listed until the slot is deleted. A listed account
///   without a slot is signed out.
/// - A session is copied before the original is replaced or deleted. If both exist, the client's own slot is the newer
///   one, and nothing ever uses the tokens of the other.
///
/// Every write happens under the store's lock, so that no refresh runs with the tokens of either slot.
struct ParkedAccounts: Sendable {
    let storage: any SecureStorage
    let key: String

    private var listKey: String { key + ".accounts" }

    func slot(_ id: UUID) -> SessionSlot {
        SessionSlot(storage: storage, key: "\(key).account.\(id.uuidString.lowercased())")
    }

    /// Returns the session of the account's slot. Another user's session there counts as damaged.
    func load(_ id: UUID) async -> SessionSlot.Content {
        let content = await slot(id).load()
        if case .session(let stored) = content, stored.user.id != id { return .damaged }
        return content
    }

    /// Returns the listed accounts as they were when they were listed; none if the list is unreadable.
    ///
    /// - Throws: ``AuthClientError/storeUnavailable(_:)``.
    func list() async throws -> [DeviceAccount] {
        // An account of an unreadable list is listed again by the next sign-in to it, which finds its slot.
        try await entries() ?? []
    }

    /// Returns the listed accounts.
    ///
    /// - Throws: ``AuthClientError/storeUnavailable(_:)``; ``AuthClientError/storeFailed(_:)`` if the list is
    ///   unreadable.
    func readableList() async throws -> [DeviceAccount] {
        guard let accounts = try await entries() else {
            throw AuthClientError.storeFailed("the list of accounts is unreadable")
        }
        return accounts
    }

    /// - Returns: nil if the list is unreadable.
    private func entries() async throws -> [DeviceAccount]? {
        switch await storage.read(listKey) {
        case .absent: return []
        case .unavailable(let problem): throw AuthClientError.storeUnavailable(problem)
        case .value(let bytes):
            // Ignored: the cause. The caller decides about an unreadable list.
            return (try? JSONReader.read(bytes))?.arrayValue?.compactMap(DeviceAccount.init(listed:))
        }
    }

    /// Lists the account that will be used, and moves the one in use to its own slot. Does not list a single account.
    ///
    /// - Throws: ``AuthClientError``: `storeUnavailable` or `storeFailed`; `tooManyAccounts` if as many are signed in as a
    ///   device may have.
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

    /// Deletes an account's slot, and then removes the account from the list.
    ///
    /// - Throws: ``AuthClientError/storeUnavailable(_:)`` or ``AuthClientError/storeFailed(_:)``. An account whose slot
    ///   could not be deleted stays listed.
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
    /// Keeps the place of an account that is listed.
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
