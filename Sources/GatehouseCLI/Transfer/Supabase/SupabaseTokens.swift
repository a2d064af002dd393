import AccountDomain
import AccountStore
import Crypto
import GatehouseWire

/// The refresh tokens of a session to import: the valid ones, the previous one, and a few older ones to detect reuse.
struct SupabaseTokens {
    private static let olderLimit = 3

    private(set) var tokens: [(token: ImportedRefreshToken, age: ImportedTokenAge)] = []
    /// When the newest valid token was issued.
    private(set) var refreshedAt: Instant?
    /// Whether the session's token key is encrypted with a secret of the source.
    private(set) var isEncrypted = false

    /// - Parameter rows: Rows of auth.refresh_tokens in any order.
    init(session: SessionID, _ row: LineColumns, _ rows: [LineColumns]) throws(LineProblem) {
        try addFirstVersion(rows)
        if let key = try row.text("refresh_token_hmac_key") {
            let counter = try row.number("refresh_token_counter") ?? 0
            guard let bytes = Base64URL.decode(key), bytes.count == 32, counter >= 0 else {
                isEncrypted = true
                return
            }
            addSecondVersion(session, SymmetricKey(data: bytes), counter)
        }
    }

    private mutating func add(_ text: String, _ age: ImportedTokenAge) {
        if let token = ImportedRefreshToken(Secret(text)) { tokens.append((token, age)) }
    }

    /// Tokens stored in rows: those that are not revoked are valid. The parent of the newest one is the previous token.
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
                add(text, .previous)
            } else if older < Self.olderLimit {
                older += 1
                add(text, .older)
            }
        }
    }

    /// Tokens without rows, which follow from the session's key and a counter.
    private mutating func addSecondVersion(_ session: SessionID, _ key: SymmetricKey, _ counter: Int64) {
        add(Self.token(session, counter, key), .current)
        for behind in 1...Int64(1 + Self.olderLimit) where behind <= counter {
            add(Self.token(session, counter - behind, key), behind == 1 ? .previous : .older)
        }
    }

    private static func token(_ session: SessionID, _ counter: Int64, _ key: SymmetricKey) -> String {
        RefreshToken.sealed([0] + session.bytes, counter: counter, HMAC(key: key))
    }
}
