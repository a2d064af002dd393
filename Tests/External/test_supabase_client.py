"""The Python client that Supabase publishes, as it comes from PyPI, against our server: no special case for us."""

import jwt
import pyotp
import pytest
from program import JWT_SECRET, PASSWORD
from supabase_auth.errors import AuthApiError, AuthSessionMissingError, AuthWeakPasswordError
from supabase_clients import SyncGoTrueAdminAPI, SyncGoTrueClient


def client_of(server, key="publishable_key"):
    # Without the timer thread that would refresh in the background: tests refresh when they mean to.
    return SyncGoTrueClient(url=server.auth_url, headers={"apikey": server.keys[key]}, auto_refresh_token=False)


@pytest.fixture
def client(dev):
    return client_of(dev)


@pytest.fixture
def admin(dev):
    key = dev.keys["secret_key"]
    return SyncGoTrueAdminAPI(url=dev.auth_url, headers={"apikey": key, "Authorization": f"Bearer {key}"})


def credentials(email, password=PASSWORD, **options):
    return {"email": email, "password": password, **({"options": options} if options else {})}


def code_of(action, *arguments, **options):
    """The stable code of the error that the client raises."""
    with pytest.raises(AuthApiError) as raised:
        action(*arguments, **options)
    return raised.value.code


def test_a_user_from_sign_up_to_sign_out(client, dev, new_email):
    email = new_email()
    signed_up = client.sign_up(credentials(email, data={"first_name": "Ana", "plan": {"seats": 3}}))
    assert signed_up.session and signed_up.user.email == email
    assert signed_up.user.user_metadata["first_name"] == "Ana"
    assert signed_up.user.app_metadata == {"provider": "email", "providers": ["email"]}
    assert [identity.provider for identity in signed_up.user.identities] == ["email"]

    assert client.get_user().user.id == signed_up.user.id
    client.sign_out()
    assert client.get_session() is None

    signed_in = client.sign_in_with_password(credentials(email))
    assert signed_in.user.id == signed_up.user.id
    assert signed_in.session.token_type == "bearer" and signed_in.session.expires_in == 3600
    refreshed = client.refresh_session()
    assert refreshed.session.refresh_token != signed_in.session.refresh_token
    assert refreshed.user.id == signed_up.user.id
    client.sign_out()
    assert code_of(client.refresh_session, refreshed.session.refresh_token) == "refresh_token_not_found"
    assert dev.gateway().get("/v1/auth/me").status == 401


def test_capital_letters_in_the_address(client, new_email):
    email = new_email()
    client.sign_up(credentials(email.upper()))
    assert client.sign_in_with_password(credentials(email)).user.email == email


def test_update_metadata(client, new_email):
    client.sign_up(credentials(new_email(), data={"a": 1, "b": {"c": [1, 2, None]}}))
    updated = client.update_user({"data": {"a": None, "d": "ü 🚪", "n": 9007199254740991}})
    assert updated.user.user_metadata["d"] == "ü 🚪"
    stored = client.get_user().user.user_metadata
    assert "a" not in stored and stored["b"] == {"c": [1, 2, None]} and stored["n"] == 9007199254740991


def test_update_password(client, dev, new_email):
    email, new_password = new_email(), "another horse 43 battery"
    client.sign_up(credentials(email))
    elsewhere = client_of(dev)
    elsewhere.sign_in_with_password(credentials(email))

    client.update_user({"password": new_password})
    assert client.get_user().user.email == email, "the session that changed it goes on"
    assert code_of(elsewhere.get_user) == "session_not_found"
    assert code_of(client_of(dev).sign_in_with_password, credentials(email)) == "invalid_credentials"
    assert client_of(dev).sign_in_with_password(credentials(email, new_password)).user.email == email
    assert code_of(client.update_user, {"password": new_password}) == "same_password"


def test_update_email(client, dev, new_email):
    """With automatic confirmation the change applies at once."""
    before, after = new_email(), new_email("moved")
    client.sign_up(credentials(before))
    user = client.update_user({"email": after}).user
    assert user.email == after or user.new_email == after
    taken = new_email()
    client_of(dev).sign_up(credentials(taken))
    assert code_of(client.update_user, {"email": taken}) == "email_exists"


@pytest.mark.parametrize(
    "scope, here, there",
    [
        ("local", "session_not_found", None),
        ("others", None, "session_not_found"),
        ("global", "session_not_found", "session_not_found"),
    ],
)
def test_sign_out_scopes(dev, new_email, scope, here, there):
    email = new_email()
    one, other = client_of(dev), client_of(dev)
    mine = one.sign_up(credentials(email)).session.access_token
    theirs = other.sign_in_with_password(credentials(email)).session.access_token

    one.sign_out({"scope": scope})
    for token, code in ((mine, here), (theirs, there)):
        if code:
            assert code_of(client_of(dev).get_user, token) == code
        else:
            assert client_of(dev).get_user(token).user.email == email


def test_error_codes(client, new_email):
    email = new_email()
    client.sign_up(credentials(email))
    client.sign_out()
    assert code_of(client.sign_up, credentials(email)) == "user_already_exists"
    assert code_of(client.sign_in_with_password, credentials(email, "wrong password 1")) == "invalid_credentials"
    assert code_of(client.sign_in_with_password, credentials(new_email("nobody"))) == "invalid_credentials"
    assert code_of(client.sign_up, credentials("not an address")) == "validation_failed"
    assert code_of(client.refresh_session, "abcdefghijkl") == "refresh_token_not_found"
    assert code_of(client.refresh_session, "short") == "validation_failed"
    assert code_of(client.get_user, "not.a.token") == "bad_jwt"
    with pytest.raises(AuthSessionMissingError):
        client.update_user({"data": {}})


@pytest.mark.parametrize("password, reason", [("short", "length"), ("password123", "pwned")])
def test_weak_passwords_say_why(client, new_email, password, reason):
    with pytest.raises(AuthWeakPasswordError) as raised:
        client.sign_up(credentials(new_email(), password))
    assert raised.value.code == "weak_password" and reason in raised.value.reasons


def test_a_session_that_is_set_from_outside(client, dev, new_email):
    session = client.sign_up(credentials(new_email())).session
    other = client_of(dev)
    assert other.set_session(session.access_token, session.refresh_token).user.id == session.user.id
    assert other.get_user().user.id == session.user.id


def test_anonymous(server):
    client = client_of(server)
    session = client.sign_in_anonymously({"options": {"data": {"theme": "dark"}}}).session
    assert session.user.is_anonymous and not session.user.email
    assert session.user.user_metadata == {"theme": "dark"}
    assert jwt.decode(session.access_token, options={"verify_signature": False})["is_anonymous"] is True
    assert client.refresh_session().user.is_anonymous


def test_claims_are_checked_with_the_published_keys(client, dev, new_email):
    user = client.sign_up(credentials(new_email())).user
    checked = client.get_claims()
    assert checked["claims"]["sub"] == user.id and checked["headers"]["alg"] == "ES256"
    published = dev.auth().get("/.well-known/jwks.json").json()
    assert checked["headers"]["kid"] in [key["kid"] for key in published["keys"]]
    assert all("d" not in key for key in published["keys"])
    # As any other verifier would with the same key set.
    token = client.get_session().access_token
    key = jwt.PyJWKSet.from_dict(published)[jwt.get_unverified_header(token)["kid"]]
    claims = jwt.decode(
        token,
        key,
        algorithms=["ES256"],
        audience="authenticated",
        issuer=dev.auth().get("/.well-known/openid-configuration").json()["issuer"],
    )
    assert claims["role"] == "authenticated" and claims["session_id"]


def test_admin_manages_users(admin, dev, new_email):
    email = new_email()
    created = admin.create_user(
        {
            "email": email,
            "password": PASSWORD,
            "email_confirm": True,
            "user_metadata": {"first_name": "Bo"},
            "app_metadata": {"tier": 2},
        }
    ).user
    assert created.email == email and created.email_confirmed_at and created.app_metadata["tier"] == 2
    assert admin.get_user_by_id(created.id).user.email == email
    assert client_of(dev).sign_in_with_password(credentials(email)).user.id == created.id

    moved = new_email("moved")
    changed = admin.update_user_by_id(created.id, {"email": moved, "user_metadata": {"first_name": None, "x": 1}}).user
    assert changed.email == moved and changed.user_metadata.get("x") == 1 and "first_name" not in changed.user_metadata
    assert client_of(dev).sign_in_with_password(credentials(moved)).user.id == created.id

    banned = admin.update_user_by_id(created.id, {"ban_duration": "24h"}).user
    assert (
        banned.model_dump().get("banned_until") or dev.admin().get(f"/admin/users/{created.id}").json()["banned_until"]
    )
    assert code_of(client_of(dev).sign_in_with_password, credentials(moved)) == "user_banned"
    admin.update_user_by_id(created.id, {"ban_duration": "none"})

    assert code_of(admin.create_user, {"email": moved, "password": PASSWORD}) == "email_exists"
    admin.delete_user(created.id)
    assert code_of(admin.get_user_by_id, created.id) == "user_not_found"
    assert code_of(client_of(dev).sign_in_with_password, credentials(moved)) == "invalid_credentials"


def test_admin_imports_a_bcrypt_hash(admin, dev, new_email):
    email = new_email()
    # bcrypt of "first password 1", cost 4, from another implementation.
    hashed = "$2b$04$abcdefghijklmnopqrstuudLTayfK0aLg7hqnao/6VM5EnWZoAB.u"
    admin.create_user({"email": email, "password_hash": hashed, "email_confirm": True})
    client = client_of(dev)
    assert code_of(client.sign_in_with_password, credentials(email, "first password 2")) == "invalid_credentials"
    for _ in range(2):  # The second time checks the upgraded hash.
        assert client.sign_in_with_password(credentials(email, "first password 1")).user.email == email


def test_admin_lists_users_by_pages(server, new_email):
    key = server.keys["secret_key"]
    admin = SyncGoTrueAdminAPI(url=server.auth_url, headers={"apikey": key, "Authorization": f"Bearer {key}"})
    made = {admin.create_user({"email": new_email("paged"), "password": PASSWORD}).user.id for _ in range(5)}
    listed, page = [], 1
    while users := admin.list_users(page=page, per_page=2):
        assert len(users) <= 2
        listed += [user.id for user in users]
        page += 1
    assert len(listed) == len(set(listed)) and made <= set(listed)
    assert made <= {user.id for user in admin.list_users(per_page=1000)}
    everybody = server.admin().get("/admin/users?page=1&per_page=2")
    assert int(everybody.headers["x-total-count"]) == len(listed)
    last = -(-len(listed) // 2)
    path = everybody.headers["link"].partition("<")[2].partition("?")[0]
    assert everybody.headers["link"] == (
        f'<{path}?page=2&per_page=2>; rel="next", <{path}?page={last}&per_page=2>; rel="last"'
    )


def test_admin_soft_delete_keeps_the_row_and_frees_the_address(admin, dev, new_email):
    email = new_email()
    user = client_of(dev).sign_up(credentials(email)).user
    admin.delete_user(user.id, should_soft_delete=True)
    assert admin.get_user_by_id(user.id).user.email != email
    assert client_of(dev).sign_up(credentials(email)).user.id != user.id


def test_a_second_factor_raises_the_session_and_is_removed(client, new_email):
    user = client.sign_up(credentials(new_email())).user
    assert code_of(client.mfa.challenge, {"factor_id": user.id}) == "mfa_factor_not_found"
    assert code_of(client.mfa.unenroll, {"factor_id": user.id}) == "mfa_factor_not_found"
    factor = client.mfa.enroll({"factor_type": "totp", "friendly_name": "phone", "issuer": "Journal"})
    challenge = client.mfa.challenge({"factor_id": factor.id})
    answer = {"factor_id": factor.id, "challenge_id": challenge.id}
    right = pyotp.TOTP(factor.totp.secret).now()
    wrong = str((int(right) + 500_000) % 1_000_000).zfill(6)
    assert code_of(client.mfa.verify, {**answer, "code": wrong}) == "mfa_verification_failed"
    client.mfa.verify({**answer, "code": right})
    assert client.mfa.get_authenticator_assurance_level().current_level == "aal2"
    assert [each.id for each in client.mfa.list_factors().totp] == [factor.id]
    client.mfa.unenroll({"factor_id": factor.id})
    assert client.refresh_session().user.factors is None


def test_a_server_without_mail_says_so_by_the_code(servers, new_email):
    server = servers.serve(GOTRUE_JWT_SECRET=JWT_SECRET, GOTRUE_MAILER_AUTOCONFIRM="true").start()
    client = SyncGoTrueClient(url=server.auth_url)
    key = jwt.encode({"role": "service_role"}, JWT_SECRET, "HS256")
    admin = SyncGoTrueAdminAPI(url=server.auth_url, headers={"Authorization": f"Bearer {key}"})
    email = new_email()
    client.sign_up(credentials(email))
    assert code_of(client.reauthenticate) == "email_provider_disabled"
    assert code_of(client.reset_password_for_email, email) == "email_provider_disabled"
    assert code_of(client.verify_otp, {"email": email, "token": "123456", "type": "email"}) == "otp_expired"
    assert code_of(client.sign_in_with_otp, {"email": email}) == "email_provider_disabled"
    assert code_of(admin.invite_user_by_email, new_email()) == "email_provider_disabled"
    assert code_of(admin.generate_link, {"type": "magiclink", "email": email}) == "email_provider_disabled"


def test_a_key_without_an_end(servers):
    """Self-hosters sign keys with the shared secret, and leave `exp` out."""
    server = servers.serve(GOTRUE_JWT_SECRET=JWT_SECRET).start()
    key = jwt.encode({"role": "service_role"}, JWT_SECRET, "HS256")
    admin = SyncGoTrueAdminAPI(url=server.auth_url, headers={"Authorization": f"Bearer {key}"})
    assert admin.list_users() == []


def test_admin_needs_the_secret_key(dev, client, new_email):
    token = client.sign_up(credentials(new_email())).session.access_token
    for key in (token, dev.keys["anon_key"]):
        user = SyncGoTrueAdminAPI(
            url=dev.auth_url, headers={"apikey": dev.keys["publishable_key"], "Authorization": f"Bearer {key}"}
        )
        assert code_of(user.list_users) == "not_admin"
    service = SyncGoTrueAdminAPI(url=dev.auth_url, headers={"Authorization": f"Bearer {dev.keys['service_role_key']}"})
    assert service.list_users(per_page=1)


def test_admin_signs_a_user_out(admin, dev, new_email):
    client = client_of(dev)
    session = client.sign_up(credentials(new_email())).session
    admin.sign_out(session.access_token)
    assert code_of(client.get_user) == "session_not_found"
