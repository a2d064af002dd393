package import GatehouseWire

package struct Factor: Sendable {
    /// Raw values are stored and sent.
    package enum Kind: String, CaseIterable, Sendable {
        /// RFC 6238.
        case totp
        /// A security key, separate from passkeys.
        case webAuthn = "webauthn"
        /// A code by text message.
        case phone
        /// Replace lost factors. An account has at most one set.
        case recoveryCodes = "recovery_code"

        package var method: AuthenticationMethod {
            switch self {
            case .totp: .totp
            case .webAuthn: .webAuthnFactor
            case .phone: .phoneFactor
            case .recoveryCodes: .recoveryCode
            }
        }
    }

    package var id: FactorID
    package var user: UserID
    package var kind: Kind
    /// Whether its owner has used it. Until then it protects nothing.
    package var isVerified: Bool
    /// May be empty. Compared as bytes.
    package var name: String
    package var createdAt: Instant
    package var updatedAt: Instant
    package var lastChallengedAt: Instant?
    /// Of a verified WebAuthn factor.
    package var authenticatorModel: String?
    /// In E.164 without the plus sign; nil for other kinds.
    package var phone: String?
    /// When an administrator's removal takes effect.
    package var removalAt: Instant?

    package init(id: FactorID, user: UserID, kind: Kind, isVerified: Bool = false, name: String, at now: Instant) {
        self.id = id
        self.user = user
        self.kind = kind
        self.isVerified = isVerified
        self.name = name
        createdAt = now
        updatedAt = now
    }

    package static let longestName = 200

    /// Names that Unicode considers equivalent may differ.
    package func hasName(_ other: String) -> Bool { name.utf8.elementsEqual(other.utf8) }
}

package typealias FactorID = Identifier<Factor>

/// Used up by one response.
package struct FactorChallenge: Sendable {
    package let id: ChallengeID
    package let expiresAt: Instant

    package init(id: ChallengeID, expiresAt: Instant) { (self.id, self.expiresAt) = (id, expiresAt) }
}

package typealias ChallengeID = Identifier<FactorChallenge>

extension [Factor] {
    /// Whether a session without a second factor may do less: see ``SensitiveChange``.
    package var protect: Bool { contains(where: \.isVerified) }

    /// The API's array; nil if empty.
    package var shown: String? {
        guard !isEmpty else { return nil }
        var writer = JSONWriter(capacity: 256 * count)
        writer.beginArray()
        for factor in self { factor.write(to: &writer) }
        writer.endArray()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension Factor {
    /// In Supabase Auth's format.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id.text)
        writer.member("created_at", createdAt)
        writer.member("updated_at", updatedAt)
        writer.member("status", isVerified ? "verified" : "unverified")
        writer.member("friendly_name", ifPresent: name.isEmpty ? nil : name)
        writer.member("factor_type", kind.rawValue)
        writer.member("phone", phone ?? "")
        writer.name("last_challenged_at")
        if let lastChallengedAt { writer.value(lastChallengedAt) } else { writer.null() }
        writer.member("web_authn_aaguid", ifPresent: authenticatorModel)
        writer.member("removal_at", ifPresent: removalAt)
        writer.endObject()
    }
}
