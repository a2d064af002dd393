package import AccountStore
import GatehouseWire

/// For `psql`. The server converts JSON to rows, so it fits every version of Supabase's schema.
package enum SupabaseExport {
    package static let beginning = """
        -- Accounts for a database with Supabase's schema `auth`. It holds password hashes and secrets: delete it afterwards.
        -- psql --single-transaction --set ON_ERROR_STOP=1 --file THIS postgres://…
        SET client_encoding = 'UTF8';
        CREATE TEMPORARY TABLE gatehouse_accounts (line json NOT NULL);
        CREATE TEMPORARY TABLE gatehouse_profiles (line json NOT NULL);
        CREATE TEMPORARY TABLE gatehouse_known (id uuid PRIMARY KEY);
        COPY gatehouse_accounts (line) FROM stdin;

        """

    package static let profilesBeginning = """
        \\.
        COPY gatehouse_profiles (line) FROM stdin;

        """

    /// Tokens are empty instead of null, as Supabase requires. Drops pending changes of address, whose tokens Supabase
    /// would not know. Updates existing accounts with newer values.
    ///
    /// - Parameter kinds: In the lines of accounts. Other tables need not exist.
    package static func ending(with kinds: Set<TransferredKind>) -> String {
        accounts + (kinds.contains(.totp) ? factors : "") + (kinds.contains(.passkeys) ? passkeys : "") + profiles
    }

    private static let accounts = """
        \\.
        INSERT INTO gatehouse_known (id) SELECT id FROM auth.users;
        INSERT INTO auth.users AS there (
            instance_id, id, aud, role, email, phone, encrypted_password, raw_app_meta_data, raw_user_meta_data,
            is_sso_user, is_anonymous, email_confirmed_at, phone_confirmed_at, last_sign_in_at, invited_at,
            confirmation_sent_at, recovery_sent_at, reauthentication_sent_at, banned_until, deleted_at, created_at,
            updated_at, confirmation_token, recovery_token, email_change, email_change_token_new,
            email_change_token_current, email_change_confirm_status, phone_change, phone_change_token,
            reauthentication_token)
        SELECT '00000000-0000-0000-0000-000000000000', u.id, u.aud, u.role, u.email, u.phone, u.encrypted_password,
            u.raw_app_meta_data, u.raw_user_meta_data, false, u.is_anonymous, u.email_confirmed_at,
            u.phone_confirmed_at, u.last_sign_in_at, u.invited_at, u.confirmation_sent_at, u.recovery_sent_at,
            u.reauthentication_sent_at, u.banned_until, u.deleted_at, u.created_at, u.updated_at,
            '', '', '', '', '', 0, '', '', ''
        FROM gatehouse_accounts, json_populate_record(NULL::auth.users, line) AS u
        ON CONFLICT (id) DO UPDATE SET
            email = excluded.email, phone = excluded.phone, encrypted_password = excluded.encrypted_password,
            raw_app_meta_data = excluded.raw_app_meta_data, raw_user_meta_data = excluded.raw_user_meta_data,
            is_anonymous = excluded.is_anonymous, email_confirmed_at = excluded.email_confirmed_at,
            phone_confirmed_at = excluded.phone_confirmed_at, last_sign_in_at = excluded.last_sign_in_at,
            banned_until = excluded.banned_until, deleted_at = excluded.deleted_at, updated_at = excluded.updated_at
        WHERE coalesce(there.updated_at < excluded.updated_at, true);
        INSERT INTO auth.identities (
            id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
        SELECT i.id, i.provider_id, i.user_id, i.identity_data, i.provider, i.last_sign_in_at, i.created_at, i.updated_at
        FROM gatehouse_accounts, json_populate_recordset(NULL::auth.identities, line -> 'identities') AS i
        ON CONFLICT DO NOTHING;

        """

    /// A factor that was removed here and remains there may have a newer one's name.
    private static let factors = """
        INSERT INTO auth.mfa_factors (
            id, user_id, friendly_name, factor_type, status, secret, created_at, updated_at)
        SELECT f.id, f.user_id, f.friendly_name || CASE WHEN EXISTS (SELECT FROM auth.mfa_factors AS other
                WHERE other.user_id = f.user_id AND other.id <> f.id AND other.friendly_name = f.friendly_name)
                THEN ' ' || left(f.id::text, 8) ELSE '' END,
            f.factor_type, f.status, f.secret, f.created_at, f.updated_at
        FROM gatehouse_accounts, json_populate_recordset(NULL::auth.mfa_factors, line -> 'factors') AS f
        ON CONFLICT (id) DO NOTHING;

        """

    private static let passkeys = """
        INSERT INTO auth.webauthn_credentials (
            id, user_id, credential_id, public_key, attestation_type, aaguid, sign_count, transports, backup_eligible,
            backed_up, friendly_name, created_at, updated_at, last_used_at)
        SELECT p.id, p.user_id, p.credential_id, p.public_key, p.attestation_type, p.aaguid, p.sign_count, p.transports,
            p.backup_eligible, p.backed_up, p.friendly_name, p.created_at, p.updated_at, p.last_used_at
        FROM gatehouse_accounts, json_populate_recordset(NULL::auth.webauthn_credentials, line -> 'passkeys') AS p
        ON CONFLICT (id) DO NOTHING;

        """

    private static let profiles = """
        DO $profiles$
        DECLARE
            columns text;
            changes text;
            newer text;
        BEGIN
            SELECT string_agg(quote_ident(attname), ', '), string_agg(format('%1$I = excluded.%1$I', attname), ', '),
                CASE WHEN bool_or(attname = 'updated_at')
                    THEN 'coalesce(there.updated_at < excluded.updated_at, true)' ELSE 'false' END
            INTO columns, changes, newer FROM pg_attribute
            WHERE attrelid = to_regclass('public.profiles') AND NOT attisdropped AND attgenerated = ''
                AND attname IN ('id', 'first_name', 'name', 'full_name', 'avatar_url', 'timezone', 'favorite_teams',
                    'data', 'is_premium', 'created_at', 'updated_at');
            IF columns IS NULL THEN RETURN; END IF;
            -- A trigger may have made the profile of an account that was added a moment ago: ours is the newer one.
            EXECUTE format('INSERT INTO public.profiles AS there (%1$s) SELECT %1$s
                FROM gatehouse_profiles, json_populate_record(NULL::public.profiles, line) AS p
                ON CONFLICT (id) DO UPDATE SET %2$s
                WHERE %3$s OR NOT EXISTS (SELECT FROM gatehouse_known AS known WHERE known.id = there.id)',
                columns, changes, newer);
        END
        $profiles$;
        DROP TABLE gatehouse_accounts, gatehouse_profiles, gatehouse_known;

        """
}
