import Foundation

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
    ///   - notice: Called once, on the first use of a file.
    public static func make(
        name: String, environment: [String: String], clock: ClientClock = SystemDefaults.clock(),
        notice: @escaping @Sendable (StorageNotice) -> Void = { _ in }
    ) -> any SecureStorage {
        systemKeychain(service: name, clock: clock)
            ?? FileStorage(
                folder: FileStorage.userFolder(name: name, environment: environment), clock: clock, notice: notice)
    }
}
