/// The source of the keys that sessions are bound to ([RFC 9449](https://www.rfc-editor.org/rfc/rfc9449)). A bound
/// session's refresh token is useless without its key. Supabase and older servers ignore the proofs.
public enum SessionKeys: Hashable, Sendable {
    /// The Secure Enclave on devices that have one, otherwise ``software``.
    case automatic
    /// Keys stored with the session, which a copy of the store contains.
    case software
    /// New sessions have no key. Bound sessions keep theirs.
    case off
}

/// Creates and opens this device's keys.
package struct DeviceKeys: Sendable {
    /// nil for no key.
    package var make: @Sendable () -> StoredKey?
    package var open: @Sendable (StoredKey) throws(KeyProblem) -> any DeviceKey

    package init(
        make: @escaping @Sendable () -> StoredKey?,
        open: @escaping @Sendable (StoredKey) throws(KeyProblem) -> any DeviceKey
    ) {
        self.make = make
        self.open = open
    }
}

extension DeviceKeys {
    package init(_ source: SessionKeys, randomBytes: @escaping @Sendable (Int) -> [UInt8]) {
        self.init(
            make: {
                switch source {
                case .automatic: makeEnclaveKey() ?? SoftwareKey.make(randomBytes)
                case .software: SoftwareKey.make(randomBytes)
                case .off: nil
                }
            },
            open: { stored throws(KeyProblem) in
                switch stored.kind {
                case .enclave: try openEnclaveKey(stored)
                case .software: try SoftwareKey(stored)
                }
            })
    }
}

/// A key with its stored form.
struct OpenKey: Sendable {
    let stored: StoredKey
    let signer: any DeviceKey
}
