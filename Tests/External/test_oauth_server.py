"""The OAuth server with foreign parts: Supabase's client for Python administers clients, Authlib checks tokens."""

import pytest
from agent import OAUTH, REDIRECT, Agent, User, admin, header, query_of
from hook_receiver import receiver
from supabase_clients import SyncGoTrueAdminAPI

API = "https://api.example.org/mcp"


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def server(request, session_servers):
    settings = {**OAUTH, "GATEHOUSE_OAUTH_RESOURCES": API}
    if request.param == "postgres":
        settings["GATEHOUSE_DATABASE"] = request.getfixturevalue("cluster").database().url
    return session_servers.serve(**settings).start()


@pytest.fixture
def ada(server, new_email):
    return User(server, new_email())


def test_supabases_client_administers_clients(server):
    api = SyncGoTrueAdminAPI(url=server.auth_url, headers=admin(server)).oauth
    created = api.create_client({"client_name": "Scores", "redirect_uris": [REDIRECT]}).client
    assert created.client_secret and created.client_type == "confidential"
    read = api.get_client(created.client_id).client
    assert read.client_name == "Scores" and read.client_secret is None
    assert api.update_client(created.client_id, {"client_name": "Better scores"}).client.client_name == "Better scores"
    assert created.client_id in [client.client_id for client in api.list_clients().clients]
    renewed = api.regenerate_client_secret(created.client_id).client
    assert renewed.client_secret != created.client_secret
    api.delete_client(created.client_id)
    with pytest.raises(Exception, match="not found"):
        api.get_client(created.client_id)


def test_a_client_gets_what_the_user_approves(server, ada):
    agent = Agent(server)
    authorization = agent.authorize(nonce="n-1")
    seen = ada.see(authorization)
    assert seen["client"]["name"] == "Example Agent" and seen["scope"] == "openid email"
    assert seen["user"] == {"id": ada.id, "email": ada.email}
    # Absent instead of empty: supabase-swift reads URLs.
    assert not {"uri", "logo_uri"} & seen["client"].keys()
    fields = agent.returned(ada.decide(authorization)["redirect_url"])
    tokens = agent.redeem(fields["code"]).json()
    assert tokens["token_type"] == "bearer" and tokens["scope"] == "openid email"
    assert header(tokens["access_token"])["typ"] == "at+jwt"
    access = agent.claims(tokens["access_token"])
    assert access["client_id"] == agent.client_id and access["aud"] == f"{server.auth_url}/oauth/userinfo"
    identity = agent.claims(tokens["id_token"])
    assert identity["aud"] == agent.client_id and identity["nonce"] == "n-1" and identity["sub"] == ada.id
    assert identity["email"] == ada.email and identity["acr"] == "aal1" and identity["auth_time"] > 0
    info = agent.http.get("/oauth/userinfo", headers={"Authorization": f"Bearer {tokens['access_token']}"}).json()
    assert info == {"sub": ada.id, "email": ada.email, "email_verified": True}
    # The user's own API is not for agents.
    for path in ("/user", "/sessions", "/oauth/authorizations", "/user/oauth/grants"):
        refused = agent.http.get(path, headers={"Authorization": f"Bearer {tokens['access_token']}"})
        assert refused.status_code == 403, path
    wrong = agent.http.post("/token?grant_type=refresh_token", json={"refresh_token": tokens["refresh_token"]})
    assert wrong.status_code == 400


def test_a_code_works_once_and_its_second_use_ends_the_session(server, ada):
    agent = Agent(server)
    authorization = agent.authorize()
    ada.see(authorization)
    code = agent.returned(ada.decide(authorization)["redirect_url"])["code"]
    assert agent.redeem(code, code_verifier="v" * 43).json()["error"] == "invalid_grant"
    assert agent.redeem(code, redirect_uri="https://agent.example/other").json()["error"] == "invalid_grant"
    tokens = agent.redeem(code).json()
    # A thief who has only the code changes nothing.
    assert agent.redeem(code, code_verifier="v" * 43).status_code == 400
    assert agent.refresh(tokens["refresh_token"]).status_code == 200
    assert agent.redeem(code).json()["error"] == "invalid_grant"
    assert agent.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"


def test_a_lost_answer_to_the_consent_is_repeated(server, ada):
    agent = Agent(server)
    authorization = agent.authorize()
    ada.see(authorization)
    first = ada.decide(authorization)
    assert ada.decide(authorization) == first and ada.see(authorization) == first
    late = ada.http.post(f"/oauth/authorizations/{authorization}/consent", json={"action": "deny"})
    assert late.status_code == 400 and late.json()["code"] == "validation_failed"


def test_a_request_belongs_to_the_first_who_looks(server, ada):
    agent, bob = Agent(server), User(server)
    authorization = agent.authorize()
    unseen = bob.http.post(f"/oauth/authorizations/{authorization}/consent", json={"action": "approve"})
    assert unseen.status_code == 404
    ada.see(authorization)
    assert bob.http.get(f"/oauth/authorizations/{authorization}").json()["code"] == "oauth_authorization_not_found"
    assert [one["authorization_id"] for one in ada.http.get("/oauth/authorizations").json()["authorizations"]] == [
        authorization
    ]
    denied = agent.returned(ada.decide(authorization, "deny", report=True)["redirect_url"])
    assert denied["error"] == "access_denied"
    assert ada.http.get("/oauth/authorizations").json()["authorizations"] == []


def test_consent_is_remembered_until_the_user_ends_it(server, ada):
    agent = Agent(server)
    tokens = agent.sign_in(ada)
    assert "redirect_url" in ada.see(agent.authorize())
    assert "redirect_url" not in ada.see(agent.authorize(scope="openid email profile"))
    assert "redirect_url" not in ada.see(agent.authorize(prompt="consent"))
    [grant] = ada.grants()
    assert grant["client"]["id"] == agent.client_id and grant["scopes"] == ["openid", "email"]
    agents = [one for one in ada.http.get("/sessions").json()["sessions"] if one.get("oauth_client")]
    assert agents[0]["oauth_client"]["name"] == "Example Agent"
    assert ada.http.delete(f"/user/oauth/grants?client_id={agent.client_id}").status_code == 204
    assert ada.grants() == [] and agent.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert ada.http.delete(f"/user/oauth/grants?client_id={agent.client_id}").json()["code"] == "oauth_consent_not_found"
    assert ada.http.get("/user").status_code == 200


def test_a_public_client_that_anybody_could_imitate_asks_each_time(server, ada):
    agent = Agent(server, public=True, redirect="http://127.0.0.1/callback")
    agent.redirect = "http://127.0.0.1:53219/callback"
    agent.sign_in(ada)
    assert "redirect_url" not in ada.see(agent.authorize())


def test_tokens_are_for_the_resource_that_was_asked_for(server, ada):
    agent = Agent(server)
    tokens = agent.sign_in(ada, resource=API + "/")
    assert agent.claims(tokens["access_token"])["aud"] == API
    userinfo = agent.http.get("/oauth/userinfo", headers={"Authorization": f"Bearer {tokens['access_token']}"})
    assert userinfo.status_code == 401 and "invalid_token" in userinfo.headers["www-authenticate"]
    assert agent.refresh(tokens["refresh_token"], resource="https://elsewhere.example").json()["error"] == "invalid_target"
    narrowed = agent.refresh(tokens["refresh_token"], scope="email").json()
    assert narrowed["scope"] == "email" and "id_token" not in narrowed
    assert agent.refresh(narrowed["refresh_token"], scope="phone").json()["error"] == "invalid_scope"
    agent.authorize(resource="https://elsewhere.example")
    assert agent.returned(agent.answer.headers["location"])["error"] == "invalid_target"


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"response_type": "token"}, "unsupported_response_type"), ({"response_type": None}, "invalid_request"),
        ({"code_challenge": None}, "invalid_request"), ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"scope": "scores:everything"}, "invalid_scope"), ({"prompt": "none login"}, "invalid_request"),
        ({"request": "e30.e30."}, "request_not_supported"), ({"max_age": "soon"}, "invalid_request"),
        ({"response_mode": "fragment"}, "invalid_request"), ({"nonce": "n" * 1_025}, "invalid_request"),
    ],
)
def test_a_wrong_request_goes_back_to_the_client(server, change, error):
    agent = Agent(server)
    assert agent.authorize(**change) is None
    assert agent.returned(agent.answer.headers["location"])["error"] == error


def test_nothing_is_sent_to_an_address_that_is_not_registered(server):
    agent = Agent(server)
    for address in (REDIRECT + "/", REDIRECT + "?a=b", "https://agent.example", "https://evil.example/callback", None):
        agent.authorize(redirect_uri=address)
        assert agent.answer.status_code == 400 and "location" not in agent.answer.headers
    agent.authorize(client_id="7d6ad3ab-6d17-4f3f-b0fc-0c55b5f6b6d5")
    assert agent.answer.status_code == 400 and agent.answer.json()["code"] == "oauth_client_not_found"


def test_a_client_proves_who_it_is(server, ada):
    agent, other = Agent(server), Agent(server)
    authorization = agent.authorize()
    ada.see(authorization)
    code = agent.returned(ada.decide(authorization)["redirect_url"])["code"]
    fields = {"grant_type": "authorization_code", "code": code, "code_verifier": agent.verifier}
    wrong = agent.http.post("/oauth/token", data=fields, auth=(agent.client_id, "no"))
    assert wrong.status_code == 401 and wrong.json()["error"] == "invalid_client"
    assert wrong.headers["www-authenticate"].startswith("Basic")
    assert agent.http.post("/oauth/token", data={**fields, "client_id": agent.client_id}).json()["error"] == "invalid_client"
    assert other.token(**fields).json()["error"] == "invalid_grant"
    tokens = agent.redeem(code).json()
    assert other.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    twice = agent.http.post("/oauth/token", content="grant_type=a&grant_type=b&client_id=" + agent.client_id)
    assert twice.json()["error"] == "invalid_request"


def test_tokens_are_introspected_and_given_back(server, ada):
    agent, other = Agent(server), Agent(server)
    tokens = agent.sign_in(ada)

    def active(client, token):
        answer = client.http.post("/oauth/introspect", data={"token": token}, auth=(client.client_id, client.secret))
        return answer.json()["active"]

    for token in (tokens["access_token"], tokens["refresh_token"]):
        assert active(agent, token) and not active(other, token)
    assert not active(agent, ada.session["access_token"]) and not active(agent, "nothing")
    other.http.post("/oauth/revoke", data={"token": tokens["refresh_token"]}, auth=(other.client_id, other.secret))
    assert active(agent, tokens["refresh_token"])
    gone = agent.http.post("/oauth/revoke", data={"token": tokens["access_token"]}, auth=(agent.client_id, agent.secret))
    assert gone.status_code == 200 and not active(agent, tokens["refresh_token"])
    assert [one["client"]["id"] for one in ada.grants()] == [agent.client_id]


def test_a_device_is_approved_elsewhere(server, ada):
    device = "urn:ietf:params:oauth:grant-type:device_code"
    agent = Agent(server, public=True, grant_types=[device, "refresh_token"])
    begun = agent.http.post("/oauth/device_authorization", data={"client_id": agent.client_id, "scope": "email"}).json()
    assert begun["interval"] == 5 and begun["verification_uri"].endswith("/account/device")

    def ask():
        return agent.token(grant_type=device, device_code=begun["device_code"]).json()

    assert ask()["error"] == "authorization_pending" and ask()["error"] == "slow_down"
    typed = begun["user_code"].lower().replace("-", " ")
    seen = ada.http.get("/oauth/device", params={"user_code": typed}).json()
    assert seen["flow"] == "device" and seen["redirect_uri"] == ""
    assert ada.decide(seen["authorization_id"]) == {"flow": "device", "status": "approved"}
    tokens = ask()
    assert tokens["scope"] == "email" and agent.refresh(tokens["refresh_token"]).status_code == 200
    assert ask()["error"] == "invalid_grant"


def test_a_pushed_request_is_used_once(server, ada):
    agent = Agent(server)
    agent.authorize()
    fields = {
        "redirect_uri": REDIRECT, "response_type": "code", "scope": "email", "code_challenge": "c" * 43,
        "code_challenge_method": "S256",
    }
    pushed = agent.http.post("/oauth/par", data=fields, auth=(agent.client_id, agent.secret))
    assert pushed.status_code == 201
    reference = {"client_id": agent.client_id, "request_uri": pushed.json()["request_uri"]}
    other = agent.http.get("/oauth/authorize", params={**reference, "client_id": Agent(server).client_id})
    assert other.status_code == 400
    first = agent.http.get("/oauth/authorize", params=reference)
    assert ada.see(query_of(first.headers["location"])["authorization_id"])["scope"] == "email"
    assert agent.http.get("/oauth/authorize", params=reference).status_code == 400


def test_signing_out_everywhere_ends_the_agents_too(server, ada):
    agent = Agent(server)
    tokens = agent.sign_in(ada)
    assert ada.http.post("/logout?scope=global").status_code == 204
    assert agent.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    bob = User(server)
    tokens = agent.sign_in(bob)
    assert bob.http.post("/logout?scope=global&keep_clients=true").status_code == 204
    assert bob.http.get("/user").status_code == 403
    assert agent.refresh(tokens["refresh_token"]).status_code == 200


def test_metadata_is_where_clients_look(server):
    agent = Agent(server)
    document = agent.http.get("/.well-known/openid-configuration").json()
    assert document["authorization_response_iss_parameter_supported"] is True
    root = server.auth_url.removesuffix("/auth/v1")
    for path in ("/oauth-authorization-server", "/oauth-authorization-server/auth/v1", "/openid-configuration/auth/v1"):
        answer = agent.http.get(f"{root}/.well-known{path}")
        assert answer.status_code == 200 and answer.json() == document, path
    assert document["issuer"] == server.auth_url


def test_a_hook_adds_to_an_agents_token_and_changes_nothing_that_was_approved(session_servers):
    with receiver() as hooks:
        server = session_servers.serve(**OAUTH, **hooks.hook("custom_access_token")).start()
        hooks.answers["/custom_access_token"] = lambda call: (200, {"claims": call.json["claims"] | {"plan": "pro"}})
        ada, agent = User(server), Agent(server)
        tokens = agent.sign_in(ada)
        claims = agent.claims(tokens["access_token"])
        assert claims["plan"] == "pro" and claims["client_id"] == agent.client_id
        tokens = agent.refresh(tokens["refresh_token"]).json()
        assert agent.claims(tokens["access_token"])["plan"] == "pro"
        hooks.answers["/custom_access_token"] = lambda call: (
            200, {"claims": call.json["claims"] | ({"scope": "everything"} if "scope" in call.json["claims"] else {})})
        assert agent.refresh(tokens["refresh_token"]).status_code >= 400
