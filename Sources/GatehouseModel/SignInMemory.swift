import Foundation
import Gatehouse

/// Remembers the method of the last sign-in on this device, and whether the user was asked to add a passkey. Holds no personal data, and outlives
/// a sign-out.
public struct SignInMemory: Sendable {
    let read: @Sendable () -> String?
    let keep: @Sendable (String) -> Void
    /// Whether the user was asked to add a passkey. Until the process ends, unless ``userDefaults`` keeps it.
    var hasOfferedPasskey: @Sendable () -> Bool
    var keepPasskeyOffer: @Sendable () -> Void

    /// Creates a memory of the app's own.
    ///
    /// - Parameters:
    ///   - read: Returns the last value, at once; nil without one.
    ///   - keep: Stores a value. Must return immediately.
    public init(read: @escaping @Sendable () -> String?, keep: @escaping @Sendable (String) -> Void) {
        (self.read, self.keep) = (read, keep)
        let wasOffered = Locked(false)
        hasOfferedPasskey = { wasOffered.withLock { $0 } }
        keepPasskeyOffer = { wasOffered.withLock { $0 = true } }
    }

    /// In the app's `UserDefaults`.
    public static var userDefaults: SignInMemory {
        let (key, offer) = ("gatehouse.last-sign-in", "gatehouse.passkey-offer")
        var memory = SignInMemory {
            UserDefaults.standard.string(forKey: key)
        } keep: {
            UserDefaults.standard.set($0, forKey: key)
        }
        memory.hasOfferedPasskey = { UserDefaults.standard.bool(forKey: offer) }
        memory.keepPasskeyOffer = { UserDefaults.standard.set(true, forKey: offer) }
        return memory
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
