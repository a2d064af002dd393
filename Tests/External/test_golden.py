"""Compares our responses with recordings of the original server. Tests/Golden/README.md has the format."""

import json
import os
import re

import lists
import mails
import pytest
import replay
from conftest import GOLDEN_LEDGER
from identity_provider import IdentityProvider
from program import JWT_SECRET, REPOSITORY, free_port

RECORDINGS = lists.recordings()
# A few cases wait for minutes.
RUNS_SLOW_CASES = os.environ.get("GATEHOUSE_SLOW_RECORDINGS") == "1"
WAITING = {(entry.group, entry.case): entry.why for entry in lists.waiting()}
REASONS, DEVIATIONS = lists.differences()

# A throw-away key: it protects nothing.
SIGNING_KEY = {
    "kty": "EC",
    "crv": "P-256",
    "kid": "es-1",
    "alg": "ES256",
    "use": "sig",
    "key_ops": ["sign", "verify"],
    "x": "zqsumxhDsEyFBl9ZLbIhxzn18Ha2HFVNXaFkoQUIEOc",
    "y": "S0JVEkajW0rOl0nu4R8zvQl3idh7YGREbckyRMcpeqQ",
    "d": "BTKKlxWjceP4VtoaYHbIz-SwHIaO3OG7RHEn_Fhk6Ss",
}
SHARED_KEY = {
    "kty": "oct",
    "kid": "hs-1",
    "alg": "HS256",
    "key_ops": ["verify"],
    "k": replay.to_base64url(JWT_SECRET.encode()),
}

RELYING_PARTY = {
    "GOTRUE_WEBAUTHN_RP_ID": "example.org",
    "GOTRUE_WEBAUTHN_RP_DISPLAY_NAME": "Example App",
    "GOTRUE_WEBAUTHN_RP_ORIGINS": "https://app.example.org,https://login.example.org:8443",
}
PASSKEYS = {
    **RELYING_PARTY,
    "GOTRUE_PASSKEY_ENABLED": "true",
    "GOTRUE_MFA_WEB_AUTHN_ENROLL_ENABLED": "true",
    "GOTRUE_MFA_WEB_AUTHN_VERIFY_ENABLED": "true",
}
NOTICES = {
    "GOTRUE_MAILER_NOTIFICATIONS_MFA_FACTOR_ENROLLED_ENABLED": "true",
    "GOTRUE_MAILER_NOTIFICATIONS_MFA_FACTOR_UNENROLLED_ENABLED": "true",
}
INSTANCES = {
    "auto": {},
    "confirm": {"GOTRUE_MAILER_AUTOCONFIRM": "false"},
    "strict": {
        "GOTRUE_DISABLE_SIGNUP": "true",
        "GOTRUE_MAILER_AUTOCONFIRM": "false",
        "GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED": "false",
        "GOTRUE_PASSWORD_MIN_LENGTH": "10",
        "GOTRUE_PASSWORD_REQUIRED_CHARACTERS": "abcdefghijklmnopqrstuvwxyz:ABCDEFGHIJKLMNOPQRSTUVWXYZ:0123456789",
        "GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD": "true",
        "GOTRUE_JWT_ISSUER": "https://auth.example.org/auth/v1",
        "GOTRUE_JWT_KEYS": json.dumps([SIGNING_KEY, SHARED_KEY]),
    },
    "quick": {
        "GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL": "1",
        "GOTRUE_RATE_LIMIT_HEADER": "X-Forwarded-For",
        "GOTRUE_RATE_LIMIT_ANONYMOUS_USERS": "2",
        "GOTRUE_RATE_LIMIT_VERIFY": "1",
        "GOTRUE_RATE_LIMIT_TOKEN_REFRESH": "1",
        "GOTRUE_RATE_LIMIT_OTP": "1",
        # As with the others, no further request is allowed soon after the first thirty.
        "GOTRUE_MFA_RATE_LIMIT_CHALLENGE_AND_VERIFY": "1",
        "GOTRUE_MAILER_OTP_EXP": "2",
        "GATEHOUSE_LIMITS": "on",
    },
    "v2": {"GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL": "1"},
    "passkeys": {
        **PASSKEYS,
        **NOTICES,
        "GOTRUE_PASSKEY_MAX_PASSKEYS_PER_USER": "3",
        "GOTRUE_MFA_MAX_ENROLLED_FACTORS": "4",
        "GOTRUE_MFA_MAX_VERIFIED_FACTORS": "3",
    },
    "pkquick": {
        **PASSKEYS,
        "GOTRUE_MAILER_AUTOCONFIRM": "false",
        "GOTRUE_WEBAUTHN_CHALLENGE_EXPIRY_DURATION": "2s",
        "GOTRUE_MFA_TOTP_ENROLL_ENABLED": "false",
        "GOTRUE_SESSIONS_ALLOW_LOW_AAL": "5s",
        "GOTRUE_RATE_LIMIT_HEADER": "X-Forwarded-For",
        "GOTRUE_RATE_LIMIT_PASSKEY": "1",
        "GATEHOUSE_LIMITS": "on",
    },
    "mfaoff": {
        **RELYING_PARTY,
        "GOTRUE_MFA_TOTP_VERIFY_ENABLED": "false",
        "GOTRUE_MFA_WEB_AUTHN_ENROLL_ENABLED": "true",
        "GOTRUE_MFA_PHONE_ENROLL_ENABLED": "true",
    },
    "codes": {
        **PASSKEYS,
        **NOTICES,
        "GOTRUE_MFA_RECOVERY_CODES_ENROLL_ENABLED": "true",
        "GOTRUE_MFA_RECOVERY_CODES_VERIFY_ENABLED": "true",
        "GOTRUE_MFA_RECOVERY_CODES_COUNT": "4",
        "GOTRUE_MFA_RECOVERY_CODES_CODE_LENGTH": "16",
        "GOTRUE_MFA_RECOVERY_CODES_MAX_VERIFY_ATTEMPTS": "3",
        "GOTRUE_MFA_RECOVERY_CODES_LOCKOUT_DURATION": "1m",
        "GOTRUE_MFA_MAX_VERIFIED_FACTORS": "3",
    },
    "codesoff": {},
}


# As the instances were recorded: a short interval, and opening a link spends it.
MAIL = {
    "GOTRUE_SMTP_MAX_FREQUENCY": "2s",
    "GOTRUE_RATE_LIMIT_EMAIL_SENT": "1000000",
    "GATEHOUSE_MAILER_LINKS_OPEN_AT_ONCE": "true",
}

# Where a case waits for no end of these times, none ends during the case, however busy the machine is.
UNHURRIED = {"GOTRUE_SMTP_MAX_FREQUENCY": "1h", "GOTRUE_WEBAUTHN_CHALLENGE_EXPIRY_DURATION": "5m"}

REDIRECTS = {
    "GATEHOUSE_EXTERNAL_PLAIN_PKCE_ENABLED": "true",
    "GOTRUE_URI_ALLOW_LIST": "https://app.example.org/*, https://*.preview.example.org/**, myapp://callback",
    "GATEHOUSE_REDIRECT_PATTERNS": "true",
    "GATEHOUSE_EXTERNAL_IMPLICIT_FLOW_ENABLED": "true",
    "GATEHOUSE_OUTGOING_LOOPBACK": "true",
}
# As the recorded server calls GitHub; our own description adds PKCE.
GITHUB = {
    "name": "github",
    "issuer": "https://github.com",
    "client_id": "gh-client,gh-client-2",
    "client_secret": "made-up",
    "scopes": ["user:email"],
    "pkce": False,
    "endpoints": {
        "authorization": "https://github.com/login/oauth/authorize",
        "token": "https://github.com/login/oauth/access_token",
        "userinfo": "https://api.github.com/user",
        "jwks": "https://github.com/login/oauth/.well-known/jwks",
    },
}


def known(provider, client_id, callback, **more):
    """The settings of a built-in provider."""
    members = {"enabled": "true", "client_id": client_id, "secret": "made-up", "redirect_uri": callback, **more}
    return {f"GOTRUE_EXTERNAL_{provider}_{name}".upper(): value for name, value in members.items()}


def providers(instance, url, idp_url):
    """The settings of the providers that an instance was recorded with. `url` is the server's."""
    callback = url + "/callback"
    if instance in ("auto", "confirm", "passkeys", "pkquick", "mfaoff", "codes", "codesoff"):
        return (
            REDIRECTS
            | known("keycloak", "kc-client", callback, secret="kc-secret", url=idp_url)
            # As the recorded server links.
            | {"GATEHOUSE_EXTERNAL_KEYCLOAK_LINKING": "automatic"}
        )
    if instance == "strict":
        return (
            REDIRECTS
            | known("google", "web-client.example,ios-client.example", callback)
            | known("apple", "org.example.service,org.example.app", callback)
            # The recorded server also has Bitbucket without a client id. Ours does not start like that.
            | {"GATEHOUSE_OPENID_PROVIDERS": json.dumps([{**GITHUB, "redirect_uri": callback}])}
            | {"GOTRUE_SECURITY_MANUAL_LINKING_ENABLED": "false"}
        )
    return {}


@pytest.fixture(scope="module")
def idp_url():
    stand_in = IdentityProvider().start()
    yield stand_in.url
    stand_in.stop()


@pytest.fixture(scope="module")
def base_url(session_servers, idp_url):
    """Starts each instance when its first case comes: one for the cases that wait, and one for the others."""
    running = {}

    def start(recorded):
        """The server's URL and its mails."""
        instance, waits = recorded.instance, replay.waits(recorded.case)
        if (instance, waits) not in running:
            folder = session_servers.folder("mails")
            port = free_port()
            settings = providers(instance, f"http://127.0.0.1:{port}", idp_url)
            settings |= {"GOTRUE_JWT_SECRET": JWT_SECRET, "GATEHOUSE_MAIL_FOLDER": folder}
            settings = {**MAIL, **INSTANCES[instance], **settings}
            if not waits:
                settings |= {name: value for name, value in UNHURRIED.items() if name in settings}
            server = session_servers.serve(auth_path="/", port=port, **settings)
            running[instance, waits] = server.start(), mails.Mails(folder)
        server, received = running[instance, waits]
        return server.auth_url, received

    return start


@pytest.mark.parametrize("recorded", RECORDINGS, ids=lambda recorded: f"{recorded.group}: {recorded.case['name']}")
def test_recorded_answers(recorded, base_url, idp_url, pytestconfig):
    if recorded.case.get("slow") and not RUNS_SLOW_CASES:
        pytest.skip("waits for minutes; GATEHOUSE_SLOW_RECORDINGS=1 runs it")
    ledger = pytestconfig.stash[GOLDEN_LEDGER]
    url, received = base_url(recorded)
    # A pause of the machine may end an interval in which a further step has to come.
    for attempt in range(3 if replay.waits(recorded.case) else 1):
        rules = lists.Rules(DEVIATIONS, recorded)
        given = replay.given_values(url, JWT_SECRET, idp_url)
        found = replay.replay(recorded.case, url, given, rules, received, attempt)
        if not found:
            break
    ledger["used"] |= rules.used
    why = WAITING.get((recorded.group, recorded.case["name"]))
    if why and found:
        ledger["waiting"].append(why)
        pytest.skip(f"waiting: {why}")
    if why or found:
        ledger["failed"] += 1
    assert not found, "\n".join(found)
    assert not why, "this case passes now: take it off waiting.txt"
    ledger["passed"] += 1
    if any(deviation.case != "*" for deviation in rules.used):
        ledger["differs"] += 1


def test_every_waiting_line_names_a_case():
    known = {(recorded.group, recorded.case["name"]) for recorded in RECORDINGS}
    assert not WAITING.keys() - known


def test_every_deviation_names_a_case():
    known = {(recorded.group, recorded.case["name"]) for recorded in RECORDINGS}
    named = {(deviation.group, deviation.case) for deviation in DEVIATIONS if deviation.case != "*"}
    assert not named - known
    assert all(deviation.slug in REASONS for deviation in DEVIATIONS)


def test_no_deviation_is_stale(request, pytestconfig):
    """Runs after the cases: a line without a matching response is an outdated difference."""
    ran = sum(item.originalname == "test_recorded_answers" for item in request.session.items)
    if ran < len(RECORDINGS):
        pytest.skip("only a part of the cases was run")
    unused = [deviation for deviation in DEVIATIONS if deviation not in pytestconfig.stash[GOLDEN_LEDGER]["used"]]
    assert not unused


def test_the_page_lists_the_same_differences():
    """Docs/compatibility.md has the differences of differences.txt."""
    with open(os.path.join(REPOSITORY, "Docs", "compatibility.md"), encoding="utf-8") as file:
        section = file.read().partition("## Recorded differences\n")[2].partition("\n## ")[0]
    assert sorted(re.findall(r"^\* `([a-z0-9-]+)`: ", section, re.MULTILINE)) == sorted(REASONS)
