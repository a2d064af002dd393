-- What default privileges cannot say. Run as gatehouse_migrator after the first migration, and after each upgrade;
-- it may run again.

SET search_path = gatehouse;

REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON schema_migrations FROM gatehouse_service;

-- The log is written and read, never rewritten.
REVOKE UPDATE, DELETE, TRUNCATE ON audit_log FROM gatehouse_service;

-- The trigger runs as its owner; nobody has to be allowed to call it.
REVOKE ALL ON FUNCTION profile_comes_with_user() FROM PUBLIC;

-- Row-level security is on for profiles: without a policy of its own a role reaches none.
DROP POLICY IF EXISTS service ON profiles;

CREATE POLICY service ON profiles TO gatehouse_service USING (true) WITH CHECK (true);

GRANT SELECT ON profiles TO gatehouse_holder;

-- Not id, is_premium, created_at: those are not the person's to change.
GRANT UPDATE (first_name, favorite_teams, data, name, avatar_url, timezone, updated_at) ON profiles TO gatehouse_holder;
