import Crypto
import Foundation

/// A P-256 key that signs a session's proofs.
package protocol DeviceKey: Sendable {
    /// The public point's x and y, 32 bytes each.
    var coordinates: [UInt8] { get }
    /// ECDSA with SHA-256: r and s, 32 bytes each.
    func signature(of bytes: [UInt8]) throws(KeyProblem) -> [UInt8]
}

package enum KeyProblem: Error {
    /// Made by another device, reset, or unreadable.
    case gone
    /// A retry may succeed.
    case unavailable(StoreProblem)
}

extension DeviceKey {
    /// RFC 7518 §6.2.1.
    var members: AuthJSONObject {
        ["kty": "EC", "crv": "P-256", "x": .string(x), "y": .string(y)]
    }

    /// RFC 7638 §3.
    package var thumbprint: String {
        let text = #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
        return Base64URL.text(Array(SHA256.hash(data: Array(text.utf8))))
    }

    private var x: String { Base64URL.text(Array(coordinates.prefix(32))) }
    private var y: String { Base64URL.text(Array(coordinates.suffix(32))) }
}

/// A session's key in the store.
package struct StoredKey: Sendable {
    package enum Kind: String, Sendable {
        /// Only the Secure Enclave that made the key can use it.
        case enclave
        case software
    }

    package let kind: Kind
    /// RFC 7638, with SHA-256.
    package let thumbprint: String
    package let wrapped: Secret
    /// True if the newest access token names the key.
    package var isBound = false

    package init(_ kind: Kind, _ key: some DeviceKey, wrapped: Secret) {
        (self.kind, self.thumbprint, self.wrapped) = (kind, key.thumbprint, wrapped)
    }
}

extension StoredKey: Hashable {
    package static func == (left: Self, right: Self) -> Bool {
        left.kind == right.kind && left.thumbprint == right.thumbprint && left.isBound == right.isBound
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(thumbprint) }
}

extension StoredKey {
    /// nil if no version of this code wrote it.
    init?(json: AuthJSON) {
        guard let kind = json["kind"]?.stringValue.flatMap(Kind.init), let text = json["wrapped"]?.stringValue,
            let thumbprint = json["thumbprint"]?.stringValue
        else { return nil }
        (self.kind, self.thumbprint, wrapped) = (kind, thumbprint, Secret(text))
        isBound = json["is_bound"]?.boolValue ?? false
    }

    var json: AuthJSON {
        [
            "kind": .string(kind.rawValue), "thumbprint": .string(thumbprint), "wrapped": .string(wrapped.reveal()),
            "is_bound": .bool(isBound),
        ]
    }

    /// As the access token says (RFC 7800 §3.1).
    func bound(by accessToken: String) -> StoredKey {
        var key = self
        key.isBound = AccessTokenClaims(accessToken)?.keyThumbprint == thumbprint
        return key
    }
}
