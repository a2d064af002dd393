import SQLDatabase

extension Accounts {
    static let webhooks: [SQL] = [
        // No foreign keys: an event outlives its subject.
        """
        CREATE TABLE webhook_deliveries (
            id          \(.uuid) PRIMARY KEY,                                     -- the webhook-id
            endpoint    \(.text) NOT NULL,                                        -- its name in the settings
            kind        \(.text) NOT NULL,
            user_id     \(.uuid) NOT NULL,
            sealed      \(.bytes) NOT NULL,                                       -- the body
            state       \(.text) NOT NULL CHECK (state IN ('queued', 'delivered', 'failed')),
            reason      \(.text),
            attempts    \(.integer) NOT NULL DEFAULT 0,
            next_at     \(.instant) NOT NULL,                                     -- also the end of a lease
            expires_at  \(.instant) NOT NULL,
            created_at  \(.instant) NOT NULL,                                     -- orders the events of a user
            ended_at    \(.instant)
        ) \(.table)
        """,
        """
        CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries (endpoint, next_at, id) WHERE state = 'queued'
        """,
        // Another condition than the index above, as in `mail_outbox`.
        """
        CREATE INDEX webhook_deliveries_by_user ON webhook_deliveries (user_id, created_at) WHERE ended_at IS NULL
        """,
        "CREATE INDEX webhook_deliveries_by_owner ON webhook_deliveries (user_id) WHERE ended_at IS NOT NULL",
        "CREATE INDEX webhook_deliveries_by_expiry ON webhook_deliveries (expires_at) WHERE state = 'queued'",
        "CREATE INDEX webhook_deliveries_by_end ON webhook_deliveries (ended_at) WHERE state <> 'queued'",
        "CREATE INDEX webhook_deliveries_by_creation ON webhook_deliveries (created_at)",
        """
        CREATE TABLE webhook_endpoints (
            name         \(.text) PRIMARY KEY,
            url_digest   \(.bytes) NOT NULL CHECK (length(url_digest) = 32),      -- another URL is enabled again
            disabled_at  \(.instant) NOT NULL
        ) \(.table)
        """,
    ]
}
