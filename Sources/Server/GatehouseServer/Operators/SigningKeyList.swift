package import AccountStore
import AuthServer
package import GatehouseWire
import JSONWebTokens

package struct SigningKeyList: Sendable {
    package struct Entry: Sendable {
        package let id: String
        /// `unreadable` if this program cannot read the key.
        package let algorithm: String
        package let createdAt: Instant
        package let retiredAt: Instant?
        /// Such as `signing`, `verifying until 2026-01-01T00:00:00Z` or `run out`.
        package let state: String
    }

    package let now: Instant
    /// After retirement.
    package let verifyingTime: Duration
    /// Otherwise a configured key signs.
    package let databaseKeySigns: Bool

    package init(_ settings: ServerSettings, now: Instant) {
        self.now = now
        verifyingTime = settings.auth.accessTokenLifetime + KeyRing.overlap
        databaseKeySigns =
            !settings.tokens.signsWithSharedSecret && !settings.tokens.imported.contains(where: \.maySign)
    }

    package func entries(_ keys: [StoredSigningKey]) -> [Entry] {
        keys.map { key in
            // Ignored: `gatehouse doctor` reports an unreadable key.
            let algorithm = (try? JSONWebKey(text: key.privateKey))?.algorithm.rawValue ?? "unreadable"
            return Entry(
                id: key.id, algorithm: algorithm, createdAt: key.createdAt, retiredAt: key.retiredAt,
                state: state(key, isOnly: keys.count == 1))
        }
    }

    private func state(_ key: StoredSigningKey, isOnly: Bool) -> String {
        guard let retiredAt = key.retiredAt else {
            let start = key.createdAt + KeyRing.settling
            return !databaseKeySigns ? "verifying" : start > now && !isOnly ? "signing from \(start)" : "signing"
        }
        let end = retiredAt + verifyingTime
        return end > now ? "verifying until \(end)" : "run out"
    }
}

extension StoredSigningKey {
    package static func new(at now: Instant) -> StoredSigningKey {
        let key = JSONWebKey.newES256()
        return StoredSigningKey(id: key.id ?? key.thumbprint, privateKey: key.privateJWK, createdAt: now)
    }
}
