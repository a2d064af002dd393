#if canImport(Security)
public import Foundation
import Security

/// The system's keychain, with one item per entry.
///
/// - Only `errSecItemNotFound` is absent; any other failure is unavailable.
/// - Items stay on this device: two devices rotating one refresh token would look like theft. A device
///   restored from a backup starts signed out.
/// - A new installation starts signed out: its first access deletes items that iOS kept. An empty file in `lockFolder`,
///   or in Application Support, marks the installation, without backup. Not on tvOS, which keeps no such file.
/// - Only the app deletes earlier items. With a `lockFolder`, an extension's store is unavailable until the app has
///   used the folder.
public struct KeychainStorage: SecureStorage {
    private let storage: OutlivingStorage
    private let lock: FileLock?
    private let gate = SerialGate()

    /// Creates a store without accessing the keychain.
    ///
    /// - Parameters:
    ///   - service: Distinguishes the app's items.
    ///   - accessGroup: Shared with the app's extensions; nil for the app's own.
    ///   - lockFolder: A folder in the app group's container if extensions share the items, so that one process
    ///     refreshes at a time. iOS ends an app suspended with a lock there (0xdead10cc), so refreshes run in
    ///     `ProcessInfo.performExpiringActivity`; when its time is over, they are cancelled and later repeated. With an
    ///     `accessGroup` but no folder, several apps may share the items, so earlier ones are kept.
    public init(
        service: String, accessGroup: String? = nil, accessibility: KeychainAccessibility = .whenUnlockedThisDeviceOnly,
        lockFolder: URL? = nil, clock: ClientClock = SystemDefaults.clock()
    ) {
        let items = KeychainItems(service: service, accessGroup: accessGroup, accessibility: accessibility)
        let own = accessGroup == nil ? installationFolder() : nil
        let isApp = InstallationMarker.isApp(Bundle.main.bundleURL)
        storage = OutlivingStorage(
            OutlivingStorage.Entries(
                read: items.read, write: items.write, remove: items.remove, removeAll: items.removeAll),
            marker: InstallationMarker.container(shared: lockFolder, own: own, isApp: isApp).map { folder in
                InstallationMarker(
                    folder: folder.appendingPathComponent("Gatehouse", isDirectory: true), name: service,
                    excludeFromBackup: { url in
                        var (folder, values) = (url, URLResourceValues())
                        values.isExcludedFromBackup = true
                        try folder.setResourceValues(values)
                    })
            }, isOwner: isApp)
        lock = lockFolder.map { FileLock(folder: SecretFolder(path: $0.path, now: clock.now), clock: clock) }
    }

    public func read(_ key: String) async -> StoredValue { storage.read(key) }

    public func readNow(_ key: String) -> StoredValue? { storage.read(key) }

    /// Writes the item. `NSOSStatusErrorDomain` or file system errors leave the old value.
    public func write(_ bytes: [UInt8], for key: String) async throws { try storage.write(bytes, for: key) }

    /// Deletes the item. `NSOSStatusErrorDomain` or file system errors leave the value.
    public func remove(_ key: String) async throws { try storage.remove(key) }

    public func withLock<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        guard let lock else { return try await gate.run(body) }
        return try await lock.run(body)
    }
}

private struct KeychainItems: Sendable {
    let service: String
    let accessGroup: String?
    let accessibility: KeychainAccessibility

    func read(_ key: String) -> StoredValue {
        var query = item(key)
        query[kSecReturnData as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        if status == errSecItemNotFound { return .absent }
        guard status == errSecSuccess else { return .unavailable(StoreProblem(keychainStatus: status)) }
        guard let data = found as? Data else { return .unavailable("keychain: no data") }
        return .value(Array(data))
    }

    func write(_ bytes: [UInt8], _ key: String) throws {
        let values: [String: Any] = [
            kSecValueData as String: Data(bytes), kSecAttrAccessible as String: accessibility.attribute,
        ]
        let status = SecItemUpdate(item(key) as CFDictionary, values as CFDictionary)
        guard status == errSecItemNotFound else { return try check(status) }
        let added = SecItemAdd(item(key).merging(values) { _, new in new } as CFDictionary, nil)
        guard added == errSecDuplicateItem else { return try check(added) }
        // Another process added it first.
        try check(SecItemUpdate(item(key) as CFDictionary, values as CFDictionary))
    }

    func remove(_ key: String) throws { try delete(item(key)) }

    func removeAll() throws { try delete(items) }

    private func delete(_ query: [String: Any]) throws {
        let status = SecItemDelete(query as CFDictionary)
        if status != errSecItemNotFound { try check(status) }
    }

    private var items: [String: Any] {
        var items: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
            kSecUseDataProtectionKeychain as String: true,
        ]
        if let accessGroup { items[kSecAttrAccessGroup as String] = accessGroup }
        return items
    }

    private func item(_ key: String) -> [String: Any] {
        items.merging([kSecAttrAccount as String: key]) { _, new in new }
    }

    private func check(_ status: OSStatus) throws {
        guard status == errSecSuccess else { throw NSError(domain: NSOSStatusErrorDomain, code: Int(status)) }
    }
}

extension KeychainAccessibility {
    fileprivate var attribute: CFString {
        switch self {
        case .whenUnlocked: kSecAttrAccessibleWhenUnlocked
        case .whenUnlockedThisDeviceOnly: kSecAttrAccessibleWhenUnlockedThisDeviceOnly
        case .afterFirstUnlock: kSecAttrAccessibleAfterFirstUnlock
        case .afterFirstUnlockThisDeviceOnly: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        }
    }
}
#endif
