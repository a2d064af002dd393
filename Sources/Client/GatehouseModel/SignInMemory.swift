import Foundation
import Gatehouse

/// Remembers the last sign-in's method on this device, and the passkey offer, even after a sign-out.
///
/// ```swift
/// @Sendable func shared() -> UserDefaults? { UserDefaults(suiteName: "group.com.example.journal") }
/// let memory = SignInMemory(
///     read: { shared()?.string(forKey: "last-sign-in") }, keep: { shared()?.set($0, forKey: "last-sign-in") },
///     hasOfferedPasskey: { shared()?.bool(forKey: "passkey-offer") ?? false },
///     keepPasskeyOffer: { shared()?.set(true, forKey: "passkey-offer") })
/// ```
public struct SignInMemory: Sendable {
    let read: @Sendable () -> String?
    let keep: @Sendable (String) -> Void
    let hasOfferedPasskey: @Sendable () -> Bool
    let keepPasskeyOffer: @Sendable () -> Void

    /// Creates a custom memory that forgets the passkey offer when the process exits.
    ///
    /// - Parameters:
    ///   - read: Returns the last value immediately.
    ///   - keep: Stores a value immediately.
    public init(read: @escaping @Sendable () -> String?, keep: @escaping @Sendable (String) -> Void) {
        let wasOffered = Locked(false)
        self.init(read: read, keep: keep) {
            wasOffered.withLock { $0 }
        } keepPasskeyOffer: {
            wasOffered.withLock { $0 = true }
        }
    }

    /// Creates a custom memory. Its closures must return immediately.
    ///
    /// - Parameters:
    ///   - read: Returns the last value.
    ///   - keep: Stores a value.
    ///   - hasOfferedPasskey: Whether `keepPasskeyOffer` was called on this device.
    ///   - keepPasskeyOffer: Stores that a passkey was offered.
    public init(
        read: @escaping @Sendable () -> String?, keep: @escaping @Sendable (String) -> Void,
        hasOfferedPasskey: @escaping @Sendable () -> Bool, keepPasskeyOffer: @escaping @Sendable () -> Void
    ) {
        (self.read, self.keep) = (read, keep)
        (self.hasOfferedPasskey, self.keepPasskeyOffer) = (hasOfferedPasskey, keepPasskeyOffer)
    }

    /// A memory in the app's `UserDefaults`.
    public static var userDefaults: SignInMemory {
        let (key, offer) = ("gatehouse.last-sign-in", "gatehouse.passkey-offer")
        return SignInMemory {
            UserDefaults.standard.string(forKey: key)
        } keep: {
            UserDefaults.standard.set($0, forKey: key)
        } hasOfferedPasskey: {
            UserDefaults.standard.bool(forKey: offer)
        } keepPasskeyOffer: {
            UserDefaults.standard.set(true, forKey: offer)
        }
    }

    /// Returns a memory for tests and previews.
    public static func inMemory() -> SignInMemory {
        let value = Locked<String?>(nil)
        return SignInMemory {
            value.withLock { $0 }
        } keep: { method in
            value.withLock { $0 = method }
        }
    }
}
