import AccountDomain
import GatehouseWire
import SQLDatabase

extension LinkStore {
    static let flowSeal = "flow"
    static let ticketSeal = "link ticket"

    /// - Parameter digest: The digest of the row's token. The sealed content opens only in this row.
    func seal(_ content: AnyJSON, as name: String, _ digest: [UInt8]) throws -> [UInt8] {
        try secrets.seal(Array(content.text.utf8), name: Self.sealName(name, digest), nonce: randomBytes(12))
    }

    /// - Throws: ``UnknownServerSecret`` if the content was sealed under a secret that the configuration lacks.
    func unseal(_ sealed: [UInt8], as name: String, _ digest: [UInt8]) throws -> AnyJSON {
        try JSONReader.read(try secrets.open(sealed, name: Self.sealName(name, digest)))
    }

    static func sealName(_ name: String, _ digest: [UInt8]) -> String {
        "\(name) \(Base64URL.text(digest))"
    }
}

/// Tables whose rows expire and are then deleted.
enum ExpiringRows: CaseIterable, Sendable {
    case flows, codes, tickets, undos, notices, idTokens, revocations, oneTimeTokens, devices, deliveries, challenges,
        factors, passkeyChallenges

    /// Codes are kept an hour longer than they are valid, to tell late codes from unknown ones.
    static let codesStay: Duration = .seconds(3_600)
    /// Used challenges and ID tokens are kept an hour longer than they are valid: on a node whose clock is behind they
    /// are valid for longer.
    static let usesStay: Duration = .seconds(3_600)
    /// Longer than a provider's notification is accepted.
    static let noticesStay: Duration = .seconds(8 * 86_400)
}

extension Connection {
    /// Deletes expired rows during an insert: up to 20 per new row, so that they do not accumulate.
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
        case .devices: try removeOldDevices(at: now, limit: limit)
        case .deliveries: try endExpiredDeliveries(at: now, limit: limit)
        case .challenges: try removeOldChallenges(at: now, limit: limit)
        case .factors: try removeUnverified(at: now, limit: limit)
        case .idTokens, .passkeyChallenges: try removeUsed(rows, at: now, limit: limit)
        case .notices, .revocations, .oneTimeTokens: try removeOutlived(rows, at: now, limit: limit)
        }
    }

    /// Deletes rows whose only purpose is to record that something happened.
    private func removeOutlived(_ rows: ExpiringRows, at now: Instant, limit: Int) throws -> Int {
        switch rows {
        case .notices:
            try run(
                """
                DELETE FROM provider_notices WHERE digest IN (
                    SELECT digest FROM provider_notices WHERE received_at <= \(now - ExpiringRows.noticesStay)
                    ORDER BY received_at LIMIT \(limit) \(.skippingLocked))
                """)
        case .revocations:
            try run(
                """
                DELETE FROM revocations WHERE id IN (
                    SELECT id FROM revocations WHERE noted_at <= \(now - SessionStore.revocationsStay)
                    ORDER BY noted_at LIMIT \(limit) \(.skippingLocked))
                """)
        case .oneTimeTokens:
            try run(
                """
                DELETE FROM one_time_tokens WHERE digest IN (
                    SELECT digest FROM one_time_tokens WHERE expires_at <= \(now)
                    ORDER BY expires_at LIMIT \(limit) \(.skippingLocked))
                """)
        case .flows, .codes, .tickets, .undos, .devices, .deliveries, .challenges, .factors, .idTokens,
            .passkeyChallenges:
            0
        }
    }

    /// Deletes records of what counts once.
    private func removeUsed(_ rows: ExpiringRows, at now: Instant, limit: Int) throws -> Int {
        let end = now - ExpiringRows.usesStay
        return if rows == .idTokens {
            try run(
                """
                DELETE FROM used_id_tokens WHERE digest IN (
                    SELECT digest FROM used_id_tokens WHERE expires_at <= \(end)
                    ORDER BY expires_at LIMIT \(limit) \(.skippingLocked))
                """)
        } else {
            try run(
                """
                DELETE FROM used_passkey_challenges WHERE id IN (
                    SELECT id FROM used_passkey_challenges WHERE expires_at <= \(end)
                    ORDER BY expires_at LIMIT \(limit) \(.skippingLocked))
                """)
        }
    }
}
