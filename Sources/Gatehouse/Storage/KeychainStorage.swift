#if canImport(Security)
public import Foundation
import Security

/// The system's keychain, with one item per entry.
///
/// A locked device, a missing entitlement or any other read failure is "unavailable"; only `errSecItemNotFound` is
/// "absent".
public struct KeychainStorage: SecureStorage {
    /// When items can be read.
    public enum Accessibility: Hashable, Sendable {
        /// While the device is unlocked. Included in encrypted backups.
        case whenUnlocked
        /// While the device is unlocked. Never leaves this device.
        case whenUnlockedThisDeviceOnly
        /// After the first unlock, for apps that work in the background.
        case afterFirstUnlock
        /// After the first unlock. Never leaves this device.
        case afterFirstUnlockThisDeviceOnly

        var attribute: CFString {
            switch self {
            case .whenUnlocked: kSecAttrAccessibleWhenUnlocked
            case .whenUnlockedThisDeviceOnly: kSecAttrAccessibleWhenUnlockedThisDeviceOnly
            case .afterFirstUnlock: kSecAttrAccessibleAfterFirstUnlock
            case .afterFirstUnlockThisDeviceOnly: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            }
        }
    }

    private let service: String
    private let accessGroup: String?
    private let accessibility: Accessibility
    private let lock: FileLock?
    private let gate = SerialGate()

    /// Creates a store without accessing the keychain yet.
    ///
    /// - Parameters:
    ///   - service: Distinguishes the app's items from others.
    ///   - accessGroup: A group shared with the app's extensions; nil for the app's own.
    ///   - lockFolder: A folder in the app group's container if extensions use the same items, so that one process
    ///     refreshes at a time; nil if only this process uses them. The lock is held during a refresh's network call,
    ///     and iOS ends an app that it suspends while it holds a lock there (0xdead10cc). Code that may run in the
    ///     background must request tokens within `ProcessInfo.performExpiringActivity` or a background task.
    public init(
        service: String, accessGroup: String? = nil, accessibility: Accessibility = .whenUnlocked,
        lockFolder: URL? = nil, clock: ClientClock = SystemDefaults.clock()
    ) {
        self.service = service
        self.accessGroup = accessGroup
        self.accessibility = accessibility
        lock = lockFolder.map { FileLock(folder: SecretFolder(path: $0.path, now: clock.now), clock: clock) }
    }

    public func read(_ key: String) async -> StoredValue {
        var query = item(key)
        query[kSecReturnData as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        if status == errSecItemNotFound { return .absent }
        guard status == errSecSuccess else { return .unavailable(reason: "keychain \(status)") }
        guard let data = found as? Data else { return .unavailable(reason: "keychain: no data") }
        return .value(Array(data))
    }

    /// - Throws: An `NSOSStatusErrorDomain` error. The old value is then unchanged.
    public func write(_ bytes: [UInt8], for key: String) async throws {
        let values: [String: Any] = [
            kSecValueData as String: Data(bytes), kSecAttrAccessible as String: accessibility.attribute,
        ]
        let status = SecItemUpdate(item(key) as CFDictionary, values as CFDictionary)
        guard status == errSecItemNotFound else { return try check(status) }
        let added = SecItemAdd(item(key).merging(values) { _, new in new } as CFDictionary, nil)
        guard added == errSecDuplicateItem else { return try check(added) }
        // Another process added the item first.
        try check(SecItemUpdate(item(key) as CFDictionary, values as CFDictionary))
    }

    /// - Throws: An `NSOSStatusErrorDomain` error. The value then still exists.
    public func remove(_ key: String) async throws {
        let status = SecItemDelete(item(key) as CFDictionary)
        if status != errSecItemNotFound { try check(status) }
    }

    public func withLock<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        guard let lock else { return try await gate.run(body) }
        return try await lock.run(body)
    }

    private func item(_ key: String) -> [String: Any] {
        var item: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
            kSecAttrAccount as String: key, kSecUseDataProtectionKeychain as String: true,
        ]
        if let accessGroup { item[kSecAttrAccessGroup as String] = accessGroup }
        return item
    }

    private func check(_ status: OSStatus) throws {
        guard status == errSecSuccess else { throw NSError(domain: NSOSStatusErrorDomain, code: Int(status)) }
    }
}
#endif
