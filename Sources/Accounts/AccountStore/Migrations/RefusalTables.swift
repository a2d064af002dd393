import SQLDatabase

extension Accounts {
    static let refusals: [SQL] = [
        """
        CREATE TABLE refused_sign_ins (
            user_id    \(.uuid) PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
            refusals   \(.json) NOT NULL,                        -- the newest, bounded
            last_at    \(.instant) NOT NULL,
            audited_at \(.instant),                              -- the last entry of the audit log
            unaudited  \(.integer) NOT NULL DEFAULT 0            -- wrong passwords since then
        ) \(.table)
        """,
        "CREATE INDEX refused_sign_ins_by_time ON refused_sign_ins (last_at)",
        // A separate table, because only operators may read the reason and updates of users must not erase it.
        """
        CREATE TABLE bans (
            user_id     \(.uuid) PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
            reason      \(.text) NOT NULL,
            actor_name  \(.text) NOT NULL,
            created_at  \(.instant) NOT NULL
        ) \(.table)
        """,
    ]
}
