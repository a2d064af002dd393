import GatehouseWire
import SQLDatabase

enum SearchIndexes {
    /// In list order.
    static let ofStates: [SQL] = [
        "CREATE INDEX users_unconfirmed ON users (created_at, id) WHERE \(columns: unconfirmed)",
        "CREATE INDEX users_banned ON users (created_at, id) WHERE \(columns: banned)",
        "CREATE INDEX users_anonymous ON users (created_at, id) WHERE \(columns: anonymous)",
        "CREATE INDEX users_deleted ON users (created_at, id) WHERE \(columns: deleted)",
    ]

    private static let unconfirmed: StaticString =
        "email_confirmed_at IS NULL AND phone_confirmed_at IS NULL AND is_anonymous = 0 AND deleted_at IS NULL"
    private static let banned: StaticString = "banned_until IS NOT NULL"
    private static let anonymous: StaticString = "is_anonymous = 1"
    private static let deleted: StaticString = "deleted_at IS NOT NULL"

    /// The condition of the index for this state; nil for the usual one.
    static func rarely(_ state: AccountSearch.State) -> StaticString? {
        switch state {
        case .active: nil
        case .unconfirmed: unconfirmed
        case .banned: banned
        case .anonymous: anonymous
        case .deleted: deleted
        }
    }

    static let functions: [Dialect: [SQL]] = [.postgresql: [memberText]]

    static let ofTexts: [Dialect: [SQL]] = [
        .sqlite: [
            "CREATE INDEX users_by_name ON users (\(nameKey(.sqlite)), id)",
            """
            CREATE INDEX audit_log_by_subject ON audit_log (\(subject(.sqlite)), created_at) WHERE actor_id IS NULL
            """,
        ],
        .postgresql: [
            "CREATE INDEX users_by_name ON users ((\(nameKey(.postgresql))), id)",
            """
            CREATE INDEX audit_log_by_subject ON audit_log ((\(subject(.postgresql))), created_at)
            WHERE actor_id IS NULL
            """,
        ],
    ]

    /// A JSON object's text member, its first 256 characters. An index must accept every row, so a document with what
    /// text cannot hold (U+0000, half a character) has no members.
    private static let memberText: SQL = """
        DO $make$ BEGIN EXECUTE format($create$
        CREATE FUNCTION %1$I.member_text(document json, member text) RETURNS text
        LANGUAGE plpgsql IMMUTABLE AS $body$
        BEGIN
            IF strpos(document::text, '\\u') = 0 THEN
                RETURN CASE json_typeof(document -> member) WHEN 'string' THEN
                    substr(document ->> member, 1, 256) END;
            END IF;
            BEGIN
                RETURN CASE json_typeof(document -> member) WHEN 'string' THEN
                    substr(document ->> member, 1, 256) END;
            EXCEPTION WHEN data_exception THEN
                RETURN NULL;
            END;
        END $body$
        $create$, current_schema()); END $make$
        """

    /// At most 256 characters. These expressions must match the indexes.
    static func fullName(_ dialect: Dialect) -> SQL {
        switch dialect {
        case .sqlite:
            """
            CASE json_type(user_metadata, '$.full_name') WHEN 'text' THEN
                substr(user_metadata ->> 'full_name', 1, 256) END
            """
        case .postgresql: "member_text(user_metadata, 'full_name')"
        }
    }

    /// Byte by byte, without ASCII case.
    static func nameKey(_ dialect: Dialect) -> SQL {
        switch dialect {
        case .sqlite: "lower(\(fullName(dialect)))"
        case .postgresql: "lower(\(fullName(dialect)) COLLATE \"C\")"
        }
    }

    /// The account that an administrator's entry in the audit log is about.
    static func subject(_ dialect: Dialect) -> SQL {
        switch dialect {
        case .sqlite: "traits ->> 'user_id'"
        case .postgresql: "member_text(traits, 'user_id') COLLATE \"C\""
        }
    }
}
