package import SQLDatabase

extension Profiles {
    /// Numbered among the accounts' migrations. Append only: released migrations never change.
    package static let migrations: [Migration] = [
        Migration(
            5, "profiles come with users", [profiles(id: "PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE")],
            dialectStatements: [
                .sqlite: [sqliteProfileTrigger],
                .postgresql: [profileFunction, profileTrigger, tokenHolder, ownRows, ownProfile],
            ]),
        Migration(16, "fields of apps", [ownFields]),
        Migration(25, "counted events of apps", [eventCounts]),
    ]

    /// For another issuer's accounts. Numbered apart, so neither program opens the other's database.
    package static let remoteMigrations: [Migration] = [
        Migration(1_001, "profiles of another issuer's accounts", [profiles(id: "PRIMARY KEY")]),
        Migration(
            1_002, "profiles that were just deleted",
            [
                """
                CREATE TABLE deleted_profiles (
                    id          \(.uuid) PRIMARY KEY,
                    deleted_at  \(.instant) NOT NULL
                ) \(.table)
                """,
                "CREATE INDEX deleted_profiles_by_time ON deleted_profiles (deleted_at)",
            ]),
        Migration(1_003, "fields of apps", [ownFields]),
        Migration(1_004, "counted events of apps", [eventCounts]),
    ]

    private static let ownFields: SQL = "ALTER TABLE profiles ADD COLUMN data \(.json) NOT NULL DEFAULT '{}'"

    private static func profiles(id constraints: SQL) -> SQL {
        """
        CREATE TABLE profiles (
            id              \(.uuid) \(constraints),
            first_name      \(.text) CHECK (length(first_name) BETWEEN 1 AND 50),
            favorite_teams  \(.json) NOT NULL DEFAULT '[]',
            name            \(.text) CHECK (length(name) BETWEEN 1 AND 100),
            avatar_url      \(.text) CHECK (length(avatar_url) BETWEEN 1 AND 2048),
            timezone        \(.text),
            is_premium      \(.flag) NOT NULL DEFAULT 0 CHECK (is_premium IN (0, 1)),
            created_at      \(.instant) NOT NULL,                              -- microseconds since 1970
            updated_at      \(.instant) NOT NULL
        ) \(.table)
        """
    }

    /// Creates every new account's profile. Ignores a blank name or one that is not text.
    private static let sqliteProfileTrigger: SQL = """
        CREATE TRIGGER profile_comes_with_user AFTER INSERT ON users
        BEGIN
            INSERT INTO profiles (id, first_name, name, avatar_url, created_at, updated_at)
            SELECT NEW.id,
                CASE json_type(NEW.user_metadata, '$.first_name') WHEN 'text' THEN
                    nullif(trim(substr(trim(json_extract(NEW.user_metadata, '$.first_name')), 1, 50)), '') END,
                CASE coalesce(json_type(NEW.user_metadata, '$.full_name'), json_type(NEW.user_metadata, '$.name'))
                    WHEN 'text' THEN nullif(trim(substr(trim(coalesce(
                        json_extract(NEW.user_metadata, '$.full_name'),
                        json_extract(NEW.user_metadata, '$.name'))), 1, 100)), '') END,
                CASE WHEN coalesce(NEW.user_metadata ->> '$.avatar_url', NEW.user_metadata ->> '$.picture')
                    LIKE 'https://%' THEN substr(coalesce(
                        NEW.user_metadata ->> '$.avatar_url', NEW.user_metadata ->> '$.picture'), 1, 2048) END,
                NEW.created_at, NEW.created_at;
        END
        """
}
