import Foundation

/// When Apple's keychain items are readable.
public enum KeychainAccessibility: Hashable, Sendable {
    /// While the device is unlocked. Encrypted backups carry items to other devices, where the first access deletes
    /// them.
    case whenUnlocked
    /// While the device is unlocked. Items stay on this device.
    case whenUnlockedThisDeviceOnly
    /// After the first unlock, for work in the background. Backups as with ``whenUnlocked``.
    case afterFirstUnlock
    /// After the first unlock, for work in the background. Items stay on this device.
    case afterFirstUnlockThisDeviceOnly
}

/// The default store: the keychain on Apple's systems, files elsewhere. `DesktopStorage` of GatehouseDesktop adds the
/// Secret Service of Linux desktops.
public enum SystemStorage {
    /// Creates the store without accessing anything.
    ///
    /// ```swift
    /// let environment = ProcessInfo.processInfo.environment
    /// let storage = SystemStorage.make(name: "com.example.app", environment: environment)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The app's name, such as `com.example.app`; ASCII letters, digits, `.` and `-`.
    ///   - environment: The process's environment.
    ///   - accessibility: Apps that a push or background task wakes on a locked phone need
    ///     `afterFirstUnlockThisDeviceOnly`. Files are always readable.
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
