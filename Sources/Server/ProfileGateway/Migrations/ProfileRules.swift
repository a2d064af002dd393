import SQLDatabase

// For a database server with roles.
extension Profiles {
    /// Runs as the tables' owner, whatever role inserts the account. The schema is fixed at creation, so a caller's
    /// search path has no effect.
    static let profileFunction: SQL = """
        DO $make$ BEGIN EXECUTE format($create$
        CREATE FUNCTION %1$I.profile_comes_with_user() RETURNS trigger
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $body$
        DECLARE
            given json := NEW.user_metadata;
            given_first_name text;
            given_name text;
            given_picture text;
        BEGIN
            BEGIN
                given_first_name := CASE json_typeof(given -> 'first_name') WHEN 'string' THEN
                    nullif(trim(substr(trim(given ->> 'first_name'), 1, 50)), '') END;
                given_name := CASE coalesce(json_typeof(given -> 'full_name'), json_typeof(given -> 'name'))
                    WHEN 'string' THEN nullif(trim(substr(trim(
                        coalesce(given ->> 'full_name', given ->> 'name')), 1, 100)), '') END;
                given_picture := CASE WHEN coalesce(given ->> 'avatar_url', given ->> 'picture') ILIKE 'https://%%'
                    THEN substr(coalesce(given ->> 'avatar_url', given ->> 'picture'), 1, 2048) END;
            EXCEPTION WHEN data_exception THEN
                -- JSON may hold what text cannot: U+0000, half a character. That is no name.
                given_first_name := NULL;
                given_name := NULL;
                given_picture := NULL;
            END;
            INSERT INTO %1$I.profiles (id, first_name, name, avatar_url, created_at, updated_at)
            VALUES (NEW.id, given_first_name, given_name, given_picture, NEW.created_at, NEW.created_at);
            RETURN NULL;
        END $body$
        $create$, current_schema()); END $make$
        """

    static let profileTrigger: SQL = """
        CREATE TRIGGER profile_comes_with_user AFTER INSERT ON users
        FOR EACH ROW EXECUTE FUNCTION profile_comes_with_user()
        """

    /// The token's user as set by PostgREST and Supabase; NULL without one.
    static let tokenHolder: SQL = """
        CREATE FUNCTION token_holder() RETURNS uuid LANGUAGE sql STABLE SET search_path = '' AS $body$
            SELECT nullif(coalesce(
                nullif(current_setting('request.jwt.claim.sub', true), ''),
                nullif(current_setting('request.jwt.claims', true), '')::json ->> 'sub'), '')::uuid
        $body$
        """

    /// Roles that do not own the table now see only rows granted by a policy.
    static let ownRows: SQL = "ALTER TABLE profiles ENABLE ROW LEVEL SECURITY"

    static let ownProfile: SQL = """
        CREATE POLICY own_profile ON profiles USING (id = token_holder()) WITH CHECK (id = token_holder())
        """
}
