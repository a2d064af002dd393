package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// Linking the identity again needs a confirmation.
package struct TransferredRemoval: Sendable {
    package let provider: String
    package let providerID: String
    package let kind: LinkRemoval
    /// Whether the address's first proof removed it, not its owner.
    package let isByProof: Bool
    package let at: Instant

    package init(provider: String, providerID: String, kind: LinkRemoval, isByProof: Bool, at: Instant) {
        (self.provider, self.providerID, self.kind) = (provider, providerID, kind)
        (self.isByProof, self.at) = (isByProof, at)
    }
}

extension Connection {
    /// Oldest first. A set-aside identity is a removal by the first proof.
    func removals(from first: UserID, through last: UserID) throws -> [UserID: [TransferredRemoval]] {
        let rows = try rows(
            """
            SELECT user_id, provider, provider_id, kind, by_proof, created_at FROM link_removals
            WHERE user_id >= \(first) AND user_id <= \(last)
            UNION ALL
            SELECT user_id, provider, provider_id, 'unlinked', 1, set_aside_at FROM identities
            WHERE user_id >= \(first) AND user_id <= \(last) AND set_aside_at IS NOT NULL
            ORDER BY 1, 6, 2, 3
            """
        ) { row in
            (
                user: row.id() as UserID,
                removal: TransferredRemoval(
                    provider: row.text(), providerID: row.text(), kind: LinkRemoval(text: row.text()) ?? .unlinked,
                    isByProof: row.bool(), at: row.instant())
            )
        }
        return Dictionary(grouping: rows, by: \.user).mapValues { $0.map(\.removal) }
    }

    func insert(_ removals: [TransferredRemoval], of account: Account) throws {
        for removal in removals where !account.has(removal) {
            try run(
                """
                INSERT INTO link_removals (provider, provider_id, user_id, kind, by_proof, created_at)
                VALUES (\(removal.provider), \(removal.providerID), \(account.user.id), \(removal.kind.rawValue),
                    \(removal.isByProof), \(removal.at))
                ON CONFLICT (provider, provider_id, user_id) DO NOTHING
                """)
        }
    }
}

extension Account {
    fileprivate func has(_ removal: TransferredRemoval) -> Bool {
        identities.contains { $0.provider == removal.provider && $0.providerID == removal.providerID }
    }
}
