import AccountDomain
import AccountStore
import Crypto
import GatehouseWire

/// The valid ones, the previous one, and a few older ones to detect reuse.
struct SupabaseTokens {
    private static let olderLimit = 3
    /// A later refresh is not the one that came with the second factor.
    private static let raising: Duration = .seconds(10)

    private(set) var tokens: [(token: ImportedRefreshToken, age: ImportedTokenAge)] = []
    private(set) var refreshedAt: Instant?
    /// With a secret of the source.
    private(set) var isEncrypted = false
    /// The counter of the first token at the session's level. A thief may have an earlier one.
    private(set) var levelCounter: Int64 = 0
    private let raisedAt: Instant?

    init(
        session: SessionID, _ row: LineColumns, _ rows: [LineColumns], raisedAt: Instant?
    ) throws(LineProblem) {
        self.raisedAt = raisedAt
        try addFirstVersion(rows)
        if let key = try row.text("refresh_token_hmac_key") {
            let counter = try row.number("refresh_token_counter") ?? 0
            guard let bytes = Base64URL.decode(key), bytes.count == 32, counter >= 0 else {
                isEncrypted = true
                return
            }
            addSecondVersion(session, SymmetricKey(data: bytes), counter, refreshedAt: try row.time("refreshed_at"))
        }
    }

    private mutating func add(_ text: String, _ age: ImportedTokenAge) {
        if let token = ImportedRefreshToken(Secret(text)) { tokens.append((token, age)) }
    }

    private mutating func add(_ text: String, _ age: ImportedTokenAge, isAtLevel: Bool) {
        add(text, age)
        if !isAtLevel { levelCounter = max(levelCounter, age.rawValue + 1) }
    }

    /// Tokens in rows: those not revoked are valid. The newest one's parent is the previous token.
    private mutating func addFirstVersion(_ rows: [LineColumns]) throws(LineProblem) {
        var found: [(number: Int64, row: LineColumns)] = []
        for row in rows { found.append((try row.number("id") ?? 0, row)) }
        found.sort { $0.number > $1.number }
        var (parent, hasActive, older): (String?, Bool, Int) = (nil, false, 0)
        for (_, row) in found {
            guard let text = try row.text("token") else { continue }
            if try !row.flag("revoked") {
                if !hasActive {
                    parent = try row.text("parent")
                    let times = [try row.time("updated_at"), try row.time("created_at")]
                    refreshedAt = times.compactMap(\.self).max()
                }
                hasActive = true
                add(text, .current)
            } else if text == parent {
                add(text, .previous, isAtLevel: try isAtLevel(row))
            } else if older < Self.olderLimit {
                older += 1
                add(text, .older, isAtLevel: try isAtLevel(row))
            }
        }
    }

    private func isAtLevel(_ row: LineColumns) throws(LineProblem) -> Bool {
        guard let raisedAt else { return true }
        guard let createdAt = try row.time("created_at") else { return false }
        return createdAt >= raisedAt
    }

    /// Tokens without rows, derived from the session's key and a counter. Only a refresh after the second factor shows
    /// that the previous token also came after it.
    private mutating func addSecondVersion(
        _ session: SessionID, _ key: SymmetricKey, _ counter: Int64, refreshedAt: Instant?
    ) {
        let isRefreshed = raisedAt.map { raisedAt in refreshedAt.map { $0 > raisedAt + Self.raising } ?? false } ?? true
        add(Self.token(session, counter, key), .current)
        for behind in 1...Int64(1 + Self.olderLimit) where behind <= counter {
            let age: ImportedTokenAge = behind == 1 ? .previous : .older
            add(
                Self.token(session, counter - behind, key), age,
                isAtLevel: raisedAt == nil || age == .previous && isRefreshed)
        }
    }

    private static func token(_ session: SessionID, _ counter: Int64, _ key: SymmetricKey) -> String {
        RefreshToken.sealed([0] + session.bytes, counter: counter, HMAC(key: key))
    }
}
