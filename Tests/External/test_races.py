"""Two concurrent operations, of which only one may succeed, or one must see the other."""

import program
import pytest
from program import PASSWORD

NEW_PASSWORD = "another horse 43 battery"


def at_once(server, *actions):
    """Each action gets a client whose connection is open; they start together. Their results, in order."""
    clients = [server.auth() for _ in actions]
    for client in clients:
        client.get("/health")
    try:
        pairs = zip(actions, clients, strict=True)
        return program.at_once(*(lambda action=action, client=client: action(client) for action, client in pairs))
    finally:
        for client in clients:
            client.close()


def test_concurrent_sign_ups_with_one_address_create_one_account(server, new_email):
    for _ in range(5):
        email = new_email()
        spellings = [email, email.upper(), email.capitalize()]

        def sign_up(client, spellings=spellings, email=email):
            return client.post("/signup", {"email": spellings.pop() if spellings else email, "password": PASSWORD})

        answers = at_once(server, *[sign_up] * 6)
        assert sorted(answer.status for answer in answers) == [200, 422, 422, 422, 422, 422], answers
        assert {answer.code for answer in answers if answer.status == 422} == {"user_already_exists"}
        listed = server.admin().get(f"/admin/users?filter={email}").json()["users"]
        assert [user["email"] for user in listed] == [email]


def test_concurrent_changes_to_one_address_have_one_winner(server, new_email):
    wanted = new_email("wanted")
    tokens = [server.auth().sign_up(new_email())["access_token"] for _ in range(4)]
    admin = server.admin()
    ids = [server.auth().user(token).json()["id"] for token in tokens]

    def take(user):
        def act(client):
            client.headers.update(admin.headers)
            return client.put(f"/admin/users/{user}", {"email": wanted, "email_confirm": True})

        return act

    answers = at_once(server, *(take(user) for user in ids))
    assert sorted(answer.status for answer in answers) == [200, 422, 422, 422], answers
    assert [user["email"] for user in admin.get(f"/admin/users?filter={wanted}").json()["users"]] == [wanted]


def test_no_session_of_the_old_password_survives_its_change(server, new_email):
    """Also not the one of a sign-in that was checked before the change and is written after it."""
    for _ in range(8):
        email = new_email()
        session = server.auth().sign_up(email)

        def change(client, session=session):
            return client.put("/user", {"password": NEW_PASSWORD}, token=session["access_token"])

        changed, *signed_in = at_once(server, change, *[lambda client, email=email: client.sign_in(email)] * 5)
        assert changed.status == 200, changed
        for answer in signed_in:
            assert answer.status in (200, 400), answer
            if answer.status == 200:
                late = server.auth().refresh(answer.json()["refresh_token"])
                assert (late.status, late.code) == (400, "refresh_token_not_found"), late
        assert server.auth().refresh(session["refresh_token"]).status == 200
        assert server.auth().sign_in(email, NEW_PASSWORD).status == 200


@pytest.mark.parametrize("end", ["sign-out", "deletion", "ban"])
def test_nothing_outlives_the_end(server, new_email, end):
    """Refreshes that run beside a sign-out, a deletion or a ban are before it, or are refused."""
    for _ in range(8):
        session = server.auth().sign_up(new_email())
        user, token = session["user"]["id"], session["access_token"]

        def finish(client, user=user, token=token):
            if end == "sign-out":
                return client.post("/logout", token=token)
            if end == "deletion":
                return server.gateway().delete("/v1/auth/me", token=token)
            return server.admin().put(f"/admin/users/{user}", {"ban_duration": "1h"})

        def refresh(client, session=session):
            return client.refresh(session["refresh_token"])

        ended, *refreshed = at_once(server, finish, *[refresh] * 6)
        assert ended.status in (200, 204), ended
        for answer in refreshed:
            assert answer.status in (200, 400), answer
            if answer.status == 200:
                assert server.auth().refresh(answer.json()["refresh_token"]).status == 400
                assert server.auth().user(answer.json()["access_token"]).status == 403
        assert server.auth().user(token).status == 403


def test_deleting_twice_at_once_is_harmless(server, new_email):
    for _ in range(8):
        token = server.auth().sign_up(new_email())["access_token"]
        answers = at_once(server, *[lambda _, token=token: server.gateway().delete("/v1/auth/me", token=token)] * 4)
        assert {answer.status for answer in answers} <= {204, 401}, answers
        assert 204 in {answer.status for answer in answers}


def test_changes_of_different_members_do_not_undo_each_other(server, new_email):
    token = server.auth().sign_up(new_email())["access_token"]

    def put(name):
        return lambda client: client.put("/user", {"data": {name: name}}, token=token)

    names = [f"member-{number}" for number in range(12)]
    assert {answer.status for answer in at_once(server, *(put(name) for name in names))} == {200}
    metadata = server.auth().user(token).json()["user_metadata"]
    assert {name: name for name in names}.items() <= metadata.items()

    gateway = server.gateway()
    answers = at_once(
        server,
        lambda _: server.gateway().patch("/v1/auth/me", {"first_name": "Ana"}, token=token),
        lambda _: server.gateway().patch("/v1/auth/me", {"favorite_teams": ["nba_1610612744"]}, token=token),
        lambda _: server.gateway().patch("/api/v1/profile", {"timezone": "Europe/Berlin"}, token=token),
    )
    assert {answer.status for answer in answers} == {200}, answers
    fields = at_once(
        server,
        *(
            lambda _, name=name: server.gateway().patch("/v1/auth/me", {"data": {name: name}}, token=token)
            for name in names
        ),
    )
    assert {answer.status for answer in fields} == {200}, fields
    profile = gateway.get("/v1/auth/me", token=token).json()["profile"]
    assert (profile["first_name"], profile["favorite_teams"]) == ("Ana", ["nba_1610612744"])
    assert profile["data"] == {name: name for name in names}
    assert gateway.get("/api/v1/profile", token=token).json()["timezone"] == "Europe/Berlin"
