"""A program older or newer than its database's schema: its messages, and whether it serves."""

import sqlite3

import program
import pytest
from postgres import needs_server

MIGRATE = "Run `gatehouse migrate`."


class SQLiteFile:
    def __init__(self, path):
        self.path = str(path)
        self.url = self.path

    def run(self, statement):
        with sqlite3.connect(self.path) as connection:
            rows = connection.execute(statement).fetchall()
        connection.close()
        return "\n".join(str(row[0]) for row in rows)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=needs_server)])
def database(request, tmp_path):
    if request.param == "sqlite":
        return SQLiteFile(tmp_path / "gatehouse.sqlite")
    return request.getfixturevalue("cluster").database()


@pytest.fixture
def migrated(database, tmp_path):
    """With every step of this program's."""
    server = program.Server.serve(tmp_path, "--no-migrate", GATEHOUSE_DATABASE=database.url)
    done = program.run("migrate", environment=server.environment)
    assert done.returncode == 0, done.stderr
    yield server, database
    server.stop()


def refusal(server):
    """The message of a refused start."""
    done = program.run(*server.arguments, environment=server.environment)
    assert done.returncode not in (0, 78), done.stderr
    return done.stderr


def last_level(database):
    return int(database.run("SELECT max(number) FROM schema_migrations"))


def test_a_new_node_does_not_start_before_the_schema_is_ready(migrated):
    server, database = migrated
    level = last_level(database)
    database.run(f"DELETE FROM schema_migrations WHERE number = {level}")
    said = refusal(server)
    assert f"Migrations are pending: {level} (" in said and MIGRATE in said


def test_a_node_that_runs_is_not_ready_while_a_step_is_missing(migrated):
    server, database = migrated
    server.start()
    assert server.gateway().get("/ready").status == 200
    level = last_level(database)
    name = database.run(f"SELECT name FROM schema_migrations WHERE number = {level}")
    database.run(f"DELETE FROM schema_migrations WHERE number = {level}")
    answer = server.gateway().get("/ready")
    assert (answer.status, answer.json()) == (503, {"status": "migrations pending"})
    database.run(f"INSERT INTO schema_migrations (number, name) VALUES ({level}, '{name}')")
    assert server.gateway().get("/ready").status == 200


@pytest.mark.parametrize("options", [(), ("--no-migrate",)])
def test_an_older_node_serves_on_a_schema_to_which_was_only_added(migrated, options):
    server, database = migrated
    level = last_level(database) + 1
    database.run("ALTER TABLE users ADD COLUMN nickname TEXT")
    database.run(f"INSERT INTO schema_migrations (number, name) VALUES ({level}, 'of a newer program')")
    server.arguments = ["serve", *options]
    server.start()
    assert server.gateway().get("/ready").status == 200
    assert server.auth().post("/signup", {"email": "a@example.com", "password": program.PASSWORD}).status == 200
    assert f"level {level}" in server.log()


@pytest.mark.parametrize("options", [(), ("--no-migrate",)])
def test_an_older_node_does_not_start_on_an_incompatible_schema(migrated, options):
    server, database = migrated
    level = last_level(database) + 1
    database.run(
        f"INSERT INTO schema_migrations (number, name, least_level) VALUES ({level}, 'of a newer program', {level})"
    )
    server.arguments = ["serve", *options]
    assert f"has schema change {level}, which this program does not support" in refusal(server)
    done = program.run("migrate", environment=server.environment)
    assert done.returncode != 0 and f"schema change {level}" in done.stderr


def test_a_node_that_runs_is_not_ready_any_more_after_such_a_step(migrated):
    server, database = migrated
    server.start()
    level = last_level(database) + 1
    database.run(
        f"INSERT INTO schema_migrations (number, name, least_level) VALUES ({level}, 'of a newer program', {level})"
    )
    answer = server.gateway().get("/ready")
    assert (answer.status, answer.json()) == (503, {"status": "schema of another program"})


def upgrade_check(server):
    done = program.run("upgrade-check", environment=server.environment)
    return done.returncode, done.stdout.splitlines(), done.stderr.strip()


def records(database):
    return database.run("SELECT count(*) FROM schema_migrations"), last_level(database)


def test_a_check_before_an_upgrade_lists_what_is_missing_and_changes_nothing(migrated):
    server, database = migrated
    assert upgrade_check(server) == (0, [], "The database has every schema change of this program.")
    level = last_level(database)
    names = {number: database.run(f"SELECT name FROM schema_migrations WHERE number = {number}") for number in (
        level - 1, level)}
    database.run(f"DELETE FROM schema_migrations WHERE number >= {level - 1}")
    before = records(database)
    code, lines, note = upgrade_check(server)
    assert (code, note) == (7, "2 schema changes are pending. Apply with `gatehouse migrate`.")
    assert lines == [f"{number}  {name}  (earlier programs keep running)" for number, name in names.items()]
    assert records(database) == before


def test_a_check_names_the_level_of_a_newer_program_and_refuses_an_incompatible_one(migrated):
    server, database = migrated
    level = last_level(database) + 1
    database.run(f"INSERT INTO schema_migrations (number, name) VALUES ({level}, 'of a newer program')")
    code, lines, note = upgrade_check(server)
    assert (code, lines) == (0, []) and note.endswith(f"and later ones up to level {level}."), note
    database.run(f"UPDATE schema_migrations SET least_level = {level} WHERE number = {level}")
    code, lines, note = upgrade_check(server)
    assert (code, lines) == (1, []) and f"has schema change {level}, which" in note, note


def test_a_check_of_a_new_database_lists_every_change_and_makes_nothing(database, tmp_path):
    server = program.Server.serve(tmp_path, "--no-migrate", GATEHOUSE_DATABASE=database.url)
    code, lines, note = upgrade_check(server)
    assert code == 7 and lines[0].startswith("1  ") and f"{len(lines)} schema changes are pending" in note
    if isinstance(database, SQLiteFile):
        assert not (tmp_path / "gatehouse.sqlite").exists() and "There is no database at" in note
    else:
        assert database.run("SELECT count(*) FROM pg_tables WHERE tablename = 'schema_migrations'") == "0"
