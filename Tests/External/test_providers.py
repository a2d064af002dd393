"""Sign-in through third-party OpenID providers with discovery, and its failures."""

import contextlib
import http.server
import sqlite3
import threading
import time
import urllib.parse

import flask
import pytest
from browser import Browser
from joserfc.jwk import RSAKey
from openid_providers import CLIENT, SECRET, CanailleProvider, MockProvider, StrictProvider
from program import PASSWORD, LoopbackServer, at_once, free_port
from signing_in import APP, INNER, Flow, callback, me, serve


class Misbehaving:
    """A server that does one thing for every request."""

    def __init__(self, respond):
        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                respond(self)

        self.server = LoopbackServer(Handler)
        self.issuer, self.stop = self.server.url, self.server.stop


def say_nothing(handler):
    """An announced body that does not come until the other side has had enough."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.flush()
    handler.rfile.read()


def say_too_much(handler):
    """Endless JSON, as fast as it is read."""
    handler.send_response(200)
    handler.end_headers()
    part = b"a" * 65536
    try:
        handler.wfile.write(b'{"issuer":"')
        while True:
            handler.wfile.write(part)
            SENT.append(len(part))
    except OSError:
        pass


# By `say_too_much`.
SENT = []


class World:
    """One server with all of them."""

    def __init__(self, servers):
        port = free_port()
        back = callback(port)
        self.made = []
        self.strict = self.make(StrictProvider(back))
        self.other = self.make(StrictProvider(back))
        self.naming = self.make(StrictProvider(back, names_itself=True))
        self.slashed = self.make(StrictProvider(back, issuer_suffix="/"))
        self.liar = self.make(StrictProvider(back, said_issuer="https://accounts.example.org"))
        self.mock = self.make(MockProvider())
        self.naming_mock = self.make(MockProvider(names_its_key=True))
        self.canaille = self.make(CanailleProvider(back))
        self.silent = self.make(Misbehaving(say_nothing))
        self.endless = self.make(Misbehaving(say_too_much))
        nowhere = {"client_id": CLIENT, "client_secret": SECRET}
        self.server = serve(
            servers,
            port,
            [
                self.strict.settings("strict"),
                self.other.settings("other"),
                self.naming.settings("naming"),
                self.slashed.settings("slashed"),
                {**self.slashed.settings("unslashed"), "issuer": self.slashed.issuer.rstrip("/")},
                self.liar.settings("liar"),
                self.mock.settings("mock"),
                self.naming_mock.settings("naming_mock"),
                self.canaille.settings("canaille", email_optional=True),
                self.canaille.settings("strict_canaille"),
                {"name": "silent", "issuer": self.silent.issuer, **nowhere},
                {"name": "endless", "issuer": self.endless.issuer, **nowhere},
                {"name": "nobody", "issuer": f"http://127.0.0.1:{free_port()}", **nowhere},
            ],
        )

    def make(self, provider):
        self.made.append(provider)
        return provider

    def stop(self):
        for provider in self.made:
            provider.stop()

    def flow(self, name, browser=None):
        return Flow(self.server, name, browser)

    def accounts(self):
        answer = self.server.admin().get("/admin/users?per_page=1000")
        assert answer.status == 200, answer
        return {user["id"] for user in answer.json()["users"]}


@pytest.fixture(scope="module")
def world(session_servers):
    world = World(session_servers)
    yield world
    world.stop()


@pytest.fixture
def ana(world, new_email):
    """A user whom the strict providers know by the same name and address."""
    email = new_email("ana")
    subject = "subject of " + email
    claims = {"email": email, "email_verified": True, "name": "Ana Example", "given_name": "Ana"}
    for provider in (world.strict, world.other, world.naming, world.slashed, world.liar):
        provider.people[subject] = dict(claims)
    for provider in (world.mock, world.naming_mock):
        provider.add(subject, claims)
    return subject


def email_of(subject):
    return subject.removeprefix("subject of ")


def check_refused(world, before, page, error=None):
    """The browser returns to the app or the site, with only a reason."""
    assert page.url.startswith((APP, "http://127.0.0.1:3000")), page
    assert "code" not in page.query and "access_token" not in page.fragment, page
    assert page.query["error"] and page.query["error_description"], page
    shown = urllib.parse.unquote_plus(page.url.removeprefix("http://127.0.0.1:3000"))
    assert not INNER.search(shown), page
    if error:
        assert page.query.get("error_code") == error, page
    assert world.accounts() == before


# Signing in.


# `mock` names no key in its tokens, and publishes one alone (OpenID Connect Core 1.0 §10.1).
@pytest.mark.parametrize("name", ["strict", "naming", "slashed", "naming_mock", "mock"])
def test_sign_in_by_discovery(world, ana, name):
    stand_in = getattr(world, name)
    session = world.flow(name).sign_in(stand_in, ana)
    user = session["user"]
    assert user["email"] == email_of(ana) and user["email_confirmed_at"]
    assert user["app_metadata"] == {"provider": name, "providers": [name]}
    assert [identity["provider"] for identity in user["identities"]] == [name]
    assert user["user_metadata"]["name"] == "Ana Example"
    shown = me(world.server, session)
    assert shown["user"] == {"id": user["id"], "email": email_of(ana)}
    assert shown["profile"]["first_name"] == "Ana"
    again = world.flow(name).sign_in(stand_in, ana)
    assert again["user"]["id"] == user["id"]


def test_sign_in_through_canaille(world, new_email):
    """Its tokens have no `email_verified`: the address is unverified, and the account has none."""
    email = new_email("canaille")
    name = email.partition("@")[0]
    world.canaille.add(name, formatted_name="Ana Example", given_name="Ana", family_name="Example", emails=[email])
    session = world.flow("canaille").sign_in(world.canaille, name)
    assert session["user"]["identities"][0]["identity_data"]["email"] == email
    assert session["user"]["email"] == ""
    assert me(world.server, session)["profile"]["first_name"] == "Ana"
    assert world.flow("canaille").sign_in(world.canaille, name)["user"]["id"] == session["user"]["id"]


def test_an_unverified_address_is_not_enough(world, new_email):
    name = new_email("canaille").partition("@")[0]
    world.canaille.add(name, formatted_name="Bo Example", family_name="Example", emails=[name + "@example.com"])
    before = world.accounts()
    page = world.flow("strict_canaille").finish(world.canaille, name)
    check_refused(world, before, page, "provider_email_needs_verification")


def test_the_authorization_request_follows_the_standards(world, ana):
    flow = world.flow("strict")
    sent = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(flow.come_back(world.strict, ana)).query))
    asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(flow.at_provider).query))
    assert asked["response_type"] == "code" and asked["code_challenge_method"] == "S256"
    assert asked["state"] == sent["state"] and len(asked["nonce"]) >= 22
    assert asked["code_challenge"] != flow.challenge, "the provider gets a challenge of the server's own"
    assert "openid" in asked["scope"].split()
    flow.browser.open(f"{callback(world.server.port)}?{urllib.parse.urlencode(sent)}")
    request = world.strict.requests[-1]
    assert request["basic"] == CLIENT and "client_secret" not in request["form"]
    assert request["form"]["redirect_uri"] == callback(world.server.port)


def test_one_person_at_two_providers_is_one_account(world, ana):
    first = world.flow("strict").sign_in(world.strict, ana)
    second = world.flow("other").sign_in(world.other, ana)
    assert first["user"]["id"] == second["user"]["id"]
    assert second["user"]["app_metadata"]["providers"] == ["strict", "other"]


def test_a_slash_at_the_end_of_the_issuer_may_be_missing_in_the_settings(world, ana):
    session = world.flow("unslashed").sign_in(world.slashed, ana)
    assert session["user"]["user_metadata"]["iss"] == world.slashed.issuer


def test_the_user_declines(world, ana):
    before = world.accounts()
    page = world.flow("strict").finish(world.strict, "nobody whom it knows")
    check_refused(world, before, page)
    assert page.query["error"] == "access_denied"


# The stand-ins of `gatehouse dev`.


@pytest.mark.parametrize("provider", ["google", "apple"])
def test_stand_ins(dev, provider):
    """Apple comes back with a form that the browser posts by itself."""
    flow = Flow(dev, provider, Browser(APP))
    redirect = f"http://127.0.0.1:{dev.port}/signed-in"
    flow.browser.app = redirect
    page = flow.browser.open(flow.address(redirect_to=redirect))
    page = flow.browser.submit(page, button=("person", "verified"))
    if page.forms:
        page = flow.browser.submit(page, code=page.forms[0].fields["code"])
    answer = flow.exchange(page.query["code"])
    assert answer.status == 200, answer
    user = answer.json()["user"]
    assert user["email"] == "verified@example.com" and user["user_metadata"]["name"]
    assert me(dev, answer.json())["user"]["id"] == user["id"]


# The app's half: its code is valid once, for the holder of the verifier.


def test_the_code_is_valid_once_and_with_its_verifier(world, ana):
    flow = world.flow("strict")
    code = flow.finish(world.strict, ana).query["code"]
    assert flow.exchange(code, "a" * 64).code == "bad_code_verifier"
    assert flow.exchange(code).status == 200
    assert flow.exchange(code).code == "flow_state_not_found"


def test_a_code_is_invalid_with_the_verifier_of_another_flow(world, ana):
    mine, theirs = world.flow("strict"), world.flow("strict")
    code = mine.finish(world.strict, ana).query["code"]
    theirs.finish(world.strict, ana)
    assert theirs.exchange(code).code == "bad_code_verifier"
    assert mine.exchange(code).status == 200


def test_the_browsers_mark_is_out_of_reach_of_scripts(world):
    response = world.flow("strict").browser.client.get(world.flow("strict").address())
    parts = response.headers["set-cookie"].split("; ")
    assert parts[0].startswith("gatehouse-browser=") and len(parts[0]) >= 60
    assert "HttpOnly" in parts and "SameSite=Lax" in parts and "Path=/" in parts
    assert response.headers["cache-control"] == "no-store"


def test_no_flow_begins_without_a_proof_key(world):
    answer = world.server.auth().get(f"/authorize?provider=strict&redirect_to={APP}")
    assert (answer.status, answer.code) == (400, "validation_failed")


def test_an_address_that_is_not_listed_gets_no_code(world, ana):
    page = Flow(world.server, "strict", Browser("http://127.0.0.1:3000")).finish(
        world.strict, ana, redirect_to="https://evil.example.net/"
    )
    assert page.url.startswith("http://127.0.0.1:3000?code="), page


# Responses through the browser.


def test_a_state_is_valid_once(world, ana):
    flow = world.flow("strict")
    flow.browser.app = "http://127.0.0.1:3000"
    back = flow.come_back(world.strict, ana)
    assert flow.browser.step(back).startswith(APP)
    before, asked = world.accounts(), len(world.strict.requests)
    check_refused(world, before, flow.browser.open(back), "flow_state_already_used")
    assert len(world.strict.requests) == asked, "the code was taken to the provider again"


def test_another_browser_cannot_finish(world, ana):
    """An attacker who lures a user to the end of the attacker's own sign-in (RFC 6749 §10.12)."""
    flow = world.flow("strict")
    back = flow.come_back(world.strict, ana)
    before = world.accounts()
    stranger = Browser("http://127.0.0.1:3000")
    check_refused(world, before, stranger.open(back), "bad_oauth_state")
    # A browser with its own sign-in has a cookie too, but another one.
    world.flow("strict", stranger).begin()
    check_refused(world, before, stranger.open(back), "bad_oauth_state")


def test_the_stranger_does_not_spoil_the_sign_in(world, ana):
    flow = world.flow("strict")
    back = flow.come_back(world.strict, ana)
    Browser("http://127.0.0.1:3000").open(back)
    assert "code" in flow.browser.open(back).query


@pytest.mark.parametrize("state", ["", "abc", "6f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b", "%00", "a" * 5000])
def test_unknown_states(world, state):
    before = world.accounts()
    browser = Browser("http://127.0.0.1:3000")
    world.flow("strict", browser).begin()
    check_refused(world, before, browser.open(f"{callback(world.server.port)}?code=abc&state={state}"))


@pytest.mark.parametrize("name", ["strict", "naming_mock"])
def test_a_code_of_another_session_is_refused(world, ana, name):
    """Code injection: prevented by the proof key if the provider checks it, else by the nonce."""
    stand_in = getattr(world, name)
    attacker, victim = world.flow(name), world.flow(name)
    stolen = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(attacker.come_back(stand_in, ana)).query))["code"]
    state = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(victim.begin()).query))["state"]
    before = world.accounts()
    page = victim.browser.open(f"{callback(world.server.port)}?code={stolen}&state={state}")
    check_refused(world, before, page)


def test_a_response_of_one_provider_is_refused_for_another(world, ana):
    """A mix-up (RFC 9207): the browser was sent to one provider and comes back from another."""
    begun, other = world.flow("strict"), world.flow("naming")
    came = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(other.come_back(world.naming, ana)).query))
    state = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(begun.begin()).query))["state"]
    before, asked = world.accounts(), len(world.strict.requests)
    query = urllib.parse.urlencode({**came, "state": state})
    check_refused(world, before, begun.browser.open(f"{callback(world.server.port)}?{query}"))
    assert len(world.strict.requests) == asked, "the other provider's code was shown to this one"


def test_an_answer_of_one_nameless_provider_is_refused_by_another(world, ana):
    begun, other = world.flow("strict"), world.flow("other")
    code = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(other.come_back(world.other, ana)).query))["code"]
    state = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(begun.begin()).query))["state"]
    before = world.accounts()
    query = urllib.parse.urlencode({"code": code, "state": state})
    check_refused(world, before, begun.browser.open(f"{callback(world.server.port)}?{query}"))


def test_a_provider_that_announces_its_name_must_send_it(world, ana):
    flow = world.flow("naming")
    came = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(flow.come_back(world.naming, ana)).query))
    before, asked = world.accounts(), len(world.naming.requests)
    del came["iss"]
    check_refused(world, before, flow.browser.open(f"{callback(world.server.port)}?{urllib.parse.urlencode(came)}"))
    assert len(world.naming.requests) == asked


def test_a_provider_callback_refuses_other_providers(world, ana):
    """Below /callback/{provider} a mix-up cannot happen, also where providers do not name themselves."""
    flow = world.flow("strict")
    back = flow.come_back(world.strict, ana).replace("/callback?", "/callback/other?")
    before = world.accounts()
    check_refused(world, before, Browser("http://127.0.0.1:3000").open(back), "bad_oauth_state")
    flow.browser.app = ("http://127.0.0.1:3000", APP)
    check_refused(world, before, flow.browser.open(back), "bad_oauth_state")


# Linking.


def linking(world, session, **parameters):
    """Requests the start address of a link, like an app. Returns the response and the flow."""
    flow = world.flow("strict")
    query = {
        "provider": "strict",
        "redirect_to": APP,
        "skip_http_redirect": "true",
        "code_challenge": flow.challenge,
        "code_challenge_method": "s256",
        **parameters,
    }
    query = urllib.parse.urlencode({name: value for name, value in query.items() if value})
    token = session["access_token"]
    return world.server.auth(token=token).get(f"/user/identities/authorize?{query}"), flow


def visit(world, flow, url, subject):
    """The browser visits the provider and returns to the app."""
    flow.browser.app = (callback(world.server.port), APP)
    page = world.strict.sign_in(flow.browser, flow.browser.open(url), subject)
    flow.browser.app = APP
    return flow.browser.open(page.url)


@pytest.fixture
def owner(world, new_email):
    """A session of a user with a password."""
    email = new_email("owner")
    created = world.server.admin().post("/admin/users", {"email": email, "password": PASSWORD, "email_confirm": True})
    assert created.status == 200, created
    return world.server.auth().sign_in(email).json()


def providers_of(world, session):
    user = world.server.auth().user(session["access_token"]).json()
    return [identity["provider"] for identity in user["identities"]]


def test_a_link_is_created_when_its_code_is_exchanged(world, ana, owner):
    """A user cannot be lured into linking their identity to a stranger's account: that app has no verifier."""
    answer, flow = linking(world, owner)
    assert answer.status == 200, answer
    page = visit(world, flow, answer.json()["url"], ana)
    assert providers_of(world, owner) == ["email"], "linked before the app that began it asked for it"
    stranger = world.flow("strict")
    assert stranger.exchange(page.query["code"]).code == "bad_code_verifier"
    linked = flow.exchange(page.query["code"])
    assert linked.status == 200 and linked.json()["user"]["id"] == owner["user"]["id"], linked
    assert sorted(providers_of(world, owner)) == ["email", "strict"]


def test_a_link_without_a_proof_key_does_not_begin(world, owner):
    answer, _ = linking(world, owner, code_challenge="", code_challenge_method="")
    assert (answer.status, answer.code) == (400, "validation_failed"), answer


def test_unlinking_the_password_moves_the_address(world, ana, owner):
    answer, flow = linking(world, owner)
    linked = flow.exchange(visit(world, flow, answer.json()["url"], ana).query["code"]).json()
    email = next(identity for identity in linked["user"]["identities"] if identity["provider"] == "email")
    client = world.server.auth(token=linked["access_token"])
    assert client.delete(f"/user/identities/{email['identity_id']}").status == 200
    user = client.get("/user").json()
    assert user["email"] == email_of(ana) and user["app_metadata"]["providers"] == ["strict"]
    for address in (owner["user"]["email"], email_of(ana)):
        assert world.server.auth().sign_in(address).code == "invalid_credentials", "the password went with it"
    (last,) = user["identities"]
    refused = client.delete(f"/user/identities/{last['identity_id']}")
    assert (refused.status, refused.code) == (422, "single_identity_not_deletable")


@pytest.fixture(scope="module")
def implicit(session_servers):
    """A server with the implicit flow, and its provider."""
    port = free_port()
    provider = StrictProvider(callback(port))
    server = serve(
        session_servers, port, [provider.settings("strict")], GATEHOUSE_EXTERNAL_IMPLICIT_FLOW_ENABLED="true"
    )
    yield server, provider
    provider.stop()


def test_tokens_in_the_fragment_where_they_are_switched_on(implicit, new_email):
    server, provider = implicit
    email = new_email()
    provider.people[email] = {"email": email, "email_verified": True}
    page = Flow(server, "strict").finish(provider, email, code_challenge="", code_challenge_method="")
    assert not page.query and me(server, page.fragment)["user"]["email"] == email
    # A flow that another browser finishes gives nothing here either.
    flow = Flow(server, "strict")
    back = flow.come_back(provider, email, code_challenge="", code_challenge_method="")
    stranger = Browser("http://127.0.0.1:3000").open(back)
    assert stranger.query["error_code"] == "bad_oauth_state" and "access_token" not in stranger.fragment


def test_a_lured_user_does_not_link_to_a_strangers_account(implicit, new_email):
    """The stranger begins a link to their own account, and another user's browser goes through the provider."""
    server, provider = implicit
    victim, stranger = new_email("victim"), new_email("stranger")
    provider.people[victim] = {"email": victim, "email_verified": True}
    created = server.admin().post("/admin/users", {"email": stranger, "password": PASSWORD, "email_confirm": True})
    assert created.status == 200, created
    session = server.auth().sign_in(stranger).json()
    client = server.auth(token=session["access_token"])
    began = client.get("/user/identities/authorize?provider=strict&skip_http_redirect=true")
    if began.status == 200:
        browser = Browser((callback(server.port), APP))
        page = provider.sign_in(browser, browser.open(began.json()["url"]), victim)
        browser.app = ("http://127.0.0.1:3000", APP)
        browser.open(page.url)
    assert [identity["provider"] for identity in client.get("/user").json()["identities"]] == ["email"]


def test_a_link_and_its_undoing(world, ana, owner):
    answer, flow = linking(world, owner)
    code = visit(world, flow, answer.json()["url"], ana).query["code"]
    assert flow.exchange(code).status == 200
    client = world.server.auth(token=owner["access_token"])
    (link,) = client.get("/user/identities/undoable").json()["links"]
    assert (link["provider"], link["rule"]) == ("strict", "linked_by_hand")
    undone = client.post(f"/user/identities/{link['identity_id']}/undo")
    assert undone.status == 200, undone
    assert [identity["provider"] for identity in undone.json()["identities"]] == ["email"]
    assert client.get("/user/identities/undoable").json() == {"links": []}
    session = world.flow("strict").sign_in(world.strict, ana)
    assert session["user"]["id"] != owner["user"]["id"]


# Responses of a provider.

FOREIGN_KEY = RSAKey.generate_key(2048, private=True)
WRONG = {
    "a nonce of another sign-in": {"claims": {"nonce": "another"}},
    "no nonce": {"claims": {"nonce": None}},
    "somebody else's token": {"claims": {"aud": ["somebody-else"]}},
    "no audience": {"claims": {"aud": []}},
    "another client among several": {"claims": {"aud": [CLIENT, "other"], "azp": "other"}},
    "another authorized party": {"claims": {"azp": "other"}},
    "another issuer": {"claims": {"iss": "https://accounts.example.org"}},
    "an expired token": {"claims": {"exp": 1_700_000_000}},
    "a token of the future": {"claims": {"iat": int(time.time()) + 3600}},
    "no end": {"claims": {"exp": None}},
    "nobody": {"claims": {"sub": ""}},
    "no subject": {"claims": {"sub": None}},
    "another access token": {"claims": {"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}},
    "another key": {"key": FOREIGN_KEY},
    "no ID token": {"token_answer": lambda: {"access_token": "a", "token_type": "Bearer"}},
    "an ID token that is none": {"token_answer": lambda: {"access_token": "a", "id_token": "a.b.c"}},
    "no token": {"token_answer": lambda: {}},
    "no object": {"token_answer": lambda: []},
    "no JSON": {"token_answer": lambda: ("<p>Something secret went wrong", 200)},
    "a refusal": {"token_answer": lambda: ({"error": "invalid_grant", "error_description": "secret cause"}, 400)},
    "a refusal with 200": {"token_answer": lambda: {"error": "bad_verification_code"}},
    "a fault": {"token_answer": lambda: ("Traceback: secret", 500)},
    "a redirect": {"token_answer": lambda: flask.redirect("http://127.0.0.1:1/secret", 307)},
    "too much": {"token_answer": lambda: flask.Response(b"a" * 65536 for _ in range(4096))},
}


@pytest.mark.parametrize("what", WRONG)
def test_invalid_provider_responses(world, ana, what):
    before = world.accounts()
    with world.strict.being_naughty(**WRONG[what]):
        page = world.flow("strict").finish(world.strict, ana)
    check_refused(world, before, page)
    assert "secret" not in page.url
    # The provider works again immediately.
    assert "code" in world.flow("strict").finish(world.strict, ana).query


def test_a_provider_that_answers_too_late(world, ana):
    """It answers only after the page is shown, so a server that waits for it shows no page."""
    before = world.accounts()
    page_is_there = threading.Event()

    def wait():
        page_is_there.wait()
        return {}

    with world.strict.being_naughty(token_answer=wait):
        try:
            page = world.flow("strict").finish(world.strict, ana)
        finally:
            page_is_there.set()
    check_refused(world, before, page)


@pytest.mark.parametrize("name", ["liar", "nobody", "silent", "endless"])
def test_a_provider_that_cannot_be_found_out_about(world, name):
    answer = world.server.auth().get(Flow(world.server, name).address().removeprefix(world.server.auth_url))
    assert (answer.status, answer.code) == (400, "validation_failed"), answer
    assert not INNER.search(answer.body.decode()), answer
    token = world.server.auth().post(
        "/token?grant_type=id_token", {"provider": name, "id_token": "eyJhbGciOiJSUzI1NiIsImtpZCI6ImEifQ.e30.AAAA"}
    )
    assert 400 <= token.status < 500, token


def test_an_answer_without_end_is_not_read_on(world):
    """The limit is 256 KiB; the rest waits in the buffers of the two sockets."""
    calls = 20
    before = sum(SENT)
    address = Flow(world.server, "endless").address().removeprefix(world.server.auth_url)
    answers = at_once(*[lambda: world.server.auth().get(address)] * calls)
    assert {answer.status for answer in answers} == {400}, answers
    assert sum(SENT) - before < calls * 16 * 1_048_576


def test_an_answer_without_end_delays_no_other_provider(world, ana):
    address = Flow(world.server, "endless").address().removeprefix(world.server.auth_url)
    answers = at_once(
        *[lambda: world.server.auth().get(address)] * 20, lambda: world.flow("strict").sign_in(world.strict, ana)
    )
    assert {answer.status for answer in answers[:-1]} == {400}, answers
    assert answers[-1]["user"]["email"] == email_of(ana)
    assert world.flow("mock").sign_in(world.mock, ana)["user"]["id"]


def test_a_provider_that_went_away(session_servers, new_email):
    """Its document is known still; the browser comes back with a reason."""
    port = free_port()
    provider = StrictProvider(callback(port))
    server = serve(session_servers, port, [provider.settings("strict")])
    provider.people["a"] = {"email": new_email(), "email_verified": True}
    try:
        back = Flow(server, "strict").come_back(provider, "a")
        flow = Flow(server, "strict")
        back = flow.come_back(provider, "a")
    finally:
        provider.stop()
    page = flow.browser.open(back)
    assert page.url.startswith(APP) and page.query["error"] in ("server_error", "temporarily_unavailable"), page
    assert not INNER.search(urllib.parse.unquote_plus(page.url)), page


def test_the_log_has_no_secrets(world, ana):
    flow = world.flow("strict")
    back = flow.come_back(world.strict, ana)
    came = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(back).query))
    page = flow.browser.open(back)
    session = flow.exchange(page.query["code"]).json()
    # The log has more detail about the failure.
    flow.browser.step(back)
    with world.strict.being_naughty(**WRONG["a refusal"]):
        world.flow("strict").finish(world.strict, ana)
    secrets = {
        "client secret": SECRET,
        "provider's code": came["code"],
        "state": came["state"],
        "our code": page.query["code"],
        "verifier": flow.verifier,
        "provider's token": session["provider_token"],
        "access token": session["access_token"],
        "refresh token": session["refresh_token"],
        "browser's mark": flow.browser.client.cookies["gatehouse-browser"],
        "address": email_of(ana),
    }
    log = world.server.log()
    assert not [name for name, secret in secrets.items() if secret in log]


# An address of another account.


@pytest.fixture
def squatter(world, ana):
    """An attacker signed up with Ana's address, and a version that sent no mails confirmed it: it is unproven."""
    body = {"email": email_of(ana), "password": PASSWORD, "email_confirm": True}
    made = world.server.admin().post("/admin/users", body)
    assert made.status == 200, made
    with contextlib.closing(sqlite3.connect(world.server.database_path)) as database, database:
        database.execute("UPDATE users SET email_proven_at = NULL WHERE email = ?", (email_of(ana),))
    return made.json()


def test_a_conflict_asks_and_a_password_settles_it(world, ana, squatter):
    flow = world.flow("strict")
    question = flow.exchange(flow.finish(world.strict, ana).query["code"])
    assert (question.status, question.code) == (422, "identity_needs_confirmation"), question
    body = question.json()
    assert body["email"] == email_of(ana) and body["provider"] == "strict"
    assert body["sign_in_methods"] == ["password"] and body["can_recover"] is True
    settled = world.server.auth().post(
        "/token?grant_type=link_confirmation",
        {"link_ticket": body["link_ticket"], "email": email_of(ana), "password": PASSWORD},
    )
    assert settled.status == 200, settled
    assert settled.json()["user"]["id"] == squatter["id"]
    assert world.flow("strict").sign_in(world.strict, ana)["user"]["id"] == squatter["id"]
    again = world.server.auth().post("/token?grant_type=link_recovery", {"link_ticket": body["link_ticket"]})
    assert (again.status, again.code) == (404, "link_ticket_not_found")


def test_a_conflict_is_settled_by_taking_the_address(world, ana, squatter):
    flow = world.flow("strict")
    body = flow.exchange(flow.finish(world.strict, ana).query["code"]).json()
    taken = world.server.auth().post("/token?grant_type=link_recovery", {"link_ticket": body["link_ticket"]})
    assert taken.status == 200, taken
    session = taken.json()
    assert session["user"]["id"] != squatter["id"] and session["user"]["email"] == email_of(ana)
    assert me(world.server, session)["user"]["email"] == email_of(ana)
    # The old password opens the old account alone, with its former address.
    assert world.server.auth().sign_in(email_of(ana)).json()["user"]["id"] == squatter["id"]


def test_the_redirect_of_a_conflict_is_useless(world, ana, squatter):
    """The ticket is not in the address that the browser sees."""
    page = world.flow("strict").finish(world.strict, ana)
    assert set(page.query) == {"code"} and not page.fragment
