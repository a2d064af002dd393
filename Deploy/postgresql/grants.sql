-- What default privileges cannot say. Run as gatehouse_migrator after the first migration, and after each upgrade;
-- it may run again.

SET search_path = gatehouse;

REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON schema_migrations FROM gatehouse_service;

-- The log is written and read, never rewritten. The setting retention_audit_log needs, after this line:
--     GRANT DELETE ON audit_log TO gatehouse_service;
REVOKE UPDATE, DELETE, TRUNCATE ON audit_log FROM gatehouse_service;

-- The triggers run as their owner; nobody has to be allowed to call them.
REVOKE ALL ON FUNCTION profile_comes_with_user() FROM PUBLIC;
REVOKE ALL ON FUNCTION session_ends_with_record() FROM PUBLIC;
REVOKE ALL ON FUNCTION search_notes_change() FROM PUBLIC;

-- Row-level security is on for profiles: without a policy of its own a role reaches none.
DROP POLICY IF EXISTS service ON profiles;

CREATE POLICY service ON profiles TO gatehouse_service USING (true) WITH CHECK (true);

GRANT SELECT ON profiles TO gatehouse_holder;

-- Not id, is_premium, created_at: those are not the person's to change.
GRANT UPDATE (first_name, favorite_teams, data, name, avatar_url, timezone, updated_at) ON profiles TO gatehouse_holder;
