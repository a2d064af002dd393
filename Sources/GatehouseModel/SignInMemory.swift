import Foundation
import Gatehouse

/// Remembers the method of the last sign-in on this device, for the login screen. Holds no personal data, and outlives
/// a sign-out.
public struct SignInMemory: Sendable {
    let read: @Sendable () -> String?
    let keep: @Sendable (String) -> Void

    /// Creates a memory of the app's own.
    ///
    /// - Parameters:
    ///   - read: Returns the last value, at once; nil without one.
    ///   - keep: Stores a value. Must return immediately.
    public init(read: @escaping @Sendable () -> String?, keep: @escaping @Sendable (String) -> Void) {
        (self.read, self.keep) = (read, keep)
    }

    /// In the app's `UserDefaults`.
    public static var userDefaults: SignInMemory {
        let key = "gatehouse.last-sign-in"
        return SignInMemory {
            UserDefaults.standard.string(forKey: key)
        } keep: {
            UserDefaults.standard.set($0, forKey: key)
        }
    }

    /// Until the process ends, for tests and previews.
    public static func inMemory() -> SignInMemory {
        let value = Locked<String?>(nil)
        return SignInMemory {
            value.withLock { $0 }
        } keep: { method in
            value.withLock { $0 = method }
        }
    }
}
