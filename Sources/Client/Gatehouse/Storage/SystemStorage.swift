import Foundation

/// When items in Apple's keychain can be read.
public enum KeychainAccessibility: Hashable, Sendable {
    /// While the device is unlocked. Encrypted backups carry items to other devices, where the first access deletes them.
    case whenUnlocked
    /// While the device is unlocked. Never leaves this device.
    case whenUnlockedThisDeviceOnly
    /// After the first unlock, for apps that work in the background. Encrypted backups carry items to other devices, where the
    /// first access deletes them.
    case afterFirstUnlock
    /// After the first unlock, for apps that work in the background. Never leaves this device.
    case afterFirstUnlockThisDeviceOnly
}

/// The default store: the keychain on Apple's systems, files elsewhere. `DesktopStorage` of GatehouseDesktop also uses a
/// Linux desktop's Secret Service.
public enum SystemStorage {
    /// Creates the store without accessing anything yet.
    ///
    /// ```swift
    /// let environment = ProcessInfo.processInfo.environment
    /// let storage = SystemStorage.make(name: "com.example.app", environment: environment)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The app's name, such as `com.example.app`; ASCII letters, digits, `.` and `-`.
    ///   - environment: The process's environment.
    ///   - accessibility: When items in the keychain can be read. An app that a push or a background task wakes on a locked
    ///     phone needs `afterFirstUnlockThisDeviceOnly`. Files can always be read.
    ///   - notice: Called once, on the first use of a file.
    public static func make(
        name: String, environment: [String: String], clock: ClientClock = SystemDefaults.clock(),
        accessibility: KeychainAccessibility = .whenUnlockedThisDeviceOnly,
        notice: @escaping @Sendable (StorageNotice) -> Void = { _ in }
    ) -> any SecureStorage {
        systemKeychain(service: name, accessibility: accessibility, clock: clock)
            ?? FileStorage(
                folder: FileStorage.userFolder(name: name, environment: environment), clock: clock, notice: notice)
    }
}
