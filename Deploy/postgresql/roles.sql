-- Who may do what in the database, with the least rights. Run once, as a superuser, in the database that is
-- Gatehouse's; then give both that log in a password (\password) and migrate as gatehouse_migrator:
--
--     psql --set ON_ERROR_STOP=1 --file roles.sql gatehouse
--     GATEHOUSE_DATABASE=postgres://gatehouse_migrator@…/gatehouse gatehouse migrate
--     psql --set ON_ERROR_STOP=1 --username gatehouse_migrator --file grants.sql gatehouse

-- Owns the tables and changes the schema; used while migrating and by nobody else.
CREATE ROLE gatehouse_migrator LOGIN;

-- What `gatehouse serve` is: reads and writes rows, changes no table, rewrites no history.
CREATE ROLE gatehouse_service LOGIN;

-- Somebody's own SQL on behalf of the holder of a token, told by request.jwt.claims: their own profile, no more.
CREATE ROLE gatehouse_holder NOLOGIN;

CREATE SCHEMA gatehouse AUTHORIZATION gatehouse_migrator;

ALTER ROLE gatehouse_migrator SET search_path = gatehouse;

ALTER ROLE gatehouse_service SET search_path = gatehouse;

GRANT USAGE ON SCHEMA gatehouse TO gatehouse_service, gatehouse_holder;

ALTER DEFAULT PRIVILEGES FOR ROLE gatehouse_migrator IN SCHEMA gatehouse
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO gatehouse_service;
