"""The terminal client with running servers: its actions, output, storage and exit codes."""

import base64
import hashlib
import http.server
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import urllib.parse
import urllib.request
import uuid

import pytest
from authenticator import App
from program import PASSWORD, PATIENCE_SECONDS, PUBLISHABLE_KEY, TEAMS, LoopbackServer, Server, free_port, poll
from terminal import Person

# As Docs/terminal-client.md has them.
FAILED, NOT_SIGNED_IN, UNAVAILABLE, REFUSED, STORE, USAGE, INTERRUPTED = 1, 3, 4, 5, 6, 64, 130

CELTICS, LAKERS = "nba_1610612738", "nba_1610612747"


@pytest.fixture
def person(dev, tmp_path):
    """A user of the shared dev stack, by its address."""
    return Person(tmp_path / "home", dev)


@pytest.fixture
def project(servers, tmp_path):
    """A dev stack in a project's folder, and a user who runs commands there."""
    folder = tmp_path / "project"
    folder.mkdir()
    owner = Person(tmp_path / "home", folder=folder)
    owner.server = start_dev(servers, owner)
    return owner


def start_dev(servers, owner, folder=None, options=()):
    port = free_port()
    data = os.path.join(str(folder or owner.folder), ".gatehouse")
    environment = {"HOME": owner.home, "XDG_STATE_HOME": ""}
    arguments = ["dev", "--port", str(port), "--data", data, "--json", "--team-catalogue", TEAMS, *options]
    server = Server(arguments, environment, servers.folder(), port)
    return servers._add(server).start()


# A whole life.


def test_sign_up_to_sign_out_in_a_fresh_home(project, new_email):
    email = new_email()
    session = project.sign_up(email, "--first-name", "Ada")
    assert session == {"signed_in": True, "server": project.server.url, "user": session["user"]}
    assert session["user"]["email"] == email

    files = project.kept()
    assert len(files) == 2
    assert {stat.S_IMODE(os.stat(path).st_mode) for path in files} == {0o600}
    assert stat.S_IMODE(os.stat(project.state).st_mode) == 0o700

    me = project.json("whoami")
    assert me["user"]["id"] == session["user"]["id"] and me["checked"] is True
    assert me["user"]["providers"] == ["email"] and me["user"]["is_anonymous"] is False
    assert me["profile"] == {"first_name": "Ada", "data": {}, "favorite_teams": []}

    profile = project.json("profile", "set", "--first-name", "Grace", "--team", CELTICS, "--team", LAKERS)
    assert (profile["first_name"], profile["favorite_teams"]) == ("Grace", [CELTICS, LAKERS])
    assert project.json("profile") == profile

    assert project.json("logout") == {
        "signed_in": False,
        "server": project.server.url,
        "user": session["user"],
        "revoked": True,
    }
    assert project.kept() == {}
    assert project.fails(NOT_SIGNED_IN, "whoami")[0] == "not_signed_in"
    assert project.log_in(email)["user"] == session["user"]


def test_the_default_output_is_plain_text(project, new_email):
    email, url = new_email(), project.server.url
    ended = project.run(
        "signup", "--email", email, "--first-name", "Ada", "--password-stdin", stdin=PASSWORD + "\n"
    )
    assert (ended.code, ended.out) == (0, f"Signed in as {email} at {url}.\n")
    assert project.state in ended.err
    assert project.run("whoami").out.splitlines()[:2] == [f"Signed in as  {email}", "First name    Ada"]
    assert "No favorite teams yet" in project.run("profile").out
    ended = project.run("profile", "set", "--team", CELTICS)
    assert f"Boston Celtics ({CELTICS})" in ended.out and ended.err == ""
    assert project.run("logout").out == f"Signed out {email} at {url}.\n"
    assert project.run("logout").out == f"Not signed in at {url}.\n"
    ended = project.run("profile")
    assert (ended.code, ended.out) == (NOT_SIGNED_IN, "")
    assert ended.err == f"Error: Not signed in at {url}. Run `gatehouse login`.\n"


# Signing in.


def test_a_refused_sign_in_reports_the_reason_and_keeps_the_session(person, new_email):
    first, second = new_email(), new_email()
    person.sign_up(second)
    person.sign_up(first)
    for email, password in [(second, "not it at all"), (new_email("nobody"), PASSWORD)]:
        failure = person.fails(
            NOT_SIGNED_IN, "login", "--email", email, "--password-stdin", stdin=password + "\n"
        )
        assert failure == ("invalid_credentials", "Incorrect email or password. Please try again.")
    assert person.json("whoami")["user"]["email"] == first
    person.log_in(second)
    assert person.json("whoami")["user"]["email"] == second


def test_a_sign_in_ends_the_session_that_it_replaces(person, dev, new_email):
    email = new_email()
    token = dev.auth().sign_up(email)["access_token"]
    person.log_in(email)
    person.log_in(email)
    assert len(dev.auth(token=token).get("/sessions").json()["sessions"]) == 2


def test_a_refused_sign_up_reports_the_reason(person, new_email):
    email = new_email()
    person.sign_up(email)
    person.json("logout")
    again = person.fails(REFUSED, "signup", "--email", email, "--password-stdin", stdin=PASSWORD + "\n")
    assert again[0] == "user_already_exists" and again[1].startswith("An account with this email already exists.")
    weak = person.fails(REFUSED, "signup", "--email", new_email(), "--password-stdin", stdin="short\n")
    assert weak == ("weak_password", "Password must be at least 8 characters.")
    assert person.fails(NOT_SIGNED_IN, "whoami")[0] == "not_signed_in"


def test_a_pending_sign_up_signs_nobody_in(servers, tmp_path, new_email):
    person = Person(tmp_path, servers.serve(GOTRUE_MAILER_AUTOCONFIRM="false").start())
    email = new_email()
    answer = person.sign_up(email)
    assert (answer["signed_in"], answer["user"]) == (False, None)
    assert person.kept() == {}
    failure = person.fails(NOT_SIGNED_IN, "login", "--email", email, "--password-stdin", stdin=PASSWORD + "\n")
    assert failure[0] == "email_not_confirmed"


@pytest.mark.parametrize(
    "arguments, stdin",
    [
        (["login"], ""),
        (["login", "--email", "ada@example.com"], ""),
        (["login", "--email", "ada@example.com", "--password-stdin"], ""),
        (["login", "--email", "ada@example.com", "--password-stdin"], "\n"),
        (["login", "--email", "ada", "--password-stdin"], "something\n"),
        (["login", "--password", "something"], ""),
        (["login", "--url", "ftp://example.com", "--email", "ada@example.com", "--password-stdin"], "something\n"),
        (["whoami", "--url", "http://example.com"], ""),
        (["whoami", "--key", "sb_secret_something"], ""),
        (["sessions", "revoke", "not-an-id"], ""),
    ],
)
def test_invalid_command_lines_are_usage_errors(person, arguments, stdin):
    assert person.fails(USAGE, *arguments, stdin=stdin)[1]


def test_the_address_of_the_auth_api_will_do(person, dev, new_email):
    person.sign_up(new_email())
    assert person.json("whoami", "--url", dev.auth_url + "/")["server"] == dev.url


def test_a_server_that_wants_a_key_gets_it(servers, tmp_path, new_email):
    server = servers.serve(GATEHOUSE_REQUIRE_API_KEY="true").start()
    person = Person(tmp_path, server)
    arguments = ["signup", "--email", new_email(), "--password-stdin"]
    code, message = person.fails(REFUSED, *arguments, stdin=PASSWORD + "\n")
    assert code == "invalid_api_key" or code == "no_api_key"
    assert "--key" in message
    person.json(*arguments, "--key", PUBLISHABLE_KEY, stdin=PASSWORD + "\n")
    person.environment["GATEHOUSE_KEY"] = PUBLISHABLE_KEY
    assert person.json("whoami")["checked"] is True


# The profile and the sessions.


def test_a_profile_keeps_absent_fields_and_clears_empty_ones(person, new_email):
    person.sign_up(new_email(), "--first-name", "Ada")
    person.json("profile", "set", "--team", CELTICS, "--name", "Ada Byron", "--timezone", "Europe/London")
    profile = person.json("profile", "set", "--avatar-url", "https://example.com/ada.png", "--clear-first-name")
    assert profile["first_name"] is None and profile["avatar_url"] == "https://example.com/ada.png"
    assert (profile["name"], profile["timezone"]) == ("Ada Byron", "Europe/London")
    assert profile["favorite_teams"] == [CELTICS]
    profile = person.json("profile", "set", "--clear-teams", "--name", "")
    assert (profile["favorite_teams"], profile["name"], profile["timezone"]) == ([], None, "Europe/London")
    assert person.fails(REFUSED, "profile", "set", "--team", "no team")[0] == "BAD_REQUEST"
    assert person.json("profile") == profile


def test_an_apps_own_fields_are_changed_by_name(person, new_email):
    person.sign_up(new_email())
    profile = person.json("profile", "set", "--data", "mood=calm", "--data", "goal=8000", "--data", 'tags=["a","b"]')
    assert profile["data"] == {"mood": "calm", "goal": 8000, "tags": ["a", "b"]}
    profile = person.json("profile", "set", "--data", "mood=", "--data", "goal=null", "--data", "note=1 = 1")
    assert profile["data"] == {"tags": ["a", "b"], "note": "1 = 1"}
    assert person.run("profile").out.splitlines()[-2:] == ["note            1 = 1", 'tags            ["a","b"]']
    assert person.fails(REFUSED, "profile", "set", "--data", "a=" + "x" * 20_000)[0] == "DATA_TOO_LARGE"


def test_a_server_without_a_catalogue_has_no_teams(person, servers, new_email):
    server = servers.serve(GATEHOUSE_TEAM_CATALOGUE="").start()
    here = ("--url", server.url, "--key", PUBLISHABLE_KEY)
    code, message = person.fails(REFUSED, "teams", *here)[:2]
    assert (code, message) == ("no_team_catalogue", "This server has no team catalogue.")
    person.json("signup", "--email", new_email(), "--password-stdin", *here, stdin=PASSWORD + "\n")
    assert "favorite_teams" not in person.json("profile", *here)
    assert "teams" not in person.run("profile", *here).out
    for change in (("--team", CELTICS), ("--clear-teams",)):
        failure = person.fails(REFUSED, "profile", "set", "--first-name", "Grace", *change, *here)
        assert failure[:2] == (code, message)
    assert person.json("profile", *here)["first_name"] is None
    for command in (("--help",), ("teams", "--help"), ("profile", "set", "--help")):
        assert "At a server with a team catalogue:" in " ".join(person.run(*command).out.split())


def test_teams_need_no_account(person):
    teams = person.json("teams", "--league", "nba")["teams"]
    assert {team["league"] for team in teams} == {"nba"} and len(teams) == 30
    assert {"id": CELTICS, "league": "nba", "name": "Boston Celtics", "city": "Boston", "abbreviation": "BOS"} in teams
    assert len(person.json("teams")["teams"]) > len(teams)
    assert person.fails(REFUSED, "teams", "--league", "curling")[0] == "BAD_REQUEST"
    assert person.run("teams", "--league", "nba").out.splitlines()[0].split() == ["ID", "NAME", "SHORT", "LEAGUE"]


def test_sessions_are_listed_and_ended(person, dev, tmp_path, new_email):
    email = new_email()
    person.sign_up(email)
    others = [Person(tmp_path / str(number), dev) for number in range(2)]
    for other in others:
        other.log_in(email)
    sessions = person.json("sessions")["sessions"]
    assert [session["is_current"] for session in sessions] == [True, False, False]
    assert all(session["user_agent"].startswith("gatehouse-cli/") for session in sessions)
    assert person.run("sessions").out.count("(this one)") == 1

    newest = sessions[1]["id"]
    assert person.json("sessions", "revoke", newest) == {"revoked": [newest], "others": False, "signed_in": True}
    assert others[1].fails(NOT_SIGNED_IN, "whoami")[0] == "session_not_found"
    assert others[1].kept() == {}
    assert others[0].json("whoami")["checked"] is True
    assert person.fails(REFUSED, "sessions", "revoke", str(uuid.uuid4()))[0] == "not_found"

    assert person.json("sessions", "revoke", "--others")["others"] is True
    assert others[0].fails(NOT_SIGNED_IN, "whoami")[0] == "session_not_found"
    mine = [session["id"] for session in person.json("sessions")["sessions"]]
    assert person.json("sessions", "revoke", *mine) == {"revoked": mine, "others": False, "signed_in": False}
    assert person.kept() == {}


def test_signing_out_everywhere_ends_all_sessions(person, dev, tmp_path, new_email):
    email = new_email()
    person.sign_up(email)
    other = Person(tmp_path / "other", dev)
    other.log_in(email)
    person.json("logout", "--everywhere")
    assert other.fails(NOT_SIGNED_IN, "whoami")[0] == "session_not_found"


class Elsewhere(http.server.BaseHTTPRequestHandler):
    """The part of an Auth API that a sign-in needs, with a provider without a page. It lists no sessions."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if "grant_type=pkce" in self.path:
            digest = hashlib.sha256(body["code_verifier"].encode()).digest()
            challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
            if body["auth_code"] != "the-code" or challenge != self.server.challenge:
                return self.answer(400, {"code": "bad_code_verifier", "message": "no"})
        times = {"created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"}
        user = {"id": str(uuid.uuid4()), "aud": "authenticated", "email": "a\u001b[2Jda@example.com", **times}
        tokens = {"access_token": "stub.access.token", "refresh_token": "stub-refresh"}
        return self.answer(200, {**tokens, "token_type": "bearer", "expires_in": 3600, "user": user})

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        if url.path != "/auth/v1/authorize":
            return self.answer(404, {"code": 404, "msg": "Not Found"})
        query = dict(urllib.parse.parse_qsl(url.query))
        self.server.challenge = query["code_challenge"]
        self.send_response(302)
        self.send_header("Location", query["redirect_to"] + "?" + self.server.answers[query["provider"]])
        self.send_header("Content-Length", "0")
        return self.end_headers()

    def answer(self, status, body):
        body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def elsewhere():
    server = LoopbackServer(Elsewhere)
    server.answers = {"google": "code=the-code", "apple": "error=access_denied&error_description=no"}
    yield server
    server.stop()


def test_a_server_that_lists_no_sessions_is_no_mystery(elsewhere, tmp_path):
    person = Person(tmp_path, elsewhere)
    ended = person.run("login", "--email", "ada@example.com", "--password-stdin", stdin=PASSWORD + "\n")
    # A server's text does not move the cursor.
    assert ended.code == 0 and "\x1b" not in ended.out + ended.err and "a?[2Jda@example.com" in ended.out
    failure = person.fails(REFUSED, "sessions")
    assert failure == ("sessions_unsupported", "This server does not list sessions.")


@pytest.fixture
def deceiver():
    """An account server with names that reverse a terminal's text."""
    server = LoopbackServer(Deceiver)
    yield server
    server.stop()


class Deceiver(Elsewhere):
    ADDRESS = "a\u202e\u2066\u009b2J\u0085\u2028\u200fda@example.com"

    def answer(self, status, body):
        if "user" in body:
            body["user"]["email"] = self.ADDRESS
        super().answer(status, body)


def test_bidi_characters_are_escaped_for_scripts_too(deceiver, tmp_path):
    person = Person(tmp_path, deceiver)
    words = ("login", "--email", "ada@example.com", "--password-stdin")
    plain = person.run(*words, stdin=PASSWORD + "\n")
    assert "Signed in as a??" in plain.out and (plain.out + plain.err).isascii()
    ended = person.run(*words, "--json", stdin=PASSWORD + "\n")
    assert ended.code == 0 and ended.out.isascii() and r"a\u202e\u2066\u009b2J\u0085\u2028\u200fda" in ended.out
    assert ended.json()["user"]["email"] == Deceiver.ADDRESS


class Immortal(Elsewhere):
    """An account server with a token that outlives every number of seconds."""

    def answer(self, status, body):
        super().answer(status, {**body, "expires_in": 1e30, "expires_at": 1 << 62})


def test_an_impossible_lifetime_is_refused_and_stores_nothing(tmp_path):
    server = LoopbackServer(Immortal)
    try:
        person = Person(tmp_path, server)
        words = ("login", "--email", "ada@example.com", "--password-stdin")
        assert person.fails(UNAVAILABLE, *words, stdin=PASSWORD + "\n")[0] == "unexpected_answer"
        assert person.fails(NOT_SIGNED_IN, "whoami")[0] == "not_signed_in"
    finally:
        server.stop()


class Endless(http.server.BaseHTTPRequestHandler):
    """Sends an endless response until the caller disconnects."""

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        try:
            while self.server.sent < 1 << 30:
                self.server.sent += self.wfile.write(b" " * 65536)
        except OSError:
            pass

    do_GET = do_POST

    def log_message(self, *_):
        pass


def test_an_answer_without_end_fills_no_memory(tmp_path):
    server = LoopbackServer(Endless)
    server.sent = 0
    try:
        person = Person(tmp_path, server)
        words = ("login", "--email", "ada@example.com", "--password-stdin")
        code, message = person.fails(UNAVAILABLE, *words, stdin=PASSWORD + "\n")
        assert code == "unexpected_answer" and "is not an account server" in message
        # Plus the sockets' own time, for each attempt.
        assert 1 << 20 <= server.sent < 1 << 27
    finally:
        server.stop()


# In the browser.


@pytest.fixture
def visitor(elsewhere, tmp_path):
    """A user whose browser follows every redirect."""
    programs = tmp_path / "bin"
    programs.mkdir()
    opener = programs / "xdg-open"
    opener.write_text(f"#!{sys.executable}\nimport sys, urllib.request\nurllib.request.urlopen(sys.argv[1]).read()\n")
    opener.chmod(0o755)
    return Person(tmp_path / "home", elsewhere, PATH=f"{programs}:{os.environ['PATH']}")


def test_a_provider_signs_in_in_the_browser(visitor, elsewhere):
    ended = visitor.run("login", "--provider", "google")
    assert ended.code == 0 and ended.out.startswith("Signed in as a?[2Jda@example.com at ")
    assert f"  {elsewhere.url}/auth/v1/authorize?provider=google&" in ended.err
    assert len(visitor.kept()) == 2


def test_github_signs_in_through_its_stand_in(project):
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with project.at_terminal("login", "--provider", "github", "--no-browser", "--json") as terminal:
        terminal.wait_for("}")
        page = browser.open(json.loads(terminal.seen)["open"], timeout=PATIENCE_SECONDS)
        browser.open(page.url, b"person=verified", timeout=PATIENCE_SECONDS).read()
        terminal.wait_for('"signed_in":true')
        assert terminal.end() == 0
    user = project.json("whoami")["user"]
    assert user["providers"] == ["github"] and user["email"] == "verified@example.com"


def test_no_is_an_answer_in_the_browser(visitor):
    ended = visitor.run("login", "--provider", "apple", "--json")
    opened, failure = ended.err.splitlines()
    assert set(json.loads(opened)) == {"open"} and json.loads(failure)["error"] == "cancelled"
    assert (ended.code, ended.out) == (FAILED, "") and visitor.kept() == {}


def test_a_code_of_another_flow_signs_nobody_in(visitor, elsewhere):
    elsewhere.answers["google"] = "code=of-somebody-else"
    ended = visitor.run("login", "--provider", "google", "--json")
    assert json.loads(ended.err.splitlines()[1])["error"] == "bad_code_verifier"
    assert visitor.kept() == {}


def test_another_program_can_open_the_address(visitor):
    # The port shows that the browser returns to this command.
    port = free_port()
    arguments = ["login", "--provider", "google", "--no-browser", "--callback-port", str(port), "--json"]
    with visitor.at_terminal(*arguments) as terminal:
        terminal.wait_for("}")
        address = json.loads(terminal.seen)["open"]
        assert f"%3A{port}%2Fcallback" in address
        urllib.request.urlopen(address, timeout=PATIENCE_SECONDS).read()
        assert terminal.end() == 0 and '"signed_in":true' in terminal.seen


def test_an_interrupted_wait_for_the_browser_ends_at_once(visitor):
    with visitor.at_terminal("login", "--provider", "google", "--no-browser") as terminal:
        terminal.wait_for("/authorize").type("\x03")
        assert terminal.end() == INTERRUPTED


def test_a_question_about_an_account_with_a_second_factor_asks_for_its_password_and_its_code(project, new_email):
    email = new_email()
    project.sign_up(email)
    app = App(project.json("mfa", "enroll")["secret"])
    project.json("mfa", "verify", "--factor-stdin", stdin=app.code() + "\n")
    project.json("logout")
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with project.at_terminal("login", "--provider", "google", "--no-browser", "--json") as terminal:
        terminal.wait_for("}")
        page = browser.open(json.loads(terminal.seen)["open"], timeout=PATIENCE_SECONDS)
        person = urllib.parse.urlencode({"person": "existing", "email": email}).encode()
        browser.open(page.url, person, timeout=PATIENCE_SECONDS).read()
        terminal.answer(f"Password of {email}: ", PASSWORD).answer("or recovery code: ", app.code())
        terminal.wait_for('"signed_in":true')
        assert terminal.end() == 0
    user = project.json("whoami")["user"]
    assert user["email"] == email and sorted(user["providers"]) == ["email", "google"]
    assert project.json("mfa")["level"] == "aal2"
    assert len(project.json("sessions")["sessions"]) == 1


class Captchas(Elsewhere):
    """A server with captchas. The account of the provider's address has a second factor."""

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        if "grant_type=pkce" in self.path:
            question = {"link_ticket": "t" * 43, "link_ticket_expires_at": 4102444800, "email": "ada@example.com",
                        "provider": "google", "sign_in_methods": ["password"], "can_recover": False}  # fmt: skip
            return self.answer(422, {"code": "identity_needs_confirmation", "message": "no", **question})
        if "grant_type=link_confirmation" in self.path:
            return self.answer(403, {"code": "insufficient_aal", "message": "no"})
        return self.answer(400, {"code": "captcha_failed", "message": "captcha protection: request disallowed"})


def test_a_link_that_needs_a_captcha_is_refused_and_the_message_says_where_to_link(tmp_path):
    server = LoopbackServer(Captchas)
    server.answers = {"google": "code=the-code"}
    try:
        person = Person(tmp_path, server)
        words = ("login", "--email", "ada@example.com", "--password-stdin")
        assert person.fails(REFUSED, *words, stdin=PASSWORD + "\n")[0] == "captcha_failed"
        with person.at_terminal("login", "--provider", "google", "--no-browser", "--json") as terminal:
            terminal.wait_for("}")
            urllib.request.urlopen(json.loads(terminal.seen)["open"], timeout=PATIENCE_SECONDS).read()
            terminal.answer("Password of ada@example.com: ", PASSWORD).wait_for('"error":"captcha_failed"')
            assert terminal.end() == REFUSED and f"sign in with Google at {server.url}/account" in terminal.seen
        assert person.kept() == {}
    finally:
        server.stop()


# Without the server.


def test_a_restart_of_the_server_changes_nothing(project, new_email):
    email = new_email()
    project.sign_up(email)
    project.server.stop()
    project.server.start()
    assert project.json("whoami")["user"]["email"] == email


def test_without_the_server_every_command_fails_and_keeps_the_session(servers, tmp_path, new_email):
    server, email = servers.serve().start(), new_email()
    person = Person(tmp_path, server)
    person.sign_up(email)
    server.stop()
    ended = person.run("whoami", "--json")
    assert ended.code == UNAVAILABLE and ended.failure()["error"] == "offline"
    assert (ended.json()["user"]["email"], ended.json()["checked"]) == (email, False)
    for arguments in [
        ["profile"],
        ["sessions"],
        ["delete-account", "--yes"],
        ["login", "--email", email, "--password-stdin"],
    ]:
        code, message = person.fails(UNAVAILABLE, *arguments, stdin=PASSWORD + "\n")
        assert code == "offline" and server.url in message
        assert message.startswith("Unable to connect. Check your internet and try again.")
    server.start()
    assert person.json("whoami")["user"]["email"] == email
    server.stop()

    ended = person.run("logout", "--json")
    assert ended.code == UNAVAILABLE and ended.failure()["error"] == "offline"
    assert (ended.json()["signed_in"], ended.json()["revoked"]) == (False, False)
    assert person.kept() == {}
    assert person.fails(NOT_SIGNED_IN, "whoami")[0] == "not_signed_in"


def test_an_unreadable_store_is_not_a_sign_out(person, new_email):
    person.sign_up(new_email())
    path = next(path for path in person.kept() if path.endswith("refresh-token"))
    os.rename(path, path + ".aside")
    os.mkdir(path)
    try:
        for arguments in [["whoami"], ["profile"], ["sessions"]]:
            assert person.fails(STORE, *arguments)[0] == "store_unavailable"
        assert person.fails(STORE, "logout")[0] == "store_failed"
    finally:
        os.rmdir(path)
        os.rename(path + ".aside", path)
    assert person.json("whoami")["checked"] is True


# Several servers, and the one of this folder.


def test_two_servers_at_once(person, dev, server, new_email):
    first, second = new_email(), new_email()
    person.sign_up(first)
    person.sign_up(second, "--url", server.url)
    assert person.json("whoami")["user"]["email"] == first
    assert person.json("whoami", "--url", server.url)["user"]["email"] == second
    person.json("logout")
    assert person.json("whoami", "--url", server.url)["user"]["email"] == second


def test_the_dev_stack_of_a_folder_takes_precedence(servers, project, tmp_path, new_email):
    elsewhere = tmp_path / "elsewhere"
    deep = elsewhere / "a" / "b"
    deep.mkdir(parents=True)
    away = Person(project.home, folder=tmp_path)
    assert away.json("teams", "--league", "nba")["teams"]
    other = start_dev(servers, project, elsewhere)

    code, message = away.fails(USAGE, "whoami")
    assert code == "usage" and other.url in message and project.server.url in message
    below = Person(project.home, folder=deep)
    assert below.sign_up(new_email())["server"] == other.url
    assert project.sign_up(new_email())["server"] == project.server.url
    other.stop()
    assert not os.path.exists(elsewhere / ".gatehouse" / "running.json")
    assert away.json("whoami")["server"] == project.server.url


def test_the_files_that_tell_where_a_dev_stack_is_hold_no_secret(project):
    state = project.state + "-dev"
    files = [os.path.join(project.folder, ".gatehouse", "running.json")]
    files += [os.path.join(state, name) for name in os.listdir(state)]
    assert len(files) == 2
    for path in files:
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        with open(path, encoding="utf-8") as file:
            assert json.load(file) == {
                "url": project.server.url,
                "publishable_key": project.server.keys["publishable_key"],
                "folder": os.path.join(project.folder, ".gatehouse"),
                "inbox": project.server.url + "/dev/inbox",
            }
    project.server.stop()
    assert not any(os.path.exists(path) for path in files)
    assert project.fails(USAGE, "whoami")[0] == "no_server"


def test_a_crashed_dev_stack_is_distinguished_from_a_running_one(servers, project, new_email):
    project.sign_up(new_email())
    project.server.end_now()
    for folder in [project.folder, project.home]:
        code, message = Person(project.home, folder=folder).fails(UNAVAILABLE, "whoami")
        assert code == "dev_stack_ended" and project.server.url in message and "gatehouse dev" in message
    # Another listener at its old address gets no password.
    servers.serve(port=project.server.port).start()
    arguments = ["login", "--email", new_email(), "--password-stdin"]
    assert project.fails(UNAVAILABLE, *arguments, stdin=PASSWORD + "\n")[0] == "dev_stack_ended"


def test_a_server_can_be_started_where_the_client_is_configured(servers):
    server = servers.serve(GATEHOUSE_URL="http://127.0.0.1:1", GATEHOUSE_KEY="sb_publishable_x").start()
    assert server.auth().get("/health").status == 200


# The end of an account.


def test_deleting_an_account_needs_a_confirmation(person, new_email):
    email = new_email()
    user = person.sign_up(email)["user"]
    assert "--yes" in person.fails(USAGE, "delete-account")[1]
    with person.at_terminal("delete-account") as terminal:
        terminal.wait_for("This will permanently delete your account").answer(f"Type {email}", "no")
        assert terminal.end() == FAILED
    assert person.json("whoami")["user"]["id"] == user["id"]
    assert person.json("delete-account", "--yes") == {
        "deleted": True,
        "server": person.environment["GATEHOUSE_URL"],
        "user": user,
    }
    assert person.kept() == {}
    assert person.fails(NOT_SIGNED_IN, "delete-account", "--yes")[0] == "not_signed_in"
    failure = person.fails(NOT_SIGNED_IN, "login", "--email", email, "--password-stdin", stdin=PASSWORD + "\n")
    assert failure[0] == "invalid_credentials"


# At a terminal.


def test_a_password_is_prompted_for_and_not_shown(person, new_email):
    email = new_email()
    with person.at_terminal("signup") as terminal:
        terminal.answer("Email: ", email).answer("First name: ", "Ada").wait_for("Password: ")
        assert not terminal.echoes
        terminal.type(PASSWORD + "\n").answer("Password again: ", PASSWORD)
        terminal.wait_for(f"Signed in as {email}")
        assert terminal.end() == 0
        assert email in terminal.seen and PASSWORD not in terminal.seen
    assert person.json("whoami")["profile"]["first_name"] == "Ada"

    with person.at_terminal("login", "--email", email) as terminal:
        terminal.answer("Password: ", PASSWORD).wait_for("Signed in as")
        assert terminal.echoes
        assert terminal.end() == 0

    with person.at_terminal("delete-account") as terminal:
        terminal.answer(f"Type {email}", email.upper())
        assert terminal.end() == 0


def test_two_passwords_that_differ_are_not_sent(person, new_email):
    with person.at_terminal("signup", "--email", new_email(), "--first-name", "Ada") as terminal:
        terminal.answer("Password: ", PASSWORD).answer("Password again: ", "another one")
        assert terminal.end() == USAGE and "Passwords don't match." in terminal.seen


@pytest.mark.parametrize("end", ["\x03", signal.SIGINT, signal.SIGTERM, signal.SIGQUIT])
def test_an_interrupted_question_leaves_the_terminal_as_it_was(person, end):
    with person.at_terminal("login", "--email", "ada@example.com") as terminal:
        terminal.wait_for("Password: ")
        assert not terminal.echoes
        code = (terminal.type(end) if isinstance(end, str) else terminal.signal(end)).end()
        assert code == (INTERRUPTED if isinstance(end, str) else 128 + end)
        assert terminal.echoes


def test_an_administrator_gets_the_same_prompt(person, dev, new_email):
    data, email = os.path.join(dev.folder, "data"), new_email()
    arguments = ["users", "create", "--data", data, "--email", email, "--confirm", "--password-prompt"]
    with person.at_terminal(*arguments) as terminal:
        terminal.wait_for("Password: ").type("\x03")
        assert terminal.end() == INTERRUPTED and terminal.echoes
    with person.at_terminal(*arguments) as terminal:
        terminal.answer("Password: ", PASSWORD).answer("Again: ", PASSWORD)
        assert terminal.end() == 0
    assert person.log_in(email)["user"]["email"] == email


def test_a_question_that_was_stopped_hides_again(person):
    with person.at_terminal("login", "--email", "ada@example.com") as terminal:
        terminal.wait_for("Password: ").signal(signal.SIGSTOP)
        terminal.show_echo()
        terminal.signal(signal.SIGCONT)
        poll(lambda: not terminal.echoes, "the echo's end")
        terminal.type("\x03")
        assert terminal.end() == INTERRUPTED and terminal.echoes


def test_the_end_of_input_is_no_password(person):
    with person.at_terminal("login", "--email", "ada@example.com") as terminal:
        terminal.wait_for("Password: ").type("\x04")
        assert terminal.end() == FAILED and terminal.echoes


# Scripts for shells.


@pytest.mark.parametrize("shell, check", [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")])
def test_completion_scripts(person, shell, check, tmp_path):
    ended = person.run("completions", shell)
    assert ended.code == 0 and ended.err == ""
    for word in ["login", "delete-account", "--password-stdin", "whoami", "serve"]:
        assert word.lstrip("-") in ended.out
    if shutil.which(shell):
        script = tmp_path / "script"
        script.write_text(ended.out)
        parsed = subprocess.run([shell, check, str(script)], capture_output=True, text=True, timeout=PATIENCE_SECONDS)
        assert (parsed.returncode, parsed.stderr) == (0, "")


def test_bash_completes_commands_and_options(person, tmp_path):
    script = tmp_path / "gatehouse.bash"
    script.write_text(person.run("completions", "bash").out)
    body = f"""
        source {script}
        complete -p gatehouse
        COMP_WORDS=(gatehouse who) COMP_CWORD=1 COMP_LINE='gatehouse who' COMP_POINT=13
        _gatehouse gatehouse who gatehouse; echo "${{COMPREPLY[@]}}"
    """
    ended = subprocess.run(["bash", "-c", body], capture_output=True, text=True, timeout=PATIENCE_SECONDS, cwd=tmp_path)
    assert ended.stdout.splitlines()[-1] == "whoami", ended


def test_exit_codes_are_explained(person):
    table = person.run("exit-codes").out
    for code in [0, FAILED, NOT_SIGNED_IN, UNAVAILABLE, REFUSED, STORE, USAGE, INTERRUPTED]:
        assert f"{code}  " in table
    assert "64  The command line or an input is invalid" in person.run("help", "exit-codes").out


# Codes by mail.


@pytest.fixture
def confirming(servers, tmp_path):
    """A dev stack that wants addresses confirmed, in a project's folder, and a user who runs commands there."""
    folder = tmp_path / "project"
    folder.mkdir()
    owner = Person(tmp_path / "home", folder=folder)
    owner.server = start_dev(servers, owner, options=["--confirm-email"])
    return owner


def code_for(server, email, after=()):
    """The code of the newest mail to an address, of a mail that is not in `after`."""
    def newest():
        mails = [mail for mail in mails_of(server, email) if mail["id"] not in after]
        return mails and mails[0]["code"]

    return poll(newest, f"a mail to {email}")


def mails_of(server, email):
    url = f"{server.url}/dev/inbox/mails?q={urllib.parse.quote(email)}"
    with urllib.request.urlopen(url) as answer:
        return json.load(answer)["mails"]


def known(server, email):
    return {mail["id"] for mail in mails_of(server, email)}


def wrong(code):
    return f"{(int(code) + 1) % 1_000_000:06}"


def test_a_sign_up_is_verified_with_its_code(confirming, new_email):
    email, inbox = new_email(), confirming.server.url + "/dev/inbox"
    ended = confirming.run("signup", "--email", email, "--password-stdin", stdin=PASSWORD + "\n")
    assert ended.code == 0 and "gatehouse verify" in ended.out and inbox in ended.out
    login = ["login", "--email", email, "--password-stdin"]
    failure = confirming.fails(NOT_SIGNED_IN, *login, stdin=PASSWORD + "\n")
    assert failure[0] == "email_not_confirmed" and "gatehouse verify" in failure[1]
    code = code_for(confirming.server, email)
    verify = ["verify", "--email", email, "--code-stdin"]
    assert confirming.fails(NOT_SIGNED_IN, *verify, stdin=wrong(code) + "\n") == (
        "otp_expired",
        "That code is wrong or has expired. The last three emailed codes are valid; five wrong attempts void them.",
    )
    assert confirming.fails(USAGE, *verify, stdin="12\n")[0] == "invalid_code"
    assert confirming.fails(USAGE, *verify)[0] == "usage"
    assert confirming.fails(USAGE, "verify", "--email", email)[0] == "usage"
    assert confirming.kept() == {}
    # A mail that is sent again has another code.
    before = known(confirming.server, email)
    assert confirming.json("verify", "--email", email, "--resend", "--send-only")["signed_in"] is False
    again = code_for(confirming.server, email, after=before)
    assert confirming.json(*verify, stdin=f"{again[:3]} {again[3:]}\n")["user"]["email"] == email
    assert confirming.json("whoami")["user"]["email"] == email
    assert confirming.log_in(email)["signed_in"] is True


def test_a_magic_link_signs_in_and_replaces_the_session(project, new_email):
    first, second = new_email(), new_email()
    project.sign_up(second)
    project.sign_up(first)
    send = ["login", "--magic-link", "--email", second]
    assert project.fails(USAGE, *send)[1].startswith("Standard input is not a terminal. Pass --send-only")
    assert mails_of(project.server, second) == []
    ended = project.run(*send, "--send-only")
    assert ended.code == 0 and "--code-stdin" in ended.out and project.server.url + "/dev/inbox" in ended.err
    code = code_for(project.server, second)
    assert project.json("whoami")["user"]["email"] == first
    assert project.json(*send, "--code-stdin", stdin=code + "\n")["user"]["email"] == second
    assert project.json("whoami")["user"]["email"] == second
    # A code is good for one sign-in.
    assert project.fails(NOT_SIGNED_IN, *send, "--code-stdin", stdin=code + "\n")[0] == "otp_expired"
    assert project.json("whoami")["user"]["email"] == second


def test_a_terminal_asks_for_the_address_and_the_code(project, new_email):
    email = new_email()
    project.sign_up(email)
    project.json("logout")
    with project.at_terminal("login", "--magic-link") as terminal:
        terminal.answer("Email: ", email)
        terminal.wait_for("a code has been emailed to it")
        code = code_for(project.server, email)
        terminal.answer("Code: ", "not a code").wait_for("That is not a code.")
        terminal.answer("Code: ", wrong(code)).wait_for("That code is wrong or has expired.")
        terminal.answer("Code: ", code)
        assert terminal.end() == 0
        assert f"Signed in as {email}" in terminal.seen
    assert project.json("whoami")["user"]["email"] == email


def test_a_forgotten_password_is_replaced(project, new_email):
    email, new = new_email(), "a password nobody has forgotten"
    project.sign_up(email)
    token = project.server.auth().sign_in(email).json()["access_token"]
    project.json("logout")
    with project.at_terminal("recover", "--email", email) as terminal:
        terminal.answer("Code: ", code_for(project.server, email))
        terminal.answer("New password: ", "short").answer("New password again: ", "short")
        terminal.wait_for("at least 8 characters")
        terminal.answer("New password: ", new).answer("New password again: ", "another one").wait_for("don't match")
        terminal.answer("New password: ", new).answer("New password again: ", new)
        assert terminal.end() == 0
        assert "Your password was changed." in terminal.seen and new not in terminal.seen
    assert project.json("whoami")["user"]["email"] == email
    assert project.server.auth(token=token).get("/sessions").status in (401, 403)
    assert project.log_in(email, password=new)["signed_in"] is True
    assert project.fails(
        NOT_SIGNED_IN, "login", "--email", email, "--password-stdin", stdin=PASSWORD + "\n"
    )[0] == "invalid_credentials"


def test_a_script_replaces_a_password_and_is_told_when_it_is_refused(project, new_email):
    email, new = new_email(), "a password of a script"
    project.sign_up(email)
    project.json("logout")
    recover = ["recover", "--email", email]
    project.json(*recover, "--send-only")
    code = code_for(project.server, email)
    failure = project.fails(REFUSED, *recover, "--code-stdin", stdin=f"{code}\nshort\n")
    assert failure[0] == "weak_password" and "your password is unchanged" in failure[1]
    assert project.json("whoami")["user"]["email"] == email
    before = known(project.server, email)
    project.json(*recover, "--send-only")
    code = code_for(project.server, email, after=before)
    assert project.json(*recover, "--code-stdin", stdin=f"{code}\n{new}\n")["user"]["email"] == email
    assert project.log_in(email, password=new)["signed_in"] is True


def test_an_unknown_address_gets_the_same_answer(project, new_email):
    email = new_email("nobody")
    assert project.json("recover", "--email", email, "--send-only")["signed_in"] is False
    recover = ["recover", "--email", email, "--code-stdin"]
    assert project.fails(NOT_SIGNED_IN, *recover, stdin="123456\nlong enough a password\n")[0] == "otp_expired"
    assert mails_of(project.server, email) == []


def test_a_server_without_mail_says_so(server, tmp_path, new_email):
    person = Person(tmp_path, server)
    for command in (["login", "--magic-link"], ["recover"], ["verify", "--resend"]):
        failure = person.fails(REFUSED, *command, "--email", new_email(), "--send-only")
        assert failure == ("email_provider_disabled", "This server does not send emails.")


def test_too_many_mails_are_refused(servers, tmp_path, new_email):
    owner = Person(tmp_path / "home", folder=tmp_path)
    owner.server = start_dev(servers, owner, options=["--limits"])
    email = new_email()
    owner.sign_up(email)
    owner.json("recover", "--email", email, "--send-only")
    failure = owner.fails(REFUSED, "recover", "--email", email, "--send-only")
    assert failure[0] == "over_email_send_rate_limit" and failure[1].startswith("An email was sent a moment ago.")


# Second factors. `mfa enroll` prints a key, and `mfa recovery-codes --new` codes.


def test_a_second_factor_is_added_asked_for_and_removed(person, dev, new_email):
    email = new_email()
    person.sign_up(email)
    assert person.json("mfa") == {"level": "aal1", "factors": []}
    made = person.json("mfa", "enroll", "--name", "laptop")
    assert made["name"] == "laptop" and made["uri"].startswith("otpauth://totp/")
    app = App(made["secret"])
    assert person.fails(NOT_SIGNED_IN, "mfa", "verify", "--factor-stdin", stdin="000000\n")[0] == "mfa_verification_failed"
    raised = person.json("mfa", "verify", "--factor-stdin", stdin=app.code() + "\n")
    assert raised["level"] == "aal2" and raised["user"]["email"] == email
    listed = person.json("mfa", "list")
    assert listed["level"] == "aal2"
    assert [(each["id"], each["type"], each["status"], each["name"]) for each in listed["factors"]] == [
        (made["id"], "totp", "verified", "laptop")
    ]
    codes = person.json("mfa", "recovery-codes", "--new")["codes"]
    assert len(codes) == 10
    assert person.json("mfa", "recovery-codes") == {"remaining": 10, "total": 10}
    person.json("logout")
    # The password alone does not sign in.
    error, _ = person.fails(USAGE, "login", "--email", email, "--password-stdin", stdin=PASSWORD + "\n")
    assert error == "second_factor_needed"
    assert person.fails(NOT_SIGNED_IN, "whoami")[0] == "not_signed_in"
    log_in = ["login", "--email", email, "--password-stdin", "--factor-stdin"]
    assert person.fails(NOT_SIGNED_IN, *log_in, stdin=f"{PASSWORD}\n000000\n")[0] == "mfa_verification_failed"
    assert person.json(*log_in, stdin=f"{PASSWORD}\n{app.code()}\n")["signed_in"] is True
    assert person.json(*log_in, stdin=f"{PASSWORD}\n{codes[0]}\n")["signed_in"] is True
    assert person.json("mfa", "recovery-codes") == {"remaining": 9, "total": 10}
    kinds = {factor["type"]: factor["id"] for factor in person.json("mfa")["factors"]}
    # The code that raised this session was one of these.
    assert person.json("mfa", "remove", kinds["recovery_code"]) == {"removed": kinds["recovery_code"]}
    assert person.fails(REFUSED, "mfa", "remove", kinds["totp"])[0] == "insufficient_aal"
    person.json("mfa", "verify", "--factor-stdin", stdin=app.code() + "\n")
    assert person.json("mfa", "remove", kinds["totp"]) == {"removed": kinds["totp"]}
    person.json("logout")
    assert person.log_in(email)["signed_in"] is True


def test_a_sign_in_without_its_second_factor_keeps_the_session_before(person, dev, new_email):
    protected, other = new_email(), new_email()
    person.sign_up(protected)
    app = App(person.json("mfa", "enroll")["secret"])
    person.json("mfa", "verify", "--factor-stdin", stdin=app.code() + "\n")
    person.sign_up(other)
    person.fails(USAGE, "login", "--email", protected, "--password-stdin", stdin=PASSWORD + "\n")
    assert person.json("whoami")["user"]["email"] == other
    for end in "\x03", signal.SIGTERM:
        with person.at_terminal("login", "--email", protected) as terminal:
            terminal.answer("Password: ", PASSWORD).wait_for("or recovery code: ")
            code = (terminal.type(end) if isinstance(end, str) else terminal.signal(end)).end()
            assert code == (INTERRUPTED if isinstance(end, str) else 128 + end)
        assert person.json("whoami")["user"]["email"] == other


def test_an_interrupted_sign_in_does_not_wait_for_a_server_that_is_silent(project, new_email):
    protected = new_email()
    project.sign_up(protected)
    app = App(project.json("mfa", "enroll")["secret"])
    project.json("mfa", "verify", "--factor-stdin", stdin=app.code() + "\n")
    with project.at_terminal("login", "--email", protected) as terminal:
        terminal.answer("Password: ", PASSWORD).wait_for("or recovery code: ")
        project.server.process.send_signal(signal.SIGSTOP)
        try:
            assert terminal.type("\x03").end() == INTERRUPTED
        finally:
            project.server.process.send_signal(signal.SIGCONT)
        assert "The server does not respond." in terminal.seen


def test_a_terminal_asks_for_the_second_factor(person, dev, new_email):
    email, question = new_email(), "or recovery code: "
    person.sign_up(email)
    for arguments in ["recovery-codes", "--new"], ["recovery-codes"], ["verify", "--factor-stdin"]:
        assert "gatehouse mfa enroll" in person.fails(REFUSED, "mfa", *arguments, stdin="000000\n")[1]

    def enroll(wrong, name):
        """A recovery code adds no app."""
        with person.at_terminal("mfa", "enroll", "--name", name) as terminal:
            terminal.wait_for("authenticator app: ")
            app = App(re.search(r"\b[A-Z2-7]{32}\b", terminal.seen).group())
            terminal.answer("authenticator app: ", wrong).wait_for("six digits")
            terminal.answer("authenticator app: ", app.code()).wait_for("is now a second factor")
            assert terminal.end() == 0
            return app, "recovery-codes --new" in terminal.seen

    app, is_told_of_codes = enroll("12345", "phone")
    assert is_told_of_codes
    codes = person.json("mfa", "recovery-codes", "--new")["codes"]
    assert enroll(codes[0], "tablet")[1] is False
    assert person.json("mfa", "recovery-codes")["remaining"] == 10
    with person.at_terminal("login", "--email", email) as terminal:
        terminal.answer("Password: ", PASSWORD).answer(question, "000000").wait_for("wrong, expired or already used")
        terminal.answer(question, app.code()).wait_for("Signed in as")
        assert terminal.end() == 0


# Codes by text message.


def texted_code(server, number, after=()):
    """The code of the newest message to a number, of one that is not in `after`."""
    def newest():
        texts = [text for text in texts_to(server, number) if text["id"] not in after]
        return texts and texts[0]["code"]

    return poll(newest, f"a message to {number}")


def texts_to(server, number):
    url = f"{server.url}/dev/inbox/texts?q={urllib.parse.quote(number.lstrip('+'))}"
    with urllib.request.urlopen(url) as answer:
        return json.load(answer)["texts"]


def test_a_texted_code_signs_in(project):
    number = "+15551230001"
    send = ["login", "--phone", number]
    assert project.fails(USAGE, *send)[1].startswith("Standard input is not a terminal. Pass --send-only")
    assert texts_to(project.server, number) == []
    ended = project.run(*send, "--send-only")
    assert ended.code == 0 and "--code-stdin" in ended.out and project.server.url + "/dev/inbox" in ended.err
    code = texted_code(project.server, number)
    assert project.fails(NOT_SIGNED_IN, *send, "--code-stdin", stdin=wrong(code) + "\n")[0] == "otp_expired"
    user = project.json(*send, "--code-stdin", stdin=code + "\n")["user"]
    assert user == {"id": user["id"], "email": None, "phone": number}
    assert "+1 555 123 0001" in project.run("whoami").out
    assert project.fails(NOT_SIGNED_IN, *send, "--password-stdin", stdin=PASSWORD + "\n")[0] == "invalid_credentials"


def test_a_terminal_asks_for_the_texted_code(project):
    number = "+15551230002"
    with project.at_terminal("login", "--phone", "+1 (555) 123-0002") as terminal:
        terminal.wait_for("a code has been texted to it")
        code = texted_code(project.server, number)
        terminal.answer("Code: ", wrong(code)).wait_for("That code is wrong or has expired.")
        terminal.answer("Code: ", code)
        assert terminal.end() == 0
        assert "Signed in as +1 555 123 0002" in terminal.seen


def test_a_number_is_a_second_factor(project, new_email):
    email, number = new_email(), "+15551230003"
    project.sign_up(email)
    made = project.json("mfa", "enroll", "--phone", number)
    assert made == {"id": made["id"], "name": None, "phone": number}
    asked = project.json("mfa", "challenge", made["id"])
    verify = ["mfa", "verify", "--factor", made["id"], "--challenge", asked["challenge"], "--factor-stdin"]
    code = texted_code(project.server, number)
    assert project.fails(NOT_SIGNED_IN, *verify, stdin=wrong(code) + "\n")[0] == "mfa_verification_failed"
    assert project.json(*verify, stdin=code + "\n")["level"] == "aal2"
    factor = project.json("mfa")["factors"][0]
    assert (factor["type"], factor["phone"], factor["status"]) == ("phone", number, "verified")
    assert "+1 555 123 0003" in project.run("mfa").out
    project.json("logout")
    before = {text["id"] for text in texts_to(project.server, number)}
    with project.at_terminal("login", "--email", email) as terminal:
        terminal.answer("Password: ", PASSWORD)
        terminal.wait_for("A code has been texted to +1 555 123 0003.")
        terminal.answer("Texted or recovery code: ", texted_code(project.server, number, after=before))
        assert terminal.end() == 0
    assert project.json("mfa")["level"] == "aal2"
    assert project.json("mfa", "remove", made["id"])["removed"] == made["id"]


def test_an_administrator_creates_an_account_with_a_number(project):
    number, data = "+15551230004", os.path.join(str(project.folder), ".gatehouse")
    create = ["users", "create", "--data", data, "--phone", number, "--confirm"]
    made = project.run(*create, "--password-stdin", stdin=PASSWORD + "\n")
    assert made.code == 0, made.err
    again = project.run(*create)
    assert again.code == FAILED and "An account with this phone number already exists." in again.err
    user = project.json("login", "--phone", number, "--password-stdin", stdin=PASSWORD + "\n")["user"]
    assert user["id"] == made.out.strip() and user["phone"] == number
