import SQLDatabase

/// The tables of ``SearchIndex``. Triggers note every changed account, including changes by other programs.
enum SearchTables {
    static let ofDialects: [Dialect: [SQL]] = [
        .sqlite: [
            terms(table: "\(.table), WITHOUT ROWID"), byTerm, changes(id: "\(.integer) PRIMARY KEY"), filling,
            trigger("new_user", "INSERT ON users", noting: "NEW.id"),
            trigger(
                "user", "UPDATE OF \(columns: userColumns) ON users", when: userDiffers("IS NOT"), noting: "NEW.id"),
            trigger("new_identity", "INSERT ON identities", when: hasNames("NEW"), noting: "NEW.user_id"),
            trigger(
                "identity", "UPDATE OF \(columns: identityColumns) ON identities",
                when: "\(hasNames("NEW")) AND (\(identityDiffers("IS NOT")))", noting: "NEW.user_id"),
            trigger("old_identity", "DELETE ON identities", when: hasNames("OLD"), noting: "OLD.user_id"),
            trigger("new_profile", "INSERT ON profiles", when: isNamed, noting: "NEW.id"),
            trigger(
                "profile", "UPDATE OF first_name, name ON profiles", when: profileDiffers("IS NOT"), noting: "NEW.id"),
        ],
        .postgresql: [
            terms(table: "\(.table)"), byTerm, changes(id: "\(.integer) GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
            filling,
            function, call("new_user", "INSERT ON users"),
            call("user", "UPDATE OF \(columns: userColumns) ON users", when: userDiffers("IS DISTINCT FROM")),
            call("new_identity", "INSERT ON identities", when: hasNames("NEW")),
            call(
                "identity", "UPDATE OF \(columns: identityColumns) ON identities",
                when: "\(hasNames("NEW")) AND (\(identityDiffers("IS DISTINCT FROM")))"),
            call("old_identity", "DELETE ON identities", when: hasNames("OLD")),
            call("new_profile", "INSERT ON profiles", when: isNamed),
            call("profile", "UPDATE OF first_name, name ON profiles", when: profileDiffers("IS DISTINCT FROM")),
        ],
    ]

    static let indexes: [SQL] = [
        """
        CREATE INDEX identities_by_provider_id ON identities (provider_id)
        WHERE \(columns: ofProviders)
        """,
        "CREATE INDEX ended_sessions_by_request ON ended_sessions (request_id) WHERE request_id IS NOT NULL",
    ]

    /// The condition of the index.
    static let ofProviders: StaticString = "provider <> 'email' AND provider <> 'phone'"

    private static func terms(table: SQL) -> SQL {
        """
        CREATE TABLE search_terms (
            user_id  \(.uuid) NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            term     \(.text) NOT NULL,
            PRIMARY KEY (user_id, term)
        ) \(table)
        """
    }

    private static let byTerm: SQL = "CREATE INDEX search_terms_by_term ON search_terms (term, user_id)"

    // No foreign key: a deletion's own changes are noted as well.
    private static func changes(id: SQL) -> SQL {
        "CREATE TABLE search_changes (id \(id), user_id \(.uuid) NOT NULL) \(.table)"
    }

    private static let filling: SQL = """
        CREATE TABLE search_filling (
            id     \(.integer) PRIMARY KEY CHECK (id = 1),
            place  \(.uuid) NOT NULL                                             -- the last account that was read
        ) \(.table)
        """

    private static let userColumns: StaticString = "email, phone, user_metadata, is_sso_user, deleted_at"
    private static let identityColumns: StaticString = "identity_data, email, set_aside_at"

    private static func userDiffers(_ sign: SQL) -> SQL {
        """
        OLD.email \(sign) NEW.email OR OLD.phone \(sign) NEW.phone OR OLD.is_sso_user <> NEW.is_sso_user
        OR CAST(OLD.user_metadata AS text) <> CAST(NEW.user_metadata AS text) OR OLD.deleted_at \(sign) NEW.deleted_at
        """
    }

    private static func identityDiffers(_ sign: SQL) -> SQL {
        """
        OLD.email \(sign) NEW.email OR CAST(OLD.identity_data AS text) <> CAST(NEW.identity_data AS text)
        OR OLD.set_aside_at \(sign) NEW.set_aside_at
        """
    }

    private static func profileDiffers(_ sign: SQL) -> SQL {
        "OLD.first_name \(sign) NEW.first_name OR OLD.name \(sign) NEW.name"
    }

    private static let isNamed: SQL = "NEW.first_name IS NOT NULL OR NEW.name IS NOT NULL"

    /// An identity of an email or a number has the account's.
    private static func hasNames(_ row: SQL) -> SQL { "\(row).provider <> 'email' AND \(row).provider <> 'phone'" }

    private static func trigger(_ name: SQL, _ event: SQL, when condition: SQL = "1 = 1", noting user: SQL) -> SQL {
        """
        CREATE TRIGGER search_notes_\(name) AFTER \(event) WHEN \(condition)
        BEGIN INSERT INTO search_changes (user_id) VALUES (\(user)); END
        """
    }

    private static func call(_ name: SQL, _ event: SQL, when condition: SQL = "1 = 1") -> SQL {
        """
        CREATE TRIGGER search_notes_\(name) AFTER \(event) FOR EACH ROW WHEN (\(condition))
        EXECUTE FUNCTION search_notes_change()
        """
    }

    private static let function: SQL = """
        DO $make$ BEGIN EXECUTE format($create$
        CREATE FUNCTION %1$I.search_notes_change() RETURNS trigger
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $body$
        BEGIN
            IF TG_OP = 'DELETE' THEN
                INSERT INTO %1$I.search_changes (user_id) VALUES (OLD.user_id);
            ELSIF TG_TABLE_NAME = 'identities' THEN
                INSERT INTO %1$I.search_changes (user_id) VALUES (NEW.user_id);
            ELSE
                INSERT INTO %1$I.search_changes (user_id) VALUES (NEW.id);
            END IF;
            RETURN NULL;
        END $body$
        $create$, current_schema()); END $make$
        """
}
