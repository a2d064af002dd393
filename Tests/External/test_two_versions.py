"""Another build of the program on the same database: each works with the other's data, in turn and, on PostgreSQL,
concurrently.

GATEHOUSE_OTHER_BINARY names the other program; `make soak` builds the previous commit. Without it the test uses the program
itself, so it always runs.
"""

import os

import program
import pytest
from postgres import needs_server
from program import PASSWORD, free_port

OTHER = os.environ.get("GATEHOUSE_OTHER_BINARY") or program.BINARY


class Person:
    """Signed in with one program, continues with another."""

    def __init__(self, server, email):
        self.email, self.session = email, server.auth().sign_up(email, data={"first_name": "Ada"})
        self.name = "Ada"

    def go_on(self, server):
        auth, token = server.auth(), self.session["access_token"]
        assert auth.user(token).json()["email"] == self.email
        assert server.gateway().get("/v1/auth/me", token=token).json()["profile"]["first_name"] == self.name
        refreshed = auth.refresh(self.session["refresh_token"])
        assert refreshed.status == 200, refreshed
        # The response was lost: the same token is presented again.
        again = auth.refresh(self.session["refresh_token"])
        assert again.json()["refresh_token"] == refreshed.json()["refresh_token"]
        self.session, self.name = again.json(), self.name + "!"
        edited = server.gateway().patch("/v1/auth/me", {"first_name": self.name}, token=self.session["access_token"])
        assert edited.status == 200, edited
        assert auth.sign_in(self.email, PASSWORD).status == 200

    def leave(self, server):
        assert server.gateway().delete("/v1/auth/me", token=self.session["access_token"]).status == 204
        assert server.auth().sign_in(self.email).status == 400


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=needs_server)])
def settings(request, tmp_path):
    """The settings that all nodes share."""
    database = str(tmp_path / "gatehouse.sqlite")
    if request.param == "postgres":
        database = request.getfixturevalue("cluster").database().url
    return {"GATEHOUSE_DATABASE": database, "API_EXTERNAL_URL": f"http://127.0.0.1:{free_port()}/auth/v1"}


def node(servers, settings, binary):
    server = servers.serve(**settings)
    server.binary = binary
    # An earlier program does not have the setting, and no test here is about teams.
    del server.environment["GATEHOUSE_TEAM_CATALOGUE"]
    return server.start()


@pytest.mark.parametrize("order", ["the other first", "this one first"])
def test_one_after_the_other(servers, settings, order):
    first, second = (OTHER, program.BINARY) if order == "the other first" else (program.BINARY, OTHER)
    old = node(servers, settings, first)
    people = [Person(old, f"person{number}@example.com") for number in range(3)]
    old.stop()
    for binary in (second, first, second):
        server = node(servers, settings, binary)
        for person in people:
            person.go_on(server)
        people.append(Person(server, f"person{len(people)}@example.com"))
        server.stop()
    server = node(servers, settings, first)
    for person in people:
        person.leave(server)


@pytest.mark.parametrize("settings", [pytest.param("postgres", marks=needs_server)], indirect=True)
def test_concurrently(servers, settings):
    # The newer one migrates; the older one serves on a schema to which was only added (Docs/operations.md).
    nodes = [node(servers, settings, program.BINARY), node(servers, settings, OTHER)]
    people = [Person(nodes[number % 2], f"person{number}@example.com") for number in range(4)]
    for turn in range(4):
        for number, person in enumerate(people):
            person.go_on(nodes[(number + turn) % 2])
    for number, person in enumerate(people):
        person.leave(nodes[number % 2])
