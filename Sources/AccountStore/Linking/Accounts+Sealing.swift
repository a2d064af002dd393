import AccountDomain
import GatehouseWire
import SQLDatabase

extension Accounts {
    /// - Parameter digest: Of the token that finds the row: what is sealed opens in its own row only.
    func seal(_ content: AnyJSON, as name: String, _ digest: [UInt8]) throws -> [UInt8] {
        try secrets.seal(Array(content.text.utf8), name: Self.sealName(name, digest), nonce: randomBytes(12))
    }

    /// - Throws: ``UnknownServerSecret`` when it was sealed under a secret that the configuration lacks.
    func unseal(_ sealed: [UInt8], as name: String, _ digest: [UInt8]) throws -> AnyJSON {
        try JSONReader.read(try secrets.open(sealed, name: Self.sealName(name, digest)))
    }

    private static func sealName(_ name: String, _ digest: [UInt8]) -> String {
        "\(name) \(Base64URL.text(digest))"
    }
}

/// What runs out by itself and is then removed.
enum ExpiringRows: CaseIterable, Sendable {
    case flows, codes, tickets, undos, notices, idTokens, revocations

    /// An hour more than a code is good for, so that late ones are told from unknown ones.
    static let codesStay: Duration = .seconds(3_600)
    /// Longer than a provider's notification is accepted.
    static let noticesStay: Duration = .seconds(8 * 86_400)
}

extension Connection {
    /// Removes rows that have run out, in passing: 20 for one that is added, so they never pile up.
    @discardableResult
    func removeExpired(from rows: ExpiringRows, at now: Instant, limit: Int = 20) throws -> Int {
        switch rows {
        case .flows:
            try run(
                """
                DELETE FROM flow_states WHERE digest IN (
                    SELECT digest FROM flow_states WHERE expires_at <= \(now)
                    ORDER BY expires_at LIMIT \(limit) \(.skippingLocked))
                """)
        case .codes:
            try run(
                """
                DELETE FROM authorization_codes WHERE digest IN (
                    SELECT digest FROM authorization_codes WHERE expires_at <= \(now - ExpiringRows.codesStay)
                    ORDER BY expires_at LIMIT \(limit) \(.skippingLocked))
                """)
        case .tickets:
            try run(
                """
                DELETE FROM link_tickets WHERE digest IN (
                    SELECT digest FROM link_tickets WHERE expires_at <= \(now)
                    ORDER BY expires_at LIMIT \(limit) \(.skippingLocked))
                """)
        case .undos:
            try run(
                """
                DELETE FROM link_undos WHERE identity_id IN (
                    SELECT identity_id FROM link_undos WHERE until <= \(now)
                    ORDER BY until LIMIT \(limit) \(.skippingLocked))
                """)
        case .notices, .idTokens, .revocations: try removeOutlived(rows, at: now, limit: limit)
        }
    }

    /// Rows that only say that something was.
    private func removeOutlived(_ rows: ExpiringRows, at now: Instant, limit: Int) throws -> Int {
        switch rows {
        case .notices:
            try run(
                """
                DELETE FROM provider_notices WHERE digest IN (
                    SELECT digest FROM provider_notices WHERE received_at <= \(now - ExpiringRows.noticesStay)
                    ORDER BY received_at LIMIT \(limit) \(.skippingLocked))
                """)
        case .idTokens:
            try run(
                """
                DELETE FROM used_id_tokens WHERE digest IN (
                    SELECT digest FROM used_id_tokens WHERE expires_at <= \(now)
                    ORDER BY expires_at LIMIT \(limit) \(.skippingLocked))
                """)
        case .revocations:
            try run(
                """
                DELETE FROM revocations WHERE id IN (
                    SELECT id FROM revocations WHERE noted_at <= \(now - Accounts.revocationsStay)
                    ORDER BY noted_at LIMIT \(limit) \(.skippingLocked))
                """)
        case .flows, .codes, .tickets, .undos: 0
        }
    }
}
