"""libcurl and libpq are loaded at first use: the other servers do without them and the libraries below them."""

import shutil
import subprocess
import sys

import program
import pytest
from postgres import needs_server

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a Mac loads them at the start")


def loaded(server):
    """The names of the files that the server has mapped."""
    with open(f"/proc/{server.process.pid}/maps", encoding="utf-8") as maps:
        return {line.split("/")[-1].strip() for line in maps if "/" in line}


def has(files, name):
    return any(file.startswith(name + ".so") for file in files)


@pytest.mark.skipif(not shutil.which("readelf"), reason="binutils is not installed")
def test_the_program_itself_needs_neither_library_to_start():
    ended = subprocess.run(
        ["readelf", "--dynamic", "--wide", program.BINARY], capture_output=True, text=True, check=True,
        timeout=program.PATIENCE_SECONDS,
    )  # fmt: skip
    needed = [line for line in ended.stdout.splitlines() if "(NEEDED)" in line]
    assert any("libsqlite3.so" in line for line in needed)
    assert not any("libcurl.so" in line or "libpq.so" in line for line in needed)


def test_a_server_on_sqlite_does_not_load_libpq(server):
    assert server.auth().get("/settings").status == 200
    files = loaded(server)
    assert has(files, "libsqlite3") and not has(files, "libpq")


@needs_server
def test_a_server_on_postgresql_loads_libpq(servers, cluster):
    server = servers.serve(GATEHOUSE_DATABASE=cluster.database().url).start()
    assert has(loaded(server), "libpq")


def test_a_server_loads_libcurl_when_it_calls_another_server(servers):
    """Foundation's network client loads it at the start where it is a shared library."""
    calls = []

    class Hook(program.http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            calls.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *arguments):
            pass

    receiver = program.LoopbackServer(Hook)
    try:
        server = servers.serve(
            GOTRUE_HOOK_BEFORE_USER_CREATED_ENABLED="true",
            GOTRUE_HOOK_BEFORE_USER_CREATED_URI=receiver.url + "/hook",
            GOTRUE_HOOK_BEFORE_USER_CREATED_SECRETS="v1,whsec_" + "A" * 43 + "=",
            GATEHOUSE_HOOK_LOOPBACK="true",
        ).start()
        before = loaded(server)
        if not has(before, "libFoundationNetworking"):
            assert not has(before, "libcurl")
        server.auth().sign_up("curl@example.com")
        assert calls == ["/hook"]
        assert has(loaded(server), "libcurl")
    finally:
        receiver.stop()


def test_without_libpq_a_url_of_postgresql_is_refused_with_the_remedy(tmp_path):
    # The loader takes this file first, and it is no library.
    (tmp_path / "libpq.so.5").write_text("not a library")
    settings = program.serve_settings(str(tmp_path), program.free_port(), program.free_port())
    settings |= {"GATEHOUSE_DATABASE": "postgres:///x?host=/nonexistent", "LD_LIBRARY_PATH": str(tmp_path)}
    ended = program.run("serve", environment=settings)
    assert ended.returncode == 78, ended
    assert "libpq.so.5 cannot be loaded: install PostgreSQL's client library" in ended.stderr
