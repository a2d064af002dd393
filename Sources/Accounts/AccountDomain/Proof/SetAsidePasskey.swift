package import GatehouseWire

/// The ticket for a correct but set-aside passkey, which an emailed code restores. Encrypted, not stored.
package struct SetAsidePasskey: Equatable, Sendable {
    package let id: PasskeyID
    package let user: UserID
    package let expiresAt: Instant

    /// The time for the code to arrive.
    package static let lifetime: Duration = .seconds(600)
    private static let name = "set-aside passkey"

    package init(id: PasskeyID, user: UserID, at now: Instant) {
        (self.id, self.user, expiresAt) = (id, user, now + Self.lifetime)
    }

    /// - Parameter nonce: 12 random bytes.
    package func ticket(_ secrets: ServerSecrets, nonce: [UInt8]) throws -> Secret {
        let time = (0..<8).map { UInt8(truncatingIfNeeded: expiresAt.microseconds >> (56 - 8 * Int64($0))) }
        return Secret(Base64URL.text(try secrets.seal(id.bytes + user.bytes + time, name: Self.name, nonce: nonce)))
    }

    /// - Returns: nil for an expired ticket, or another server's.
    package init?(ticket: Secret, _ secrets: ServerSecrets, at now: Instant) {
        guard ticket.utf8Count <= 128, let sealed = Base64URL.decode(ticket.reveal()),
            // Ignored: other text is not one of our tickets.
            let bytes = try? secrets.open(sealed, name: Self.name), bytes.count == 40
        else { return nil }
        id = PasskeyID(bytes: Array(bytes[0..<16]))
        user = UserID(bytes: Array(bytes[16..<32]))
        expiresAt = Instant(microseconds: bytes[32...].reduce(Int64(0)) { $0 << 8 | Int64($1) })
        guard now < expiresAt, expiresAt <= now + Self.lifetime else { return nil }
    }
}

extension Passkey {
    package func restoration(at now: Instant) -> SetAsidePasskey { SetAsidePasskey(id: id, user: user, at: now) }
}
