import SQLDatabase

extension Accounts {
    static let endedSessions: [SQL] = [
        // No foreign key: the record outlives the account, whose deletion erases devices and addresses.
        """
        CREATE TABLE ended_sessions (
            id            \(.uuid) PRIMARY KEY,                                  -- of the session
            user_id       \(.uuid) NOT NULL,
            user_agent    \(.text),
            ip            \(.text),
            created_at    \(.instant) NOT NULL,
            refreshed_at  \(.instant),
            ended_at      \(.instant) NOT NULL,
            reason        \(.text) NOT NULL,
            actor         \(.text) NOT NULL,
            request_id    \(.text),
            by_agent      \(.text),                                              -- of the request that ended it
            by_ip         \(.text)
        ) \(.table)
        """,
        "CREATE INDEX ended_sessions_by_user ON ended_sessions (user_id, ended_at)",
        "CREATE INDEX ended_sessions_by_time ON ended_sessions (ended_at)",
    ]

    /// Records the ends of sessions under earlier releases, which recorded revocations without reasons.
    static let unexplainedEnds: [Dialect: [SQL]] = [
        .sqlite: [
            """
            CREATE TRIGGER session_ends_with_record AFTER DELETE ON sessions
            BEGIN
                INSERT INTO ended_sessions (
                    id, user_id, user_agent, ip, created_at, refreshed_at, ended_at, reason, actor)
                SELECT OLD.id, OLD.user_id, OLD.user_agent, OLD.ip, OLD.created_at, OLD.refreshed_at,
                    coalesce((SELECT noted_at FROM revocations WHERE id = OLD.id), OLD.refreshed_at, OLD.created_at),
                    'unknown', 'unknown'
                WHERE NOT EXISTS (SELECT 1 FROM ended_sessions WHERE id = OLD.id);
            END
            """
        ],
        .postgresql: [
            """
            DO $make$ BEGIN EXECUTE format($create$
            CREATE FUNCTION %1$I.session_ends_with_record() RETURNS trigger
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $body$
            BEGIN
                INSERT INTO %1$I.ended_sessions (
                    id, user_id, user_agent, ip, created_at, refreshed_at, ended_at, reason, actor)
                VALUES (OLD.id, OLD.user_id, OLD.user_agent, OLD.ip, OLD.created_at, OLD.refreshed_at,
                    coalesce((SELECT noted_at FROM %1$I.revocations WHERE id = OLD.id), OLD.refreshed_at,
                        OLD.created_at), 'unknown', 'unknown')
                ON CONFLICT (id) DO NOTHING;
                RETURN NULL;
            END $body$
            $create$, current_schema()); END $make$
            """,
            """
            CREATE TRIGGER session_ends_with_record AFTER DELETE ON sessions
            FOR EACH ROW EXECUTE FUNCTION session_ends_with_record()
            """,
        ],
    ]
}
