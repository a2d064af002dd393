"""Hooks, from a request to a receiver that verifies the signatures."""

import base64
import json
import threading

import postgres
import pytest
from hook_receiver import LOOPBACK, receiver
from program import PASSWORD, at_once

ADA = "ada@example.org"


def claims_of(session):
    part = session["access_token"].split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def sign_up(server, email=ADA):
    return server.auth().post("/signup", {"email": email, "password": PASSWORD})


def refresh(server, session):
    return server.auth().post("/token?grant_type=refresh_token", {"refresh_token": session["refresh_token"]})


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=postgres.needs_server)])
def database(request):
    """The settings of each database."""
    if request.param == "sqlite":
        return {}
    return {"GATEHOUSE_DATABASE": request.getfixturevalue("cluster").database().url}


def test_claims_are_custom_at_every_issue(servers):
    with receiver() as hooks:
        server = servers.serve(**hooks.hook("custom_access_token")).start()
        hooks.answers["/custom_access_token"] = lambda call: (
            200, {"claims": call.json["claims"] | {"user_role": "editor", "role": "editor"}})
        session = sign_up(server).json()
        assert claims_of(session)["user_role"] == "editor"
        assert claims_of(server.auth().sign_in(ADA).json())["role"] == "editor"
        assert claims_of(refresh(server, session).json())["user_role"] == "editor"
        assert server.auth(token=session["access_token"]).get("/user").status == 200
        calls = hooks.at("/custom_access_token")
        assert [call.json["authentication_method"] for call in calls] == ["password", "password", "token_refresh"]
        assert calls[0].json["user_id"] == session["user"]["id"] == calls[0].json["claims"]["sub"]
        assert calls[0].json["metadata"] | {"uuid": "", "time": ""} == {
            "uuid": "", "time": "", "name": "customize-access-token", "ip_address": "127.0.0.1"}


@pytest.mark.parametrize(
    "change",
    [{"sub": "6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60"}, {"iss": "https://evil.example"}, {"exp": 99_999_999_999},
     {"session_id": "6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60"}, {"aal": "aal3"}, {"role": None}, {"email": None},
     {"aud": 5}, {"app_metadata": []}, {"is_anonymous": True}, {"large": "x" * 70_000}])
def test_claims_cannot_be_forged_or_missing(servers, change):
    with receiver() as hooks:
        server = servers.serve(**hooks.hook("custom_access_token")).start()
        hooks.answers["/custom_access_token"] = lambda call: (200, {"claims": call.json["claims"] | change})
        answer = sign_up(server)
        assert (answer.status, answer.code) == (500, "unexpected_failure")
        # Neither account nor session exist: the address is still free.
        hooks.answers.clear()
        hooks.answers["/custom_access_token"] = lambda call: (200, {"claims": call.json["claims"]})
        assert server.auth().sign_in(ADA).code == "invalid_credentials"
        session = sign_up(server).json()
        assert len(server.auth(token=session["access_token"]).get("/sessions").json()["sessions"]) == 1


def test_a_claim_that_is_not_required_may_go(servers):
    with receiver() as hooks:
        server = servers.serve(**hooks.hook("custom_access_token")).start()
        kept = ("iss", "aud", "exp", "iat", "sub", "role", "aal", "session_id", "email", "phone", "is_anonymous")
        hooks.answers["/custom_access_token"] = lambda call: (
            200, {"claims": {name: call.json["claims"][name] for name in kept}})
        assert set(claims_of(sign_up(server).json())) == set(kept)


FAILURES = {
    "status": (lambda call: (500, {}), 500, "unexpected_failure"),
    "busy": (lambda call: (503, {}), 500, "unexpected_failure"),
    "text": (lambda call: (200, b"{}", {"Content-Type": "text/plain"}), 400, "hook_payload_invalid_content_type"),
    "long": (lambda call: (200, b" " * 210_000), 422, "hook_payload_over_size_limit"),
    "redirect": (lambda call: (302, {}, {"Location": "http://169.254.169.254/"}), 500, "unexpected_failure"),
    "no JSON": (lambda call: (200, b"{"), 500, "unexpected_failure"),
    "refusal": (lambda call: (200, {"error": {"http_code": 403, "message": "Not today"}}), 403, "unknown"),
}


@pytest.mark.parametrize("kind", FAILURES)
def test_a_failure_is_reported_and_a_refresh_can_be_repeated(servers, kind):
    fault, status, code = FAILURES[kind]
    with receiver() as hooks:
        server = servers.serve(**hooks.hook("custom_access_token")).start()
        good = lambda call: (200, {"claims": call.json["claims"]})  # noqa: E731
        hooks.answers["/custom_access_token"] = good
        session = sign_up(server).json()
        hooks.answers["/custom_access_token"] = fault
        answer = server.auth().sign_in(ADA)
        assert (answer.status, answer.code) == (status, code), answer.body
        for _ in range(2):
            answer = refresh(server, session)
            assert (answer.status, answer.code) == (403 if kind == "refusal" else 503, code), answer.body
        hooks.answers["/custom_access_token"] = good
        fresh = refresh(server, session).json()
        assert server.auth(token=fresh["access_token"]).get("/user").status == 200
        assert refresh(server, fresh).status == 200


def test_a_busy_hook_is_asked_again_with_the_same_id(servers):
    with receiver() as hooks:
        server = servers.serve(**hooks.hook("custom_access_token")).start()

        def answer(call):
            if len(hooks.at(call.path)) < 3:
                return 429, {}, {"Retry-After": "0"}
            return 200, {"claims": call.json["claims"]}

        hooks.answers["/custom_access_token"] = answer
        assert sign_up(server).status == 200
        calls = hooks.at("/custom_access_token")
        assert len(calls) == 3 and len({call.id for call in calls}) == 1


def test_a_hook_that_hangs_ends_the_request_in_five_seconds(servers):
    with receiver() as hooks:
        release = threading.Event()
        hooks.answers["/custom_access_token"] = lambda call: release.wait(300) and (200, {})
        server = servers.serve(**hooks.hook("custom_access_token")).start()
        answer = sign_up(server)
        release.set()
        assert (answer.status, answer.code) == (422, "hook_timeout")


def test_a_failure_may_pass(servers):
    with receiver() as hooks:
        settings = hooks.hook("custom_access_token", on_failure="continue") | hooks.hook(
            "before_user_created", on_failure="continue")
        server = servers.serve(**settings).start()
        hooks.answers["/custom_access_token"] = lambda call: (500, {})
        hooks.answers["/before_user_created"] = lambda call: (500, {})
        assert sign_up(server).status == 200
        # A decision is no failure.
        hooks.answers["/before_user_created"] = lambda call: (200, {"error": {"http_code": 400, "message": "No"}})
        assert sign_up(server, "bob@example.org").status == 400


def test_a_hook_may_call_the_admin_api_for_the_same_user(servers, database):
    with receiver() as hooks:
        server = servers.serve(**hooks.hook("custom_access_token"), **database).start()

        def answer(call):
            changed = server.admin().put(
                "/admin/users/" + call.json["user_id"], {"app_metadata": {"seen": len(hooks.at(call.path))}})
            # A sign-up is asked about before the account exists.
            assert changed.status == (404 if len(hooks.at(call.path)) == 1 else 200), changed.body
            return 200, {"claims": call.json["claims"] | {"seen": True}}

        hooks.answers["/custom_access_token"] = answer
        session = sign_up(server).json()
        assert claims_of(session)["seen"] is True
        assert len(hooks.at("/custom_access_token")) == 1
        sessions = [server.auth().sign_in(ADA).json() for _ in range(3)]
        answers = at_once(*[lambda session=session: refresh(server, session) for session in sessions])
        assert [answer.status for answer in answers] == [200] * 3
        assert hooks.problems == []


def test_before_user_created_decides_about_every_new_account(servers, database):
    with receiver() as hooks:
        server = servers.serve(**hooks.hook("before_user_created"), **database).start()
        seen = hooks.answers["/before_user_created"] = lambda call: (
            (200, {}) if (call.json["user"]["email"] or "").endswith("@example.org")
            else (200, {"error": {"http_code": 403, "message": "Only example.org"}}))
        assert seen
        user = sign_up(server).json()["user"]
        (call,) = hooks.at("/before_user_created")
        assert call.json["user"]["id"] == user["id"] and call.json["metadata"]["name"] == "before-user-created"
        refused = sign_up(server, "eve@example.com")
        assert refused.status == 403 and "Only example.org" in refused.body.decode()
        assert server.auth().sign_in("eve@example.com").code == "invalid_credentials"
        anonymous = server.auth().post("/signup", {})
        assert anonymous.status == 403
        # A sign-in asks nothing.
        count = len(hooks.calls)
        assert server.auth().sign_in(ADA).status == 200
        assert len(hooks.calls) == count
        hooks.answers["/before_user_created"] = lambda call: (200, {"decision": "reject", "message": "Closed"})
        assert sign_up(server, "bob@example.org").status == 403


def test_an_attempt_at_a_password_can_be_rejected(servers):
    with receiver() as hooks:
        server = servers.serve(**hooks.hook("password_verification_attempt")).start()
        session = sign_up(server).json()
        path = "/password_verification_attempt"
        assert server.auth().sign_in(ADA).status == 200
        assert server.auth().sign_in(ADA, "wrong").code == "invalid_credentials"
        assert [call.json["valid"] for call in hooks.at(path)] == [True, False]
        assert hooks.at(path)[0].json["user_id"] == session["user"]["id"]
        hooks.answers[path] = lambda call: (
            200, {"decision": "reject", "message": "Too many", "should_logout_user": True})
        answer = server.auth().sign_in(ADA)
        assert (answer.status, answer.code) == (400, "invalid_credentials") and "Too many" in answer.body.decode()
        assert refresh(server, session).code == "refresh_token_not_found"
        # Without an account, the hook is not called.
        count = len(hooks.at(path))
        assert server.auth().sign_in("nobody@example.org").code == "invalid_credentials"
        assert len(hooks.at(path)) == count


MAILS = {"GOTRUE_MAILER_AUTOCONFIRM": "false", "GOTRUE_SMTP_MAX_FREQUENCY": "0"}


def test_a_hook_sends_the_mails(servers, database):
    with receiver() as hooks:
        server = servers.serve(**hooks.hook("send_email"), **MAILS, **database).start()
        tries = []

        def answer(call):
            tries.append(call.id)
            return (500, {}) if len(tries) == 1 else (200, {})

        hooks.answers["/send_email"] = answer
        assert sign_up(server).status == 200
        call = hooks.wait("/send_email", 2)[-1]
        assert tries[0] == tries[1] == call.json["metadata"]["uuid"]
        data = call.json["email_data"]
        assert call.json["user"]["email"] == ADA and data["email_action_type"] == "signup"
        assert data["recipient"] == ADA and data["site_url"] == server.auth_url and data["token_new"] == "" and len(data["token"]) == 6
        body = {"type": "signup", "email": ADA, "token": data["token"]}
        session = server.auth().post("/verify", body).json()
        assert server.auth().post("/recover", {"email": ADA}).status == 200
        data = hooks.wait("/send_email", 3)[-1].json["email_data"]
        assert data["email_action_type"] == "recovery"
        answer = server.auth().post("/verify", {"type": "recovery", "token_hash": data["token_hash"]})
        assert answer.status == 200, answer.body
        # Both codes of a change come together.
        client = server.auth(token=session["access_token"])
        changed = client.put("/user", {"email": "ada@example.com"})
        assert changed.status == 200, changed.body
        call = hooks.wait("/send_email", 4)[-1]
        data = call.json["email_data"]
        assert call.json["user"]["new_email"] == "ada@example.com" and data["email_action_type"] == "email_change"
        assert "recipient" not in data
        for email, token in ((ADA, data["token"]), ("ada@example.com", data["token_new"])):
            body = {"type": "email_change", "email": email, "token": token}
            assert client.post("/verify", body).status == 200
        assert server.auth().sign_in("ada@example.com").status == 200
        assert len(hooks.calls) == 4


def test_a_developer_tries_hooks_on_the_laptop(servers):
    with receiver() as hooks:
        settings = hooks.hook("before_user_created") | hooks.webhook(events=["user.created"])
        server = servers.dev()
        # Without GATEHOUSE_HOOK_LOOPBACK.
        server.environment = {name: value for name, value in settings.items() if name not in LOOPBACK}
        assert sign_up(server.start()).status == 200
        assert hooks.wait("/before_user_created", 1)[0].json["user"]["email"] == ADA
        assert hooks.wait("/app", 1)[0].json["data"]["user"]["email"] == ADA
        # Commands on its folder read the same variables.
        tested = server.command("hooks", "test", "app")
        assert tested.returncode == 0, tested.stderr
        assert hooks.wait("/app", 2)[1].json["type"] == "gatehouse.test"
        eve = server.command("users", "create", "--email", "eve@example.com")
        assert eve.returncode == 0, eve.stderr
        assert hooks.wait("/app", 3)[2].json["data"]["user"]["email"] == "eve@example.com"
        server.environment = {}
        unset = server.command("hooks", "test", "app")
        assert unset.returncode != 0 and "GATEHOUSE_WEBHOOKS" in unset.stderr, unset.stderr


def test_the_hook_decides_about_accounts_that_mailed_codes_make(servers):
    with receiver() as hooks:
        settings = hooks.hook("send_email") | hooks.hook("before_user_created")
        server = servers.serve(**settings, **MAILS).start()
        hooks.answers["/before_user_created"] = lambda call: (
            (200, {}) if call.json["user"]["email"] == ADA else (200, {"error": {"message": "No", "http_code": 403}}))
        for email in ("eve@example.com", ADA):
            assert server.auth().post("/otp", {"email": email}).status == 200
        (call,) = hooks.wait("/send_email", 1)
        hooks.wait("/before_user_created", 2)
        assert call.json["user"]["email"] == ADA
        assert [user["email"] for user in server.admin().get("/admin/users").json()["users"]] == [ADA]
        assert server.admin().post("/invite", {"email": "eve@example.com"}).status == 403
        assert server.admin().post("/invite", {"email": "bob@example.org"}).status == 403
