"""Moving in from a database with Supabase's schema `auth`, and out again: through the program, on both databases."""

import base64
import contextlib
import glob
import gzip
import hashlib
import hmac
import json
import os
import random
import signal
import subprocess
import uuid

import ceremonies
import postgres
import program
import pyotp
import pytest
from passkey_device import Authenticator

pytestmark = postgres.needs_server

# bcrypt, cost 4.
PASSWORD, HASH = "pass", "$2b$04$abcdefghijklmnopqrstuufznL8bkzdtHwLhca4To/v9Lo9bA7fR6"

# Supabase's tables, in an order that satisfies their foreign keys.
SCHEMA = """
CREATE SCHEMA auth;
CREATE TYPE auth.aal_level AS ENUM ('aal1', 'aal2', 'aal3');
CREATE TYPE auth.factor_type AS ENUM ('totp', 'webauthn', 'phone', 'recovery_code');
CREATE TYPE auth.factor_status AS ENUM ('unverified', 'verified');
CREATE TABLE auth.users (
    instance_id uuid, id uuid PRIMARY KEY, aud varchar(255), role varchar(255), email varchar(255),
    encrypted_password varchar(255), email_confirmed_at timestamptz, invited_at timestamptz,
    confirmation_token varchar(255), confirmation_sent_at timestamptz, recovery_token varchar(255),
    recovery_sent_at timestamptz, email_change_token_new varchar(255), email_change varchar(255),
    email_change_sent_at timestamptz, last_sign_in_at timestamptz, raw_app_meta_data jsonb, raw_user_meta_data jsonb,
    is_super_admin bool, created_at timestamptz, updated_at timestamptz, phone text UNIQUE,
    phone_confirmed_at timestamptz, phone_change text DEFAULT '', phone_change_token varchar(255) DEFAULT '',
    phone_change_sent_at timestamptz,
    confirmed_at timestamptz GENERATED ALWAYS AS (LEAST(email_confirmed_at, phone_confirmed_at)) STORED,
    email_change_token_current varchar(255) DEFAULT '',
    email_change_confirm_status smallint DEFAULT 0 CHECK (email_change_confirm_status BETWEEN 0 AND 2),
    banned_until timestamptz, reauthentication_token varchar(255) DEFAULT '', reauthentication_sent_at timestamptz,
    is_sso_user bool NOT NULL DEFAULT false, deleted_at timestamptz, is_anonymous bool NOT NULL DEFAULT false);
CREATE UNIQUE INDEX users_email_partial_key ON auth.users (email) WHERE is_sso_user = false;
CREATE TABLE auth.identities (
    provider_id text NOT NULL, user_id uuid NOT NULL REFERENCES auth.users ON DELETE CASCADE,
    identity_data jsonb NOT NULL, provider text NOT NULL, last_sign_in_at timestamptz, created_at timestamptz,
    updated_at timestamptz, email text GENERATED ALWAYS AS (lower(identity_data ->> 'email')) STORED,
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(), UNIQUE (provider_id, provider));
CREATE INDEX ON auth.identities (user_id);
CREATE TABLE auth.sessions (
    id uuid PRIMARY KEY, user_id uuid NOT NULL REFERENCES auth.users ON DELETE CASCADE, created_at timestamptz,
    updated_at timestamptz, factor_id uuid, aal auth.aal_level, not_after timestamptz, refreshed_at timestamp,
    user_agent text, ip inet, tag text, oauth_client_id uuid, refresh_token_hmac_key text,
    refresh_token_counter bigint, scopes text);
CREATE INDEX ON auth.sessions (user_id);
CREATE TABLE auth.refresh_tokens (
    instance_id uuid, id bigserial PRIMARY KEY, token varchar(255) UNIQUE, user_id varchar(255), revoked bool,
    created_at timestamptz, updated_at timestamptz, parent varchar(255),
    session_id uuid REFERENCES auth.sessions ON DELETE CASCADE);
CREATE INDEX ON auth.refresh_tokens (session_id, revoked);
CREATE TABLE auth.mfa_amr_claims (
    session_id uuid NOT NULL REFERENCES auth.sessions ON DELETE CASCADE, created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL, authentication_method text NOT NULL, id uuid PRIMARY KEY);
CREATE TABLE auth.mfa_factors (
    id uuid PRIMARY KEY, user_id uuid NOT NULL REFERENCES auth.users ON DELETE CASCADE, friendly_name text,
    factor_type auth.factor_type NOT NULL, status auth.factor_status NOT NULL, created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL, secret text);
CREATE TABLE auth.webauthn_credentials (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id uuid NOT NULL REFERENCES auth.users ON DELETE CASCADE,
    credential_id bytea NOT NULL UNIQUE, public_key bytea NOT NULL, attestation_type text NOT NULL DEFAULT '',
    aaguid uuid, sign_count bigint NOT NULL DEFAULT 0, transports jsonb NOT NULL DEFAULT '[]',
    backup_eligible bool NOT NULL DEFAULT false, backed_up bool NOT NULL DEFAULT false,
    friendly_name text NOT NULL DEFAULT '', created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(), last_used_at timestamptz);
CREATE TABLE public.profiles (
    id uuid PRIMARY KEY REFERENCES auth.users ON DELETE CASCADE, first_name text, full_name text, avatar_url text,
    favorite_teams text[], is_premium bool, created_at timestamptz, updated_at timestamptz, username text,
    data jsonb);
"""


class Database(postgres.Database):
    def real_dump(self):
        """By the program of PostgreSQL itself, where it is installed."""
        if not (dump := postgres.client("pg_dump")):
            return self.dump()
        common = [dump, "--data-only", "-h", self.folder, "-U", "gatehouse"]
        parts = [
            subprocess.run([*common, part, self.name], capture_output=True, text=True, check=True, timeout=program.PATIENCE_SECONDS).stdout
            for part in ("--schema=auth", "--table=public.profiles")
        ]
        return "".join(parts)

    def dump(self):
        """The output of `pg_dump --data-only`, as far as the program reads it."""
        lines = []
        for table in ("auth.users", "auth.identities", "auth.sessions", "auth.refresh_tokens", "auth.mfa_amr_claims",
                      "auth.mfa_factors", "auth.webauthn_credentials", "public.profiles"):  # fmt: skip
            columns = self.run(
                f"SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute "
                f"WHERE attrelid = '{table}'::regclass AND attnum > 0 AND attgenerated = ''"
            )
            rows = self.run(f"COPY {table} ({columns}) TO STDOUT")
            lines += [f"COPY {table} ({columns}) FROM stdin;", *rows.splitlines(), "\\.", "", ""]
        head = "--\n-- PostgreSQL database dump\n--\n\nSET statement_timeout = 0;\n\n"
        return head + "\n".join(lines) + "\n--\n-- PostgreSQL database dump complete\n--\n"


class Source(Database):
    """A database as Supabase leaves it behind."""

    def __init__(self, database):
        self.__dict__.update(database.__dict__)
        self.run(SCHEMA)

    def person(self, email, password=HASH, provider="email", metadata=None, **columns):
        user = str(uuid.uuid4())
        row = {
            "id": user, "instance_id": str(uuid.UUID(int=0)), "aud": "authenticated", "role": "authenticated",
            "email": email, "encrypted_password": password, "email_confirmed_at": "2025-01-02 03:04:05.678901+00",
            "confirmation_token": "", "created_at": "2025-01-02 03:04:05+00", "updated_at": "2025-01-02 03:04:05+00",
            "raw_app_meta_data": {"provider": provider, "providers": [provider]},
            "raw_user_meta_data": metadata or {}, **columns,
        }  # fmt: skip
        self.insert("auth.users", row)
        data = {"sub": user, "email": email, "email_verified": provider != "email"}
        self.insert(
            "auth.identities",
            {"provider_id": user if provider == "email" else "p-" + user, "user_id": user, "identity_data": data,
             "provider": provider, "created_at": "2025-01-02T03:04:05Z", "updated_at": "2025-01-02T03:04:05Z",
             "id": str(uuid.uuid4())},
        )  # fmt: skip
        return user

    def insert(self, table, row):
        values = json.dumps(row).replace("'", "''")
        names = ", ".join(row)
        self.run(
            f"INSERT INTO {table} ({names}) SELECT {names} FROM json_populate_record(NULL::{table}, '{values}')"
        )

    def session(self, user, tokens, **columns):
        """`tokens`: oldest first; the last one is valid."""
        session = str(uuid.uuid4())
        now = self.run("SELECT now() - interval '1 day'")
        self.insert(
            "auth.sessions",
            {"id": session, "user_id": user, "created_at": now, "updated_at": now, "aal": "aal1",
             "refreshed_at": now, "user_agent": "old app", "ip": "192.0.2.7", **columns},
        )  # fmt: skip
        self.insert(
            "auth.mfa_amr_claims",
            {"id": str(uuid.uuid4()), "session_id": session, "created_at": now, "updated_at": now,
             "authentication_method": "password"},
        )  # fmt: skip
        self.add_tokens(user, session, tokens)
        return session

    def add_tokens(self, user, session, tokens, parent=None):
        for token in tokens:
            self.run(f"UPDATE auth.refresh_tokens SET revoked = true WHERE session_id = '{session}'")
            self.run(
                "INSERT INTO auth.refresh_tokens (token, user_id, revoked, created_at, updated_at, parent, session_id) "
                f"VALUES ('{token}', '{user}', false, now(), now(), {parent and repr(parent) or 'NULL'}, '{session}')"
            )
            parent = token


@pytest.fixture
def source(cluster):
    return Source(cluster.database())


@pytest.fixture(params=["sqlite", "postgres"])
def target(request, cluster, servers):
    settings = {"GATEHOUSE_DATABASE": cluster.database().url} if request.param == "postgres" else {}
    server = servers.serve(**settings)
    assert server.command("migrate").returncode == 0
    return server


def test_accounts_are_imported_with_passwords_profiles_and_sessions(source, target):
    ada = source.person("ada@example.com", metadata={"first_name": "Ada"})
    bob = source.person("bob@example.com", password=None, provider="google")
    source.insert(
        "public.profiles",
        {"id": bob, "first_name": "Bob", "full_name": "Bob B.", "favorite_teams": ["nba_1610612744"],
         "username": "bob", "is_premium": True, "created_at": "2025-01-02T03:04:05Z",
         "data": {"mood": "calm", "goal": None}},
    )  # fmt: skip
    ada_session = source.session(ada, ["aaaaaaaaaaa0", "aaaaaaaaaaa1", "aaaaaaaaaaa2", "aaaaaaaaaaa3"])
    bob_session = source.session(bob, ["bbbbbbbbbbb1", "bbbbbbbbbbb2"])
    before = source.dump()

    rehearsal = target.command("import", "supabase", "--database-url", source.url, "--dry-run")
    assert rehearsal.returncode == 0, rehearsal.stderr
    assert "2 accounts would come" in rehearsal.stdout and "2 sessions would come" in rehearsal.stdout
    done = target.command("import", "supabase", "--database-url", source.url)
    assert done.returncode == 0, done.stderr
    assert "2 accounts came, 0 already there" in done.stdout and "2 sessions came" in done.stdout
    again = target.command("import", "supabase", "--database-url", source.url)
    assert "0 accounts came, 2 already there" in again.stdout and "0 sessions came, 2 already" in again.stdout
    assert source.dump() == before

    target.start()
    auth = target.auth()
    signed_in = auth.sign_in("ada@example.com", PASSWORD)
    assert signed_in.status == 200 and signed_in.json()["user"]["id"] == ada
    # The response of the first refresh was lost: the app retries and continues.
    first, second = auth.refresh("aaaaaaaaaaa3"), auth.refresh("aaaaaaaaaaa3")
    assert first.status == second.status == 200
    assert first.json()["refresh_token"] == second.json()["refresh_token"]
    assert first.json()["user"]["id"] == ada
    claims = first.json()["access_token"].split(".")[1]
    assert json.loads(base64.urlsafe_b64decode(claims + "=="))["session_id"] == ada_session
    onward = auth.refresh(first.json()["refresh_token"])
    assert onward.status == 200 and auth.user(onward.json()["access_token"]).json()["email"] == "ada@example.com"
    # The app had lost Supabase's last response.
    assert auth.refresh("bbbbbbbbbbb1").status == 200
    profile = target.gateway().get("/v1/auth/me", token=auth.refresh("bbbbbbbbbbb2").json()["access_token"])
    assert profile.status == 200 and '"Bob"' in profile.body.decode(), profile
    assert profile.json()["profile"]["data"] == {"mood": "calm"}
    assert bob_session
    assert auth.refresh("zzzzzzzzzzz9").code == "refresh_token_not_found"
    assert auth.refresh("no token at all").code == "validation_failed"


def test_an_access_token_of_the_old_server_is_valid_until_it_expires(source, servers):
    issuer = "https://old.example.org/auth/v1"
    target = servers.serve(GOTRUE_JWT_SECRET=program.JWT_SECRET, GOTRUE_JWT_ISSUER=issuer)
    assert target.command("migrate").returncode == 0
    ada = source.person("ada@example.com")
    session = source.session(ada, ["aaaaaaaaaaa1"])
    assert target.command("import", "supabase", "--database-url", source.url).returncode == 0

    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")

    now = int(source.run("SELECT extract(epoch FROM now())::bigint"))
    claims = {"iss": issuer, "sub": ada, "aud": "authenticated", "role": "authenticated", "session_id": session, "aal": "aal1",
              "iat": now, "exp": now + 600, "email": "ada@example.com"}  # fmt: skip
    signed = part({"alg": "HS256", "typ": "JWT"}) + b"." + part(claims)
    code = hmac.digest(program.JWT_SECRET.encode(), signed, "sha256")
    token = (signed + b"." + base64.urlsafe_b64encode(code).rstrip(b"=")).decode()
    assert target.start().auth().user(token).json()["id"] == ada


def test_a_waiting_change_of_address_stays_behind(source, target):
    source.person("ada@example.com", email_change="thief@example.org", email_change_sent_at="2025-02-02T03:04:05Z")
    assert target.command("import", "supabase", "--database-url", source.url).returncode == 0
    target.start()
    signed_in = target.auth().sign_in("ada@example.com", PASSWORD)
    assert signed_in.status == 200 and "new_email" not in signed_in.json()["user"], signed_in


def test_a_copied_old_token_ends_the_session(source, target):
    ada = source.person("ada@example.com")
    source.session(ada, ["aaaaaaaaaaa1", "aaaaaaaaaaa2", "aaaaaaaaaaa3"], refreshed_at="2026-01-01 00:00:00")
    source.run("UPDATE auth.sessions SET created_at = now(), refreshed_at = now() - interval '1 hour'")
    assert target.command("import", "supabase", "--database-url", source.url).returncode == 0
    auth = target.start().auth()
    assert auth.refresh("aaaaaaaaaaa1").code == "refresh_token_already_used"
    assert auth.refresh("aaaaaaaaaaa3").code == "refresh_token_not_found"


def test_tokens_without_rows_are_known_too(source, target):
    ada = source.person("ada@example.com")
    key = bytes(range(32))
    session = source.session(
        ada, [], refresh_token_hmac_key=base64.urlsafe_b64encode(key).decode().rstrip("="), refresh_token_counter=300
    )

    def token(counter):
        head = b"\x00" + uuid.UUID(session).bytes
        while counter > 0x7F:
            head, counter = head + bytes([counter & 0x7F | 0x80]), counter >> 7
        head += bytes([counter])
        head += hmac.digest(key, head, "sha256")[:16]
        head += hashlib.sha256(head).digest()[:4]
        return base64.urlsafe_b64encode(head).decode().rstrip("=")

    assert target.command("import", "supabase", "--database-url", source.url).returncode == 0
    auth = target.start().auth()
    assert auth.refresh(token(299)).status == 200
    assert auth.refresh(token(300)).status == 200
    assert auth.refresh(token(301)).code == "validation_failed"


def test_an_authenticator_app_comes_with_its_secret(source, target, tmp_path):
    ada, secret = source.person("ada@example.com"), "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
    factor = {"user_id": ada, "factor_type": "totp", "created_at": "2025-01-01T00:00:00Z", "updated_at": "2025-01-01T00:00:00Z"}
    kept = str(uuid.uuid4())
    for row in (
        {"id": kept, "status": "verified", "friendly_name": "phone", "secret": secret},
        {"id": str(uuid.uuid4()), "status": "unverified", "friendly_name": "never used", "secret": secret},
    ):
        source.insert("auth.mfa_factors", factor | row)
    file = tmp_path / "dump.sql"
    file.write_text(source.real_dump())
    dry = target.command("import", "supabase", "--dump", str(file), "--dry-run")
    assert dry.returncode == 0 and "--addresses-are-proven" in dry.stdout, dry
    for options in (["--dump", str(file)], ["--database-url", source.url]):
        done = target.command("import", "supabase", "--addresses-are-proven", *options)
        assert done.returncode == 0 and "second factor" not in done.stdout, done
    auth = target.start().auth()
    session = auth.sign_in("ada@example.com", PASSWORD).json()
    assert [(each["id"], each["friendly_name"], each["status"]) for each in session["user"]["factors"]] == [
        (kept, "phone", "verified")
    ]
    token = session["access_token"]
    assert auth.put("/user", {"password": "another password 9"}, token=token).code == "insufficient_aal"
    challenge = auth.post(f"/factors/{kept}/challenge", token=token).json()["id"]
    code = pyotp.TOTP(secret).now()
    raised = auth.post(f"/factors/{kept}/verify", {"challenge_id": challenge, "code": code}, token=token)
    assert raised.status == 200, raised
    assert secret not in target.log()


@pytest.mark.parametrize("way", ["dump", "database"])
def test_a_passkey_comes_and_signs_in(source, target, tmp_path, way):
    ada, device = source.person("ada@example.com"), Authenticator(random.Random(21))
    device.create("key", "", base64.urlsafe_b64encode(ada.encode()).rstrip(b"=").decode(), be=True, bs=True)
    passkey = device.passkeys["key"]
    row = (f"'\\x{passkey.raw_id.hex()}', '\\x{ceremonies.pairs(passkey.key.cose()).hex()}', 'none', 3, true, true, 'Phone'")
    source.run(
        "INSERT INTO auth.webauthn_credentials (user_id, credential_id, public_key, attestation_type, sign_count, "
        f"backup_eligible, backed_up, friendly_name) VALUES ('{ada}', {row})"
    )
    file = tmp_path / "dump.sql"
    file.write_text(source.real_dump())
    options = ["--dump", str(file)] if way == "dump" else ["--database-url", source.url]
    done = target.command("import", "supabase", "--addresses-are-proven", *options)
    assert done.returncode == 0 and "passkey" not in done.stdout, done
    target.environment.update(program.PASSKEYS)
    auth = target.start().auth()
    begun = auth.post("/passkeys/authentication/options").json()

    def answer(count):
        credential = device.get("key", begun["options"]["challenge"], counter=count)
        return {"challenge_id": begun["challenge_id"], "credential": credential}

    assert auth.post("/passkeys/authentication/verify", answer(3)).code == "webauthn_verification_failed"
    begun = auth.post("/passkeys/authentication/options").json()
    signed_in = auth.post("/passkeys/authentication/verify", answer(4))
    assert signed_in.status == 200 and signed_in.json()["user"]["id"] == ada, signed_in
    [listed] = auth.get("/passkeys", token=signed_in.json()["access_token"]).json()
    assert listed["friendly_name"] == "Phone"


def test_the_report_lists_skipped_data_with_reasons(source, target, tmp_path):
    source.person("sso@example.com", is_sso_user=True)
    source.person("gone@example.com", deleted_at="2025-05-05T00:00:00Z")
    source.person("odd@example.com", password='{"key_id":"1","alg":"aes-gcm-hkdf","data":"x","nonce":"y"}')
    factored = source.person("careful@example.com")
    for kind in ("recovery_code", "webauthn"):
        source.insert(
            "auth.mfa_factors",
            {"id": str(uuid.uuid4()), "user_id": factored, "factor_type": kind, "status": "verified",
             "created_at": "2025-01-01T00:00:00Z", "updated_at": "2025-01-01T00:00:00Z"},
        )  # fmt: skip
    source.run(
        "INSERT INTO auth.webauthn_credentials (user_id, credential_id, public_key) "
        f"VALUES ('{factored}', '\\x01', '\\xa0')"
    )
    source.insert(
        "auth.mfa_factors",
        {"id": str(uuid.uuid4()), "user_id": factored, "factor_type": "totp", "status": "verified",
         "created_at": "2025-01-01T00:00:00Z", "updated_at": "2025-01-01T00:00:00Z"},
    )  # fmt: skip
    source.session(factored, ["ccccccccccc1"], refreshed_at="2020-01-01 00:00:00")
    revoked = source.session(factored, ["ccccccccccc2"])
    source.run(f"UPDATE auth.refresh_tokens SET revoked = true WHERE session_id = '{revoked}'")
    report = tmp_path / "report"
    done = target.command("import", "supabase", "--database-url", source.url, "--report", str(report))
    assert done.returncode == 1, done.stderr
    assert "2 accounts came, 0 already there, 2 left out" in done.stdout
    remarks = sorted(line.split("\t")[1] for line in report.read_text().splitlines())
    assert remarks == ["accountValue", "deleted", "passkey", "recoveryCodes", "secondFactor", "sessionEnded", "sessionExpired", "singleSignOn"]
    assert "aes-gcm" not in report.read_text() + done.stdout + done.stderr


def test_control_characters_are_escaped_in_the_report(source, target, tmp_path):
    ada = source.person("ada@example.com")
    file, report = tmp_path / "dump.sql", tmp_path / "report"
    file.write_text(source.dump().replace(ada, "a\u202e\u009b2J\u2066da"))
    done = target.command("import", "supabase", "--dump", str(file), "--report", str(report))
    assert done.returncode == 1, done
    assert report.read_text().startswith(r"a\u202e\u009b2J\u2066da" + "\tunreadable\t")
    assert (report.read_text() + done.stdout + done.stderr).isascii()


def test_an_interrupted_run_continues(source, target):
    source.run(
        f"""
        INSERT INTO auth.users (id, aud, role, email, encrypted_password, email_confirmed_at, created_at, updated_at)
        SELECT gen_random_uuid(), 'authenticated', 'authenticated', 'p' || n || '@example.com', '{HASH}', now(), now(),
            now() FROM generate_series(1, 2000) AS n;
        INSERT INTO auth.sessions (id, user_id, created_at, refreshed_at, aal)
        SELECT gen_random_uuid(), id, now(), now(), 'aal1' FROM auth.users;
        INSERT INTO auth.refresh_tokens (token, user_id, revoked, created_at, updated_at, session_id)
        SELECT left(replace(id::text, '-', ''), 12), user_id, false, now(), now(), id FROM auth.sessions;
        """
    )
    arguments = ["import", "supabase", "--database-url", source.url]
    running = subprocess.Popen(
        [program.BINARY, *arguments], env={**program.plain_environment(), **target.environment},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    program.poll(lambda: "@" in target.command("users", "list").stdout or running.poll() is not None, "an account")
    running.send_signal(signal.SIGKILL)
    running.communicate()
    rest = target.command(*arguments)
    assert rest.returncode == 0, rest.stderr
    numbers = [int(word.replace(",", "")) for word in rest.stdout.split() if word.replace(",", "").isdigit()]
    assert numbers[0] + numbers[1] == 2000 and numbers[2] == 0
    assert "2,000 already there" in target.command(*arguments).stdout
    token = source.run("SELECT token FROM auth.refresh_tokens ORDER BY id DESC LIMIT 1")
    assert target.start().auth().refresh(token).status == 200


def test_changes_between_two_runs(source, target):
    ada = source.person("ada@example.com")
    going, ending, used = (source.session(ada, [token]) for token in ("aaaaaaaaaaa1", "bbbbbbbbbbb1", "ccccccccccc1"))
    run = lambda: target.command("import", "supabase", "--database-url", source.url)  # noqa: E731
    assert "3 sessions came" in run().stdout
    target.start()
    assert target.auth().refresh("ccccccccccc1").status == 200
    source.add_tokens(ada, going, ["aaaaaaaaaaa2"], parent="aaaaaaaaaaa1")
    source.add_tokens(ada, used, ["ccccccccccc2"], parent="ccccccccccc1")
    source.run(f"DELETE FROM auth.sessions WHERE id = '{ending}'")
    source.run("UPDATE auth.users SET phone = '4912345', updated_at = now()")
    told = run()
    assert told.returncode == 0, told.stderr
    for line in ("1 sessions brought up to date", "1 sessions ended here", "1 sessions go on by themselves",
                 "1 accounts stay as they are"):  # fmt: skip
        assert line in told.stdout, told.stdout
    auth = target.auth()
    assert auth.refresh("aaaaaaaaaaa2").status == 200
    assert auth.refresh("bbbbbbbbbbb1").code == "refresh_token_not_found"
    # Signed out here: a further run does not bring it back.
    token = auth.refresh("aaaaaaaaaaa2").json()["access_token"]
    assert auth.post("/logout?scope=local", {}, token=token).status == 204
    assert "1 sessions stay ended" in run().stdout
    assert auth.refresh("aaaaaaaaaaa2").code == "refresh_token_not_found"


def test_a_dump_does_as_well(source, target, tmp_path):
    ada = source.person("ada@example.com", metadata={"first_name": "A\tda\\ \"x\"\nß"})
    source.session(ada, ["aaaaaaaaaaa1", "aaaaaaaaaaa2"])
    source.insert("public.profiles", {"id": ada, "first_name": "Adele", "favorite_teams": ["nba_1610612744"]})
    file = tmp_path / "dump.sql"
    file.write_text(source.real_dump())
    done = target.command("import", "supabase", "--dump", str(file))
    assert done.returncode == 0, done.stderr
    assert "1 accounts came" in done.stdout and "1 sessions came" in done.stdout
    target.start()
    issued = target.auth().refresh("aaaaaaaaaaa2").json()
    assert issued["user"]["user_metadata"]["first_name"] == "A\tda\\ \"x\"\nß"
    assert target.auth().sign_in("ada@example.com", PASSWORD).status == 200
    profile = target.gateway().get("/v1/auth/me", token=issued["access_token"]).body.decode()
    assert '"Adele"' in profile and '"nba_1610612744"' in profile, profile


def test_a_dump_that_was_interrupted_is_not_imported(source, target, tmp_path):
    source.person("ada@example.com")
    whole = source.real_dump()
    file = tmp_path / "dump.sql"
    for end in (whole.index("\\.\n"), whole.index("\\.\n") + 3):
        file.write_text(whole[:end])
        done = target.command("import", "supabase", "--dump", str(file))
        assert done.returncode == 1 and "too early" in done.stderr, done.stderr
    assert "@" not in target.command("users", "list").stdout


@pytest.mark.parametrize(
    "content, words",
    [
        (gzip.compress(b"COPY auth.users (id) FROM stdin;\n", mtime=0), "compressed with gzip"),
        (b"PGDMP\x01\x0e\x00\x04\x08\x01\x01\x01\x00", "custom format. Convert it to plain text: pg_restore"),
        (b"toc.dat" + bytes(600), "tar format. Convert it to plain text: pg_restore"),
        (b"INSERT INTO auth.users VALUES (1);\n", "supabase db dump --data-only --schema auth --use-copy"),
    ],
)
def test_a_dump_of_another_form_is_named(target, tmp_path, content, words):
    file = tmp_path / "dump"
    file.write_bytes(content)
    done = target.command("import", "supabase", "--dump", str(file))
    assert done.returncode == 1 and words in done.stderr, done.stderr


def test_unreadable_rows_of_a_dump_are_reported(source, target, tmp_path):
    ada = source.person("ada@example.com")
    identity = source.run("SELECT id FROM auth.identities")
    lines = source.dump().splitlines(keepends=True)
    file, report = tmp_path / "dump.sql", tmp_path / "report"
    file.write_text("".join(line.replace(identity, identity + "\tx") for line in lines))
    done = target.command("import", "supabase", "--dump", str(file), "--report", str(report))
    assert done.returncode == 1 and "1 rows of the dump left out" in done.stdout, done.stdout
    assert report.read_text().startswith("-\trowUnreadable\tline ")
    account = json.loads(target.command("users", "export").stdout)
    assert (account["id"], account["identities"]) == (ada, [])


def test_a_dump_leaves_nothing_behind_when_it_is_stopped(source, target, tmp_path):
    source.person("ada@example.com")
    folder = tmp_path / "temporary"
    folder.mkdir()
    running = subprocess.Popen(
        [program.BINARY, "import", "supabase", "--dump", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={**program.plain_environment(), **target.environment, "TMPDIR": str(folder)}, stderr=subprocess.PIPE,
    )  # fmt: skip
    row = "\t".join(["\\N"] * 2 + ["x" * 10_000])
    running.stdin.write(("COPY auth.users (aud, role, id) FROM stdin;\n" + f"{row}\n" * 2_000).encode())
    running.stdin.flush()

    def has_a_file():
        for link in glob.glob(f"/proc/{running.pid}/fd/*"):
            with contextlib.suppress(FileNotFoundError):  # It was closed in between.
                if str(folder) in os.readlink(link):
                    return True
        return False

    program.poll(has_a_file, "rows in a file")
    assert not list(folder.iterdir())
    running.send_signal(signal.SIGTERM)
    running.communicate()
    assert not list(folder.iterdir())


def test_a_report_is_continued(source, target, tmp_path):
    source.person("sso@example.com", is_sso_user=True)
    report = tmp_path / "report"
    for count in (1, 2):
        done = target.command("import", "supabase", "--database-url", source.url, "--report", str(report))
        assert done.returncode == 0, done.stderr
        assert report.read_text().count("\tsingleSignOn\t") == count
    assert oct(report.stat().st_mode & 0o777) == "0o600"


def test_an_account_deleted_at_the_source_is_signed_out(source, target):
    ada = source.person("ada@example.com")
    source.session(ada, ["aaaaaaaaaaa1"])
    run = lambda: target.command("import", "supabase", "--database-url", source.url)  # noqa: E731
    assert "1 accounts came" in run().stdout
    source.run("UPDATE auth.users SET deleted_at = now(), email = NULL; DELETE FROM auth.sessions")
    told = run()
    assert told.returncode == 0 and "1 accounts were deleted at the source" in told.stdout, told.stdout
    assert target.start().auth().refresh("aaaaaaaaaaa1").code == "refresh_token_not_found"


def test_one_invalid_account_does_not_stop_the_others(source, target):
    ada = source.person("ada@example.com")
    odd = source.person("odd@example.com")
    source.person("bob@example.com")
    source.run("ALTER TABLE auth.identities DROP CONSTRAINT identities_provider_id_provider_key")
    # The identity's owner is ambiguous.
    source.run(
        "INSERT INTO auth.identities (provider_id, user_id, identity_data, provider) "
        f"SELECT provider_id, '{odd}', identity_data, provider FROM auth.identities WHERE user_id = '{ada}'"
    )
    done = target.command("import", "supabase", "--database-url", source.url)
    assert done.returncode == 1 and "2 accounts came, 0 already there, 1 left out" in done.stdout, done.stdout


def test_out_again(source, target, cluster, tmp_path):
    ada = source.person("ada@example.com", metadata={"first_name": "A\tda\\ \"x\"\nß"})
    source.person("bob@example.com", password=None, provider="google")
    assert target.command("import", "supabase", "--database-url", source.url).returncode == 0
    file = tmp_path / "export.sql"
    done = target.command("export", "supabase", str(file))
    assert done.returncode == 0, done.stderr
    assert oct(file.stat().st_mode & 0o777) == "0o600"
    other = Source(cluster.database())
    for _ in range(2):
        other.psql("--single-transaction", "-f", str(file))
    compared = (
        "SELECT id, email, encrypted_password, raw_app_meta_data, raw_user_meta_data, created_at, email_confirmed_at "
        "FROM auth.users ORDER BY id",
        "SELECT id, provider, provider_id, user_id, identity_data, email FROM auth.identities ORDER BY id",
    )
    for statement in compared:
        assert other.run(statement) == source.run(statement)
    first_name = lambda: other.run(f"SELECT first_name FROM public.profiles WHERE id = '{ada}'")  # noqa: E731
    assert first_name().startswith("A")
    # Newer values there stay; older ones do not.
    other.run("UPDATE public.profiles SET first_name = 'Newer', is_premium = true, updated_at = now() + interval '1 h'")
    other.psql("--single-transaction", "-f", str(file))
    assert first_name() == "Newer" and other.run("SELECT bool_and(is_premium) FROM public.profiles") == "t"
    other.run("UPDATE public.profiles SET updated_at = '2001-01-01'")
    other.psql("--single-transaction", "-f", str(file))
    assert first_name().startswith("A")


def test_an_account_without_a_time_counts_as_older(source, target, cluster, tmp_path):
    ada = source.person("ada@example.com", updated_at=None)
    assert target.command("import", "supabase", "--database-url", source.url).returncode == 0
    file = tmp_path / "export.sql"
    assert target.command("export", "supabase", str(file)).returncode == 0
    source.run(f"UPDATE auth.users SET email = 'old@example.com', encrypted_password = 'old' WHERE id = '{ada}'")
    source.psql("--single-transaction", "-f", str(file))
    compared = f"SELECT email, encrypted_password, updated_at IS NOT NULL FROM auth.users WHERE id = '{ada}'"
    assert source.run(compared) == f"ada@example.com|{HASH}|t"


def test_authenticator_apps_and_passkeys_go_out_again(source, target, servers, cluster, tmp_path):
    ada, secret = source.person("ada@example.com"), "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
    factor = {"id": str(uuid.uuid4()), "user_id": ada, "factor_type": "totp", "status": "verified", "friendly_name": "phone",
              "secret": secret, "created_at": "2025-01-01T00:00:00Z", "updated_at": "2025-01-01T00:00:00Z"}  # fmt: skip
    source.insert("auth.mfa_factors", factor)
    device = Authenticator(random.Random(21))
    device.create("key", "", base64.urlsafe_b64encode(ada.encode()).rstrip(b"=").decode(), be=True, bs=True)
    passkey = device.passkeys["key"]
    key = ceremonies.pairs(passkey.key.cose()).hex()
    source.run(
        "INSERT INTO auth.webauthn_credentials (user_id, credential_id, public_key, attestation_type, aaguid, sign_count, "
        f"transports, backup_eligible, backed_up, friendly_name) VALUES ('{ada}', '\\x{passkey.raw_id.hex()}', '\\x{key}', "
        "'none', '00000000-0000-0000-0000-000000000007', 3, '[\"usb\"]', true, true, 'Phone')"
    )
    proven = ["--addresses-are-proven"]
    assert target.command("import", "supabase", "--database-url", source.url, *proven).returncode == 0
    file = tmp_path / "export.sql"
    done = target.command("export", "supabase", str(file))
    assert done.returncode == 0 and "1 authenticator apps, 1 passkeys" in done.stderr, done
    other = Source(cluster.database())
    for _ in range(2):
        other.psql("--single-transaction", "-f", str(file))
    for statement in (
        "SELECT id, user_id, friendly_name, factor_type, status, secret, created_at FROM auth.mfa_factors",
        "SELECT id, user_id, credential_id, public_key, attestation_type, aaguid, sign_count, transports, backup_eligible, "
        "backed_up, friendly_name, created_at, last_used_at FROM auth.webauthn_credentials",
    ):
        assert other.run(statement) == source.run(statement)
    # A factor that was removed here and stays there keeps its name.
    other.run(f"UPDATE auth.mfa_factors SET id = '{uuid.uuid4()}'")
    other.psql("--single-transaction", "-f", str(file))
    assert other.run("SELECT count(DISTINCT friendly_name) FROM auth.mfa_factors") == "2"

    last = servers.serve(**program.PASSKEYS)
    assert last.command("migrate").returncode == 0
    assert last.command("import", "supabase", "--database-url", other.url, *proven).returncode == 0
    auth = last.start().auth()
    token = auth.sign_in("ada@example.com", PASSWORD).json()["access_token"]
    challenge = auth.post(f"/factors/{factor['id']}/challenge", token=token).json()["id"]
    body = {"challenge_id": challenge, "code": pyotp.TOTP(secret).now()}
    assert auth.post(f"/factors/{factor['id']}/verify", body, token=token).status == 200
    begun = auth.post("/passkeys/authentication/options").json()
    credential = device.get("key", begun["options"]["challenge"], counter=4)
    body = {"challenge_id": begun["challenge_id"], "credential": credential}
    assert auth.post("/passkeys/authentication/verify", body).status == 200


def test_the_export_overwrites_a_profile_of_a_trigger(source, target, cluster, tmp_path):
    ada = source.person("ada@example.com", metadata={"first_name": "Ada"})
    assert target.command("import", "supabase", "--database-url", source.url).returncode == 0
    file = tmp_path / "export.sql"
    assert target.command("export", "supabase", str(file)).returncode == 0
    other = Source(cluster.database())
    other.run(
        "ALTER TABLE public.profiles ALTER updated_at SET DEFAULT now() + interval '1 day'; "
        "CREATE FUNCTION made() RETURNS trigger LANGUAGE plpgsql AS "
        "'BEGIN INSERT INTO public.profiles (id) VALUES (NEW.id); RETURN NEW; END'; "
        "CREATE TRIGGER made AFTER INSERT ON auth.users FOR EACH ROW EXECUTE FUNCTION made()"
    )
    other.psql("--single-transaction", "-f", str(file))
    assert other.run(f"SELECT first_name FROM public.profiles WHERE id = '{ada}'") == "Ada"


def test_rows_that_a_policy_hides_stop_the_import(source, servers):
    target = servers.serve()
    assert target.command("migrate").returncode == 0
    source.person("ada@example.com")
    reader = "reader_" + source.name
    source.run(
        f"CREATE ROLE {reader} LOGIN; GRANT USAGE ON SCHEMA auth TO {reader}; "
        f"GRANT SELECT ON ALL TABLES IN SCHEMA auth, public TO {reader}; "
        "ALTER TABLE auth.users ENABLE ROW LEVEL SECURITY"
    )
    done = target.command("import", "supabase", "--database-url", source.url.replace("user=gatehouse", "user=" + reader))
    assert done.returncode == 4 and "row-level security" in done.stderr, done.stderr


def test_an_import_names_its_source(target):
    assert target.command("import", "supabase").returncode == 64


@pytest.mark.xdist_group("source out of reach")
def test_an_unreachable_source_has_its_own_exit_code(servers, tmp_path):
    """After the thirty seconds of an import's connection attempts; there is no report."""
    report = tmp_path / "report"
    source = ("--database-url", "postgres://nobody@127.0.0.1:1/none")
    target = servers.serve()
    assert target.command("migrate").returncode == 0
    done = target.command("import", "supabase", *source, "--report", str(report))
    assert done.returncode == 4 and "source" in done.stderr
    assert not report.exists()
