"""`gatehouse operators`: who may use the console and the admin API, and how much of it."""

import pytest
from program import Server


@pytest.fixture
def server(tmp_path):
    server = Server.serve(tmp_path, GATEHOUSE_MAILER_AUTOCONFIRM="true").start()
    yield server
    server.stop()


def run(server, *arguments, code=0):
    done = server.command("operators", *arguments)
    assert done.returncode == code, done
    return done.stdout.strip() if code == 0 else done.stderr


def operators(server):
    return {line.split()[1]: line.split()[2] for line in run(server, "list").splitlines()[1:]}


def test_roles_are_given_changed_and_taken(server):
    owner = run(server, "add", "owner@example.com", "--role", "owner")
    ada = server.auth().sign_up("ada@example.com")["user"]["id"]
    assert run(server, "add", ada, "--role", "support") == ada
    assert operators(server) == {"owner@example.com": "owner", "ada@example.com": "support"}
    support = server.auth(token=server.auth().sign_in("ada@example.com").json()["access_token"])
    assert support.get("/admin/users").status == 200
    refused = support.put(f"/admin/users/{owner}", {"ban_duration": "1h"})
    assert (refused.status, refused.code) == (403, "insufficient_operator_role")
    run(server, "add", ada, "--role", "auditor")
    assert support.post(f"/admin/users/{ada}/unlock").code == "insufficient_operator_role"
    run(server, "remove", "ada@example.com")
    assert support.get("/admin/users").code == "not_admin"
    assert operators(server) == {"owner@example.com": "owner"}
    assert server.auth().sign_in("ada@example.com").status == 200


def test_the_last_owner_stays(server):
    run(server, "add", "owner@example.com", "--role", "owner")
    for arguments in (["remove", "owner@example.com"], ["add", "owner@example.com", "--role", "support"]):
        refused = run(server, *arguments, code=1)
        assert "This is the last owner." in refused
    run(server, "add", "second@example.com", "--role", "owner")
    run(server, "remove", "owner@example.com")
    assert operators(server) == {"second@example.com": "owner"}


def test_an_address_that_nobody_proved_gets_no_rights(server):
    stranger = server.auth().sign_up("victim@example.com")["user"]["id"]
    refused = run(server, "add", "victim@example.com", "--role", "owner", code=1)
    assert "a stranger may have registered it" in refused and stranger in refused
    assert operators(server) == {}
    missing = run(server, "remove", "victim@example.com", code=1)
    assert "No operator is victim@example.com." in missing
    assert run(server, "add", "nobody", "--role", "support", code=1)
