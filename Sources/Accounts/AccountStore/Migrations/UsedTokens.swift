import SQLDatabase

extension Accounts {
    static let usedTokens: [SQL] = [
        // The newest refresh token whose access token was used; NULL if none is known.
        "ALTER TABLE sessions ADD COLUMN used_counter \(.integer)"
    ]
}
