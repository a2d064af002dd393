import SQLDatabase

extension Accounts {
    static let usedTokens: [SQL] = [
        // Of the newest refresh token with which an access token came that was used; NULL: none is known of.
        "ALTER TABLE sessions ADD COLUMN used_counter \(.integer)"
    ]
}
