"""A PostgreSQL database that is not UTF-8 is refused: it could not store every name."""

import uuid

import postgres
import pytest

pytestmark = postgres.needs_server


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_another_encoding_is_refused_with_the_remedy(cluster, servers, encoding):
    name = "d" + uuid.uuid4().hex[:10]
    postgres.Database(cluster, "postgres").run(
        f"CREATE DATABASE {name} TEMPLATE template0 ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C'"
    )
    server = servers.serve(GATEHOUSE_DATABASE=postgres.Database(cluster, name).url)
    for command in (["migrate"], ["upgrade-check"], ["serve"], ["serve", "--no-migrate"]):
        done = server.command(*command)
        assert done.returncode == 78 and encoding in done.stderr and "--encoding=UTF8" in done.stderr, done
    told = server.command("doctor").stdout
    assert encoding in told and "--encoding=UTF8" in told
    assert postgres.Database(cluster, name).run("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == "0"


def test_doctor_names_settings_that_lose_writes(cluster, servers):
    server = servers.serve(GATEHOUSE_DATABASE=cluster.database().url)
    assert server.command("migrate").returncode == 0
    assert "fsync is off" in server.command("doctor").stdout
