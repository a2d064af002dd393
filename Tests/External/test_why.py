"""`gatehouse why`: the chain of a user's ended sessions, and what an earlier program leaves of it."""

import json

import pytest
from postgres import needs_server
from program import PASSWORD

HEADER = "x-gatehouse-session-end"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=needs_server)])
def server(request, servers):
    settings = {}
    if request.param == "postgres":
        settings["GATEHOUSE_DATABASE"] = request.getfixturevalue("cluster").database().url
    return servers.serve(**settings).start()


def why(server, *arguments):
    ended = server.command("why", "--json", *arguments)
    assert ended.returncode == 0, ended
    return [json.loads(line) for line in ended.stdout.splitlines()]


def test_the_chain_of_a_user(server, new_email):
    auth, email = server.auth(), new_email("why")
    first = auth.sign_up(email)
    user = first["user"]["id"]
    assert why(server, email) == []
    assert server.command("why", email).stdout == "Nothing stops this user's sign-ins.\n\nNone of this user's sessions has ended.\n"
    second = auth.sign_in(email).json()
    changed = auth.put("/user", {"password": PASSWORD + "!"}, token=second["access_token"])
    assert changed.status == 200, changed
    assert server.command("users", "sign-out", email).returncode == 0
    newest, oldest = why(server, email)
    assert (newest["reason"], newest["actor"]) == ("signed_out_everywhere", "command_line")
    assert (oldest["reason"], oldest["actor"]) == ("password_changed", "other_device")
    assert oldest["request_id"] == changed.headers["x-request-id"] and oldest["by_ip"] == "127.0.0.1"
    assert oldest["story"] == "The user changed the password on another device." and oldest["advice"]
    assert [each["reason"] for each in why(server, user, "--limit", "1")] == ["signed_out_everywhere"]
    listed = server.admin().get(f"/admin/users/{user}/sessions").json()
    assert listed == {"sessions": [], "ended": [newest, oldest]}
    for token, reason in ((first, "password_changed"), (second, "signed_out_everywhere")):
        refused = auth.refresh(token["refresh_token"])
        assert (refused.code, refused.headers[HEADER]) == ("refresh_token_not_found", reason)
    text = server.command("why", email).stdout
    assert text.splitlines()[0] == "Nothing stops this user's sign-ins."
    assert text.splitlines()[2].split() == ["ENDED", "DEVICE", "BEGAN", "LAST", "USED", "BY", "REQUEST", "REASON"]
    assert "password_changed: The user changed the password on another device." in text
    assert server.command("users", "delete", "--yes", email).returncode == 0
    assert server.command("why", email).returncode == 1
    assert [each["reason"] for each in why(server, user)] == [newest["reason"], oldest["reason"]]
    assert all("by_ip" not in each and "user_agent" not in each for each in why(server, user))


def test_what_is_no_user_is_refused(server):
    for name in ("nobody@example.com", "6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60"):
        ended = server.command("why", name)
        assert (ended.returncode, ended.stdout) == (1, "") and f"No account is {name}" in ended.stderr
    assert server.command("why", "neither").returncode == 1
    assert server.command("why", "a@example.com", "--limit", "101").returncode == 64
