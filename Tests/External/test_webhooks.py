"""Webhooks, from a change of an account to a receiver that fails, hangs, redirects or is gone."""

import json
import sqlite3
import subprocess
import threading

import postgres
import pytest
from hook_receiver import receiver
from program import PASSWORD, poll
from test_hooks import ADA, database, refresh, sign_up  # noqa: F401


def types(calls):
    return [call.json["type"] for call in calls]


def of_user(calls, user):
    def owner(call):
        data = call.json["data"]
        return data["user"]["id"] if "user" in data else next(iter(v for k, v in data.items() if k != "reason"))["user_id"]

    return [call for call in calls if owner(call) == user]


def deliveries(server):
    return [json.loads(line) for line in server.command("hooks", "list", "--json").stdout.splitlines()]


def test_events_arrive_once_and_in_order(servers, database):
    with receiver() as app:
        server = servers.serve(**app.webhook(), **database).start()
        session = sign_up(server).json()
        user = session["user"]["id"]
        client = server.auth(token=session["access_token"])
        assert client.put("/user", {"data": {"color": "blue"}}).status == 200
        other = server.auth().sign_in(ADA).json()
        assert refresh(server, other).status == 200
        assert client.put("/user", {"password": PASSWORD + " 2"}).status == 200
        assert client.post("/logout").status == 204
        assert server.admin().delete(f"/admin/users/{user}").status == 200
        calls = app.wait("/app", 8)
        assert types(calls) == [
            "user.created", "session.started", "user.updated", "session.started", "session.ended", "user.updated",
            "session.ended", "user.deleted"]
        assert len({call.id for call in calls}) == 8
        assert calls[0].json["data"]["user"]["email"] == ADA
        assert calls[2].json["data"]["user"]["user_metadata"]["color"] == "blue"
        assert calls[4].json["data"]["reason"] == "password_changed"
        assert calls[6].json["data"]["reason"] == "signed_out_everywhere"
        assert calls[7].json["data"] == {"user": {"id": user}}
        said = json.dumps([call.json for call in calls])
        for secret in (session["access_token"], session["refresh_token"], PASSWORD, "$argon2"):
            assert secret not in said
        # A deleted user's deliveries are erased after the last one.
        poll(lambda: [d["event"] for d in deliveries(server)] == ["user.deleted"], "the end")


def test_only_the_chosen_events_are_sent(servers):
    with receiver() as app:
        server = servers.serve(**app.webhook(events=["user.*", "session.ended"])).start()
        session = sign_up(server).json()
        assert server.auth(token=session["access_token"]).post("/logout").status == 204
        assert types(app.wait("/app", 2)) == ["user.created", "session.ended"]


def test_a_receiver_that_fails_gets_the_same_message_again_and_the_order_stays(servers, database):
    with receiver() as app:
        server = servers.serve(**app.webhook(), **database).start()
        app.answers["/app"] = lambda call: (500 if len(app.at("/app")) == 1 else 200, b"no")
        user = sign_up(server).json()["user"]["id"]
        calls = app.wait("/app", 3)
        assert calls[0].id == calls[1].id and calls[0].body == calls[1].body
        assert types(of_user(calls, user)) == ["user.created", "user.created", "session.started"]
        assert calls[1].at - calls[0].at > 3
        assert poll(lambda: {d["state"] for d in deliveries(server)} == {"delivered"}, "the status")


def pass_a_minute(server, database):
    """Moves what the killed process has leased to where it is a minute later."""
    if database:
        statement = "UPDATE webhook_deliveries SET next_at = next_at - interval '1 minute'"
        subprocess.run([postgres.PSQL, "-X", "-q", "-c", statement, database["GATEHOUSE_DATABASE"]], check=True)
        return
    with sqlite3.connect(server.database_path) as file:
        file.execute("UPDATE webhook_deliveries SET next_at = next_at - 60000000")


def test_events_survive_a_crash_and_a_receiver_that_was_away(servers, database):
    with receiver() as app:
        release = threading.Event()
        app.answers["/app"] = lambda call: release.wait(300) and (200, {})
        server = servers.serve(**app.webhook(), **database).start()
        users = [sign_up(server, f"user{number}@example.org").json()["user"]["id"] for number in range(3)]
        app.wait("/app", 3)
        server.end_now()
        release.set()
        pass_a_minute(server, database)
        server.start()
        poll(lambda: {d["state"] for d in deliveries(server)} == {"delivered"}, "the deliveries")
        for user in users:
            assert types(of_user(app.at("/app"), user))[-2:] == ["user.created", "session.started"]


def test_a_receiver_that_is_gone_is_disabled_until_a_test_reaches_it(servers):
    with receiver() as app:
        app.answers["/app"] = lambda call: (410, {})
        server = servers.serve(**app.webhook()).start()
        sign_up(server)
        poll(lambda: {d["state"] for d in deliveries(server)} == {"failed"}, "the end of the deliveries")
        assert len(app.at("/app")) == 1
        listed = server.command("hooks", "list").stdout
        assert "disabled" in listed and "410" in listed
        test = server.command("hooks", "test", "app")
        assert test.returncode != 0 and "410" in test.stderr
        app.answers.clear()
        test = server.command("hooks", "test", "app")
        assert test.returncode == 0, test.stderr
        assert types(app.at("/app"))[-1] == "gatehouse.test"
        replayed = server.command("hooks", "replay", "--failed", "app")
        assert replayed.stdout == "2 deliveries queued\n", replayed.stderr
        assert types(app.wait("/app", 5))[-2:] == ["user.created", "session.started"]
        unknown = server.command("hooks", "replay", "--failed", "ap")
        assert unknown.returncode != 0 and "no webhook ap" in unknown.stderr
        first = app.at("/app")[0]
        assert server.command("hooks", "replay", first.id).returncode == 0
        assert app.wait("/app", 6)[-1].id == first.id


@pytest.mark.parametrize("target", ["http://169.254.169.254/latest", "/elsewhere"])
def test_redirects_are_not_followed(servers, target):
    with receiver() as app:
        app.answers["/app"] = lambda call: (307, {}, {"Location": target})
        server = servers.serve(**app.webhook()).start()
        sign_up(server)
        reason = poll(lambda: next((d["reason"] for d in deliveries(server) if "reason" in d), None), "the reason")
        assert reason == "status 307: redirects are not followed"
        assert app.at("/elsewhere") == []


def test_private_addresses_are_refused(servers):
    with receiver() as app:
        settings = app.webhook()
        settings.pop("GATEHOUSE_HOOK_LOOPBACK")
        refused = servers.serve(**settings).command("check-config")
        assert refused.returncode == 78 and "expected https" in refused.stderr, refused.stderr
        assert "whsec" not in refused.stderr + refused.stdout
        # A name that leads to a private address.
        url = app.url.replace("http://127.0.0.1", "https://localhost.localdomain")
        server = servers.serve(**(settings | app.webhook(url=url) | {"GATEHOUSE_HOOK_LOOPBACK": "false"})).start()
        sign_up(server)
        poll(lambda: next((d["reason"] for d in deliveries(server) if "reason" in d), None), "the reason")
        assert app.calls == []


def test_an_answer_counts_whatever_its_body_is(servers):
    with receiver() as app:
        app.answers["/app"] = lambda call: (200, b"x" * 1_000_000)
        server = servers.serve(**app.webhook()).start()
        sign_up(server)
        poll(lambda: {d["state"] for d in deliveries(server)} == {"delivered"}, "the events")
        assert {d["attempts"] for d in deliveries(server)} == {1}


@postgres.needs_server
def test_two_nodes_deliver_each_event_once(servers, cluster):
    with receiver() as app:
        settings = {"GATEHOUSE_DATABASE": cluster.database().url, **app.webhook()}
        nodes = [servers.serve(**settings).start() for _ in range(2)]
        for number in range(20):
            sign_up(nodes[number % 2], f"user{number}@example.org")
        poll(lambda: {d["state"] for d in deliveries(nodes[0])} == {"delivered"} and len(app.calls) >= 40, "the events")
        assert len({call.id for call in app.calls}) == len(app.calls) == 40


def test_metrics_count_events(servers):
    with receiver() as app:
        server = servers.serve(**app.webhook()).start()
        sign_up(server)
        app.wait("/app", 2)
        text = 'gatehouse_webhooks_total{endpoint="app",outcome="delivered"} 2'
        poll(lambda: text in server.metrics().body.decode(), "the counter")
        assert "whsec" not in server.log()
