"""The program from outside: its commands, its signals, its output, and the secrets that must not be in it."""

import json
import os
import re
import select
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, closing

import jwt
import pyotp
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm
from program import (
    BINARY,
    PASSWORD,
    PATIENCE_SECONDS,
    SECRET_KEY,
    TEAMS,
    Client,
    Server,
    free_port,
    plain_environment,
    poll,
    run,
)
from replay import sign_jwt
from wire import Reply, exchange, request

MISSING = "00000000-0000-4000-8000-000000000000"


# How the program ends.


@pytest.fixture(scope="module")
def exit_handler(tmp_path_factory):
    """A library whose exit handler is visible. OpenSSL has one that frees what other threads still use."""
    folder = tmp_path_factory.mktemp("exit-handler")
    source, library = folder / "exit_handler.c", folder / "exit_handler.so"
    source.write_text(
        "#include <unistd.h>\n"
        '__attribute__((destructor)) static void say(void) { (void)!write(2, "exit handlers ran", 17); }\n'
    )
    subprocess.run(["clang", "-shared", "-fPIC", "-o", library, source], check=True)
    return {"LD_PRELOAD": str(library)}


@pytest.mark.skipif(sys.platform != "linux", reason="preloads a library")
@pytest.mark.parametrize(
    ("arguments", "code", "output", "note"),
    [
        (["version"], 0, "gatehouse", ""),
        (["--help"], 0, "USAGE: gatehouse", ""),
        (["serve", "--nonsense"], 64, "", "Error: Unknown option '--nonsense'"),
        (["whoami", "--json", "--nonsense"], 64, "", '"error":"usage"'),
    ],
)
def test_a_command_ends_without_exit_handlers_after_all_its_output(exit_handler, arguments, code, output, note):
    ended = run(*arguments, environment=exit_handler)
    assert ended.returncode == code
    assert output in ended.stdout and note in ended.stderr and "exit handlers" not in ended.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="preloads a library")
def test_a_server_ends_without_exit_handlers(exit_handler, tmp_path):
    server = Server.serve(tmp_path, **exit_handler).start()
    server.stop()
    assert "ended" in server.log() and "exit handlers" not in server.log()


# The output of `dev`, and its refusals.


def test_dev_prints_one_line_of_json_and_nothing_else(servers, new_email):
    server = servers.dev().start()
    assert set(server.keys) == {
        "url",
        "auth_url",
        "apple_stand_in",
        "gateway_url",
        "google_stand_in",
        "publishable_key",
        "secret_key",
        "anon_key",
        "service_role_key",
        "inbox",
        "console",
        # On systems that can draw the screens.
        *(["app"] if sys.platform == "linux" else []),
    }
    server.auth().sign_up(new_email())
    server.auth().sign_in("nobody@example.com")
    server.stop()
    printed = server.printed()
    assert printed.count("\n") == 1 and json.loads(printed) == server.keys


def test_dev_without_an_inbox_refuses_to_confirm_addresses(tmp_path):
    ended = run("dev", "--port", "0", "--host", "0.0.0.0", "--confirm-email", "--data", str(tmp_path / "data"))
    assert ended.returncode != 0 and "--confirm-email needs the inbox" in ended.stderr


def test_dev_keeps_accounts_and_keys(servers, new_email):
    server, email = servers.dev().start(), new_email()
    session, keys = server.auth().sign_up(email), server.keys
    server.stop()
    server.start()
    # The console's link works once, so every start prints another.
    assert server.keys.pop("console") != keys.pop("console") and server.keys == keys
    assert server.auth().user(session["access_token"]).status == 200
    assert server.auth().refresh(session["refresh_token"]).status == 200
    assert server.auth().sign_in(email).status == 200


def test_second_dev_on_the_same_data_is_refused(dev):
    second = Server(["dev", "--port", str(free_port()), *dev.arguments[3:]], {}, dev.folder, free_port())
    ended = run(*second.arguments, timeout=PATIENCE_SECONDS)
    assert ended.returncode not in (0, None) and ended.stdout == ""
    assert os.path.join(dev.folder, "data") in ended.stderr
    assert dev.auth().get("/health").status == 200


def test_second_dev_on_the_same_port_is_refused(dev, tmp_path):
    ended = run("dev", "--port", str(dev.port), "--data", str(tmp_path / "other"), "--json", timeout=PATIENCE_SECONDS)
    assert ended.returncode not in (0, None) and ended.stdout == "" and str(dev.port) in ended.stderr


def test_dev_refuses_settings_that_it_would_ignore(tmp_path):
    given = {"GOTRUE_JWT_SECRET": "a" * 32, "GATEHOUSE_PASSWORD_MIN_LENGTH": "12"}
    ended = run("dev", "--port", "0", "--data", str(tmp_path / "data"), environment=given, timeout=PATIENCE_SECONDS)
    assert ended.returncode == 78 and ended.stdout == ""
    assert all(name in ended.stderr for name in given) and "a" * 32 not in ended.stderr
    assert not list(tmp_path.iterdir()), "nothing was made"


def test_doctor_shows_the_address_of_a_folders_dev(dev):
    told = dev.command("doctor").stdout
    assert dev.url in told and "9999" not in told, told


def test_only_the_owner_can_read_the_files_of_dev(dev):
    data = os.path.join(dev.folder, "data")
    modes = {
        path: os.stat(path).st_mode & 0o077 for path in [data, *(os.path.join(data, name) for name in os.listdir(data))]
    }
    assert not any(modes.values()), modes


def test_dev_listens_only_on_loopback(dev):
    with open("/proc/net/tcp", encoding="ascii") as file:
        listening = [line.split()[1] for line in file if f":{dev.port:04X} " in line and " 0A " in line]
    assert listening == [f"0100007F:{dev.port:04X}"]


# Signals.


def test_sigterm_finishes_running_requests(servers, new_email):
    """Sign-ins take turns at the hashing threads: after a response, others wait in the server."""
    server, email = servers.serve().start(), new_email()
    server.auth().sign_up(email)
    body = json.dumps({"email": email, "password": PASSWORD}).encode()
    with ExitStack() as stack:
        address = ("127.0.0.1", server.port)
        connections = [
            stack.enter_context(socket.create_connection(address, timeout=PATIENCE_SECONDS)) for _ in range(12)
        ]
        for connection in connections:
            connection.sendall(request("POST", "/auth/v1/token?grant_type=password", body))
        for _ in range(3):  # Round trips on other connections: by now the server has read every request.
            assert server.auth().get("/health").status == 200
        assert select.select(connections, [], [], PATIENCE_SECONDS)[0]
        server.stop()
        answers = [Reply(connection.recv(65536)).status for connection in connections]
    assert answers == [200] * len(connections)


def test_sigterm_waits_for_a_body_that_is_coming(servers, new_email):
    server, email = servers.serve().start(), new_email()
    body = json.dumps({"email": email, "password": PASSWORD}).encode()
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_SECONDS) as connection:
        connection.sendall(request("POST", "/auth/v1/signup", body)[:-5])
        for _ in range(3):  # Round trips on other connections: by now the head has been read.
            assert server.auth().get("/health").status == 200
        process = server.process
        process.terminate()
        poll(lambda: not is_listening(server.port), "the end of accepting")
        assert process.poll() is None
        connection.sendall(body[-5:])
        received = b""
        while part := connection.recv(65536):
            received += part
    assert b" 200 " in received.partition(b"\r\n")[0], received[:200]
    assert process.wait(PATIENCE_SECONDS) == 0
    server.process = None
    server.start()
    assert server.auth().sign_in(email).status == 200


def is_listening(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


def test_sigterm_does_not_wait_for_idle_connections(servers):
    server = servers.serve().start()
    idle = [server.auth() for _ in range(5)]
    for client in idle:
        assert client.get("/health").status == 200
    started = time.monotonic()
    server.stop()
    # A longer shutdown hits the program's own limit, a hundred times the usual duration.
    assert time.monotonic() - started < 15


# Configuration.


def test_serve_names_every_problem_at_once(tmp_path):
    secret = "hunter2-hunter2"
    ended = run(
        "serve",
        environment={
            "GATEHOUSE_DATABASE": str(tmp_path / "gatehouse.sqlite"),
            "GATEHOUSE_PORT": "banana",
            "GATEHOUSE_SECRETS": f"1:{secret}",
            "GOTRUE_JWT_SECRET": secret,
            "GOTRUE_MAILER_AUTOCONFIRM": "perhaps",
            "GATEHOUSE_LIMTS": "off",
            "GATEHOUSE_SECRET_KEYS": secret,
            "GOTRUE_SESSIONS_TIMEBOX": "a while",
        },
        timeout=PATIENCE_SECONDS,
    )
    assert ended.returncode == 78 and ended.stdout == ""
    for name in (
        "API_EXTERNAL_URL",
        "EXTERNAL_URL",
        "GATEHOUSE_PORT",
        "GATEHOUSE_SECRETS",
        "GOTRUE_JWT_SECRET",
        "GOTRUE_MAILER_AUTOCONFIRM",
        "GATEHOUSE_LIMTS",
        "GATEHOUSE_SECRET_KEYS",
        "GOTRUE_SESSIONS_TIMEBOX",
    ):
        assert name in ended.stderr or name == "API_EXTERNAL_URL", name
    assert "GATEHOUSE_LIMITS" in ended.stderr, "the name that was probably meant"
    assert secret not in ended.stderr
    assert not list(tmp_path.iterdir()), "nothing was made"


def test_check_config_shows_no_secret(servers):
    server = servers.serve(GOTRUE_JWT_SECRET="a-shared-secret-of-forty-characters-0000")
    shown = server.command("check-config")
    assert shown.returncode == 0, shown
    for secret in ("a-shared-secret-of-forty-characters-0000", SECRET_KEY, server.environment["GATEHOUSE_SECRETS"][2:]):
        assert secret not in shown.stdout + shown.stderr


def test_doctor_is_content_with_a_running_server(server):
    ended = server.command("doctor")
    assert ended.returncode == 0, ended


def test_version():
    # A program of `make dist` names its commit.
    form = r"gatehouse \d+\.\d+\.\d+ \((development|commit [0-9a-f]{12} of [0-9-]{10})\), compiled .* schema level \d+"
    assert re.fullmatch(form, run("version").stdout.strip())


def test_doctor_finds_files_that_others_can_read(servers):
    server = servers.serve()
    assert server.command("migrate").returncode == 0
    secrets, config = os.path.join(server.folder, "secrets"), os.path.join(server.folder, "gatehouse.yaml")
    with open(secrets, "w", encoding="utf-8") as file:
        file.write(server.environment.pop("GATEHOUSE_SECRETS"))
    with open(config, "w", encoding="utf-8") as file:
        file.write(f"secrets_file: {secrets}\njwt_secret: a-shared-secret-of-forty-characters-0000\n")
    os.chmod(secrets, 0o640)
    os.chmod(config, 0o644)
    told = server.command("doctor", "--config", config).stdout
    assert f"chmod 600 {config} {secrets}" in told, told
    for path in (secrets, config):
        os.chmod(path, 0o600)
    assert "chmod" not in server.command("doctor", "--config", config).stdout


# Users on the command line.


def test_commands_for_the_database_need_no_other_settings(servers, new_email):
    server = servers.serve().start()
    email = new_email()
    server.auth().sign_up(email)
    alone = {"GATEHOUSE_DATABASE": server.environment["GATEHOUSE_DATABASE"]}
    sealed = {**alone, "GATEHOUSE_SECRETS": server.environment["GATEHOUSE_SECRETS"]}
    for arguments, needed in (
        (["migrate"], alone), (["upgrade-check"], alone), (["users", "list"], alone), (["mail", "list"], alone),
        (["mail", "retry", "--all"], alone), (["mail", "drop", "--all"], alone), (["why", email], alone),
        (["users", "export"], sealed), (["export", "supabase"], sealed), (["keys", "list"], sealed),
        (["keys", "rotate"], sealed), (["keys", "reseal"], sealed),
    ):
        done = run(*arguments, environment={**needed, "GOTRUE_SMTP_PORT": "none"})
        assert done.returncode == 0, done.stderr
        assert arguments != ["users", "list"] or email in done.stdout
        done = run(*arguments, environment={**needed, "GATEHOUSE_DATABASE_CONNECTIONS": "none"})
        assert done.returncode == 78 and "GATEHOUSE_DATABASE_CONNECTIONS" in done.stderr, done.stderr
    refused = run("users", "delete", email, "--yes", environment=sealed)
    assert refused.returncode == 78 and "GATEHOUSE_EXTERNAL_URL" in refused.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
@pytest.mark.parametrize("command", [["users", "export"], ["export", "supabase"], ["users", "list"], ["version"]])
def test_output_that_does_not_fit_on_the_disk_is_a_failure(servers, new_email, command):
    server = servers.serve().start()
    server.auth().sign_up(new_email())
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [BINARY, *command],
            env={**plain_environment(), **server.environment},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE_SECONDS,
        )
    assert ended.returncode == 1
    assert "Standard output cannot be written (No space left on device)." in ended.stderr


def test_a_reader_that_has_read_enough_is_no_failure(servers, new_email):
    server = servers.serve().start()
    server.auth().sign_up(new_email())
    reader, writer = os.pipe()
    os.close(reader)
    environment = {**plain_environment(), **server.environment}
    ended = subprocess.run([BINARY, "users", "export"], env=environment, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert ended.returncode == 0, ended.stderr


def exported(server):
    ended = server.command("users", "export")
    assert ended.returncode == 0, ended
    return [json.loads(line) for line in ended.stdout.splitlines()]


def test_users_go_from_one_server_to_another(servers, new_email):
    source, target = servers.serve().start(), servers.serve()
    emails = [new_email("moving") for _ in range(4)]
    for index, email in enumerate(emails):
        source.auth().sign_up(email, data={"first_name": f"Ana {index}", "ü": [1, None, {"a": 0.5}]})
    banned = (
        source.admin()
        .post(
            "/admin/users",
            {
                "email": new_email("banned"),
                "password": PASSWORD,
                "email_confirm": True,
                "app_metadata": {"tier": 3},
                "ban_duration": "24h",
            },
        )
        .json()
    )
    source.auth().post("/signup", {"data": {"theme": "dark"}})
    lines = exported(source)
    assert len(lines) == 6

    assert target.command("migrate").returncode == 0
    text = "".join(json.dumps(line) + "\n" for line in lines)
    path = os.path.join(target.folder, "users.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    for _ in range(2):  # The second time they are all there, and that is no fault.
        ended = target.command("users", "import", path)
        assert ended.returncode == 0, ended
        assert exported(target) == lines

    target.start()
    for index, email in enumerate(emails):
        session = target.auth().sign_in(email).json()
        me = target.gateway().get("/v1/auth/me", token=session["access_token"]).json()
        assert me["profile"]["first_name"] == f"Ana {index}"
        assert session["user"]["id"] == next(line["id"] for line in lines if line.get("email") == email)
    assert target.auth().sign_in(banned["email"]).code == "user_banned"


def test_import_reads_supabase_columns_and_continues_after_a_bad_line(servers):
    server = servers.serve()
    assert server.command("migrate").returncode == 0
    row = {
        "instance_id": "00000000-0000-0000-0000-000000000000",
        "id": "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10",
        "aud": "authenticated",
        "role": "authenticated",
        "email": "from-supabase@example.com",
        # bcrypt of "first password 1", cost 4.
        "encrypted_password": "$2b$04$abcdefghijklmnopqrstuudLTayfK0aLg7hqnao/6VM5EnWZoAB.u",
        "email_confirmed_at": "2024-05-06 07:08:09.123456+00",
        "confirmation_token": "",
        "recovery_token": None,
        "raw_app_meta_data": {"provider": "email", "providers": ["email"]},
        "is_super_admin": None,
        "raw_user_meta_data": {"first_name": "Zoe"},
        "created_at": "2024-05-06 07:08:09.123456+00",
        "updated_at": "2024-05-06T07:08:09.123456Z",
        "phone": None,
        "banned_until": None,
        "is_sso_user": False,
    }
    good_too = {
        **row,
        "id": "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c11",
        "email": "after-it@example.com",
        "role": "service_role",
    }
    path = os.path.join(server.folder, "rows.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        file.write(
            "\n".join([json.dumps(row), '{"id": "not a uuid", "email": 7}', "{broken", json.dumps(good_too)]) + "\n"
        )
    ended = server.command("users", "import", path)
    assert ended.returncode != 0, "two lines were not taken"
    told = ended.stdout + ended.stderr
    assert re.search(r"\b2\b", told) and re.search(r"\b3\b", told), told
    assert "$2b$" not in told
    assert "1 accounts may use the admin API here" in told, told

    server.start()
    client = server.auth()
    for email in (row["email"], good_too["email"]):
        assert client.sign_in(email, "wrong password 1").code == "invalid_credentials"
        assert client.sign_in(email, "first password 1").status == 200
    user = client.sign_in(row["email"], "first password 1").json()["user"]
    assert user["id"] == row["id"] and user["created_at"].startswith("2024-05-06T07:08:09.123456")

    def has_better_hash():
        return any(line["email"] == row["email"] and "$argon2id$" in json.dumps(line) for line in exported(server))

    poll(has_better_hash, "the better hash, which is made after the answer")


# Keys.


@pytest.mark.xdist_group("rotated key")
def test_rotating_the_key_signs_nobody_out(servers, new_email):
    server, email = servers.serve().start(), new_email()
    session = server.auth().sign_up(email)
    old = jwt.get_unverified_header(session["access_token"])["kid"]
    ended = server.command("keys", "rotate")
    assert ended.returncode == 0 and old in ended.stdout, ended
    # A new key signs after a minute, when every node has read it. The test moves its timestamp back.
    with closing(sqlite3.connect(server.database_path)) as database, database:
        database.execute("UPDATE signing_keys SET created_at = created_at - 60000000 WHERE retired_at IS NULL")

    def new_session():
        fresh = server.auth().refresh(session["refresh_token"]).json()
        return fresh if jwt.get_unverified_header(fresh["access_token"])["kid"] != old else None

    # A running server reads the keys every 30 s.
    fresh = poll(new_session, "the new key in the running server")
    published = {key["kid"] for key in server.auth().get("/.well-known/jwks.json").json()["keys"]}
    assert {old, jwt.get_unverified_header(fresh["access_token"])["kid"]} <= published
    for token in (session["access_token"], fresh["access_token"]):
        assert server.auth().user(token).status == 200
        assert server.gateway().get("/v1/auth/me", token=token).status == 200
    assert jwt.get_unverified_header(server.auth().sign_in(email).json()["access_token"])["kid"] != old
    server.stop()
    server.start()
    assert server.auth().user(session["access_token"]).status == 200
    listed = server.command("keys", "list").stdout
    assert all(kid in listed for kid in published)


def test_a_leaked_key_is_revoked(servers, new_email):
    server, email = servers.serve().start(), new_email()
    session = server.auth().sign_up(email)
    leaked = jwt.get_unverified_header(session["access_token"])["kid"]
    unknown = server.command("keys", "revoke", "nobody")
    assert unknown.returncode == 1 and "keys list" in unknown.stderr, unknown
    ended = server.command("keys", "revoke", leaked)
    assert ended.returncode == 0 and leaked not in ended.stdout, ended
    # A running server reads the keys every 30 s; a new one reads them at start.
    server.stop()
    server.start()
    assert server.auth().user(session["access_token"]).code == "bad_jwt"
    assert server.gateway().get("/v1/auth/me", token=session["access_token"]).code == "TOKEN_INVALID"
    fresh = server.auth().refresh(session["refresh_token"]).json()
    assert jwt.get_unverified_header(fresh["access_token"])["kid"] != leaked
    assert server.auth().user(fresh["access_token"]).status == 200
    assert leaked not in json.dumps(server.auth().get("/.well-known/jwks.json").json())


def test_strict_ends_the_session_at_an_old_token(servers, new_email):
    settings = {"SECURITY_REFRESH_TOKEN_STRICT": "true", "SECURITY_REFRESH_TOKEN_REUSE_INTERVAL": "0"}
    server = servers.serve(**{"GATEHOUSE_" + name: value for name, value in settings.items()}).start()
    first = server.auth().sign_up(new_email())
    second = server.auth().refresh(first["refresh_token"]).json()
    assert server.auth().refresh(first["refresh_token"]).status == 200, "the answer may have been lost"
    assert server.gateway().get("/v1/auth/me", token=second["access_token"]).status == 200
    assert server.auth().refresh(first["refresh_token"]).code == "refresh_token_already_used"
    assert server.auth().refresh(second["refresh_token"]).code == "refresh_token_not_found"
    assert 'gatehouse_refreshes_total{verdict="reissue_late"} 1' in server.metrics().body.decode()


@pytest.mark.parametrize("forge", ["unknown kid", "none", "other algorithm", "jwk in the header", "jku in the header"])
def test_both_servers_refuse_forged_tokens(dev, new_email, forge):
    good = dev.auth().sign_up(new_email())["access_token"]
    header, claims = jwt.get_unverified_header(good), jwt.decode(good, options={"verify_signature": False})
    key, name = ec.generate_private_key(ec.SECP256R1()), header["kid"]
    public = json.loads(ECAlgorithm.to_jwk(key.public_key()))
    token = {
        "unknown kid": lambda: jwt.encode(claims, key, "ES256", {"kid": "nobody"}),
        "none": lambda: jwt.encode(claims, None, "none", {"kid": name}),
        # The public key as the secret of an HMAC.
        "other algorithm": lambda: sign_jwt(
            {"alg": "HS256", "typ": "JWT", "kid": name}, claims, json.dumps(published(dev, name))
        ),
        "jwk in the header": lambda: jwt.encode(claims, key, "ES256", {"kid": name, "jwk": public}),
        "jku in the header": lambda: jwt.encode(claims, key, "ES256", {"kid": name, "jku": dev.url + "/keys"}),
    }[forge]()
    refused = dev.auth().user(token)
    assert (refused.status, refused.code) == (403, "bad_jwt")
    refused = dev.gateway().get("/v1/auth/me", token=token)
    assert (refused.status, refused.code) == (401, "TOKEN_INVALID")
    assert dev.auth().user(good).status == 200


def published(server, kid):
    return next(key for key in server.auth().get("/.well-known/jwks.json").json()["keys"] if key["kid"] == kid)


# The gateway.


def test_deleting_the_account(dev, new_email):
    email, client, gateway = new_email(), dev.auth(), dev.gateway()
    session = client.sign_up(email, data={"first_name": "Ana"})
    elsewhere = client.sign_in(email).json()
    token = session["access_token"]
    assert gateway.patch("/v1/auth/me", {"favorite_teams": ["nba_1610612744"]}, token=token).status == 200

    deleted = gateway.delete("/v1/auth/me", token=token)
    assert (deleted.status, deleted.body) == (204, b"")
    for _ in range(2):
        assert gateway.delete("/v1/auth/me", token=token).status in (204, 401)
    assert client.user(token).code == "user_not_found"
    assert client.user(elsewhere["access_token"]).code == "user_not_found"
    for known in (session, elsewhere):
        assert client.refresh(known["refresh_token"]).code == "refresh_token_not_found"
    assert client.sign_in(email).code == "invalid_credentials"
    assert dev.admin().get(f"/admin/users/{session['user']['id']}").status == 404
    again = gateway.get("/v1/auth/me", token=token)
    assert again.status in (200, 401) and (again.status == 401 or again.json()["profile"] is None), again
    # The address is free, and its next user starts with an empty account.
    other = client.sign_up(email)
    me = gateway.get("/v1/auth/me", token=other["access_token"]).json()
    assert me["user"]["id"] != session["user"]["id"]
    assert me["profile"]["first_name"] is None and me["profile"]["favorite_teams"] == []


def test_profile_comes_with_the_account_and_is_changed(dev, new_email):
    email, gateway = new_email(), dev.gateway()
    session = dev.auth().sign_up(email, data={"first_name": " Ana "})
    token = session["access_token"]
    me = gateway.get("/v1/auth/me", token=token).json()
    assert me["user"] == {"id": session["user"]["id"], "email": email}
    assert set(me["profile"]) == {"id", "first_name", "data", "favorite_teams", "created_at"}
    assert me["profile"]["first_name"] == "Ana" and me["profile"]["favorite_teams"] == []

    teams = ["nba_1610612744", "nhl_1"]
    changed = gateway.patch("/v1/auth/me", {"favorite_teams": teams}, token=token).json()
    assert changed["profile"]["favorite_teams"] == teams and changed["profile"]["first_name"] == "Ana"
    changed = gateway.patch("/v1/auth/me", {"first_name": None}, token=token).json()
    assert changed["profile"]["first_name"] is None and changed["profile"]["favorite_teams"] == teams
    for bad in (
        {"first_name": "x" * 51},
        {"first_name": 7},
        {"favorite_teams": ["nba"]},
        {"favorite_teams": "nba_1"},
        {},
        {"favorite_teams": [f"nba_{number}" for number in range(31)]},
        {"favorite_teams": ["nba_" + "1" * 50]},
        {"unknown": 1},
        {"first_name": "A", "unknown": 1},
    ):
        refused = gateway.patch("/v1/auth/me", bad, token=token)
        assert refused.status == 400 and refused.json()["error"] == "BAD_REQUEST", (bad, refused)
    unknown = gateway.patch("/v1/auth/me", {"favorite_teams": [*teams, "nba_9999"]}, token=token)
    assert (unknown.status, unknown.json()["error"], unknown.json()["field"]) == (
        400, "UNKNOWN_TEAM", "/favorite_teams/2",
    )  # fmt: skip
    assert gateway.get("/v1/auth/me", token=token).json()["profile"]["favorite_teams"] == teams


def test_the_gateways_codes_for_a_bad_token(dev):
    gateway = dev.gateway()
    for path in ("/v1/auth/me", "/api/v1/profile"):
        assert gateway.get(path).code == "UNAUTHORIZED"
        assert gateway.get(path, token="a.b.c").code == "TOKEN_INVALID"
        for key in ("publishable_key", "secret_key", "anon_key", "service_role_key"):
            refused = gateway.get(path, token=dev.keys[key])
            assert refused.status == 401 and set(refused.json()) == {"error", "message"}, (key, refused)


def test_the_schema_of_a_gateway_alone(servers):
    server = servers.serve(
        "--only",
        "gateway",
        "--no-migrate",
        GATEHOUSE_JWKS_URL="http://127.0.0.1:9/.well-known/jwks.json",
        GOTRUE_JWT_ISSUER="http://127.0.0.1:9",
        GATEHOUSE_ISSUER_SECRET_KEY=SECRET_KEY,
    )
    refused = run(*server.arguments, environment=server.environment, timeout=PATIENCE_SECONDS)
    advice = re.search(r"Run `gatehouse (migrate[^`]*)`", refused.stderr)
    assert refused.returncode == 1 and advice, refused
    assert server.command(*advice[1].split()).returncode == 0
    server.start()
    checked = server.command("doctor", "--only", "gateway")
    assert "up to date" in checked.stdout, checked.stdout


def apart(servers):
    """A server with accounts, and a gateway alone in front of it."""
    issuer = servers.serve("--only", "auth").start()
    gateway = servers.serve(
        "--only",
        "gateway",
        GATEHOUSE_JWKS_URL=issuer.auth_url + "/.well-known/jwks.json",
        GOTRUE_JWT_ISSUER=issuer.auth_url,
        GATEHOUSE_ISSUER_SECRET_KEY=SECRET_KEY,
    ).start()
    return issuer, gateway


def test_a_gateway_without_its_issuer_creates_no_profile(servers, new_email):
    issuer, gateway = apart(servers)
    known, new = (issuer.auth().sign_up(new_email())["access_token"] for _ in range(2))
    for name in ("Ana", "Ada"):
        changed = gateway.gateway().patch("/v1/auth/me", {"first_name": name}, token=known)
        assert changed.status == 200 and changed.json()["profile"]["first_name"] == name
    ended = issuer.auth().sign_up(new_email())["access_token"]
    assert issuer.auth().request("POST", "/logout", token=ended).status == 204
    refused = gateway.gateway().patch("/v1/auth/me", {"first_name": "Eve"}, token=ended)
    assert (refused.status, refused.code) == (401, "TOKEN_INVALID"), "its session has ended"
    issuer.stop()
    changed = gateway.gateway().patch("/v1/auth/me", {"first_name": "Ina"}, token=known)
    assert changed.status == 200, "a profile that is there needs no question"
    unknown = gateway.gateway().patch("/v1/auth/me", {"first_name": "Eve"}, token=new)
    assert (unknown.status, unknown.code) == (503, "UNAVAILABLE"), "nobody knows whether there is such an account"
    assert gateway.gateway().get("/api/v1/profile", token=new).status == 404


def test_an_apps_own_fields(servers, new_email, tmp_path):
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps({"properties": {"mood": {"type": "string"}}, "additionalProperties": False}))
    server = servers.serve(GATEHOUSE_PROFILE_SCHEMA=schema, GATEHOUSE_TEAM_CATALOGUE="").start()
    token, gateway = server.auth().sign_up(new_email())["access_token"], server.gateway()
    assert gateway.get("/v1/teams").status == 404
    me = gateway.patch("/v1/auth/me", {"data": {"mood": "calm"}}, token=token).json()["profile"]
    assert me["data"] == {"mood": "calm"} and "favorite_teams" not in me
    refused = gateway.patch("/v1/auth/me", {"data": {"mood": 7}}, token=token)
    assert (refused.status, refused.json()["error"], refused.json()["field"]) == (400, "INVALID_DATA", "/data/mood")
    assert gateway.get("/api/v1/profile", token=token).json()["data"] == {"mood": "calm"}


@pytest.mark.parametrize(
    "name, text, problem",
    [
        ("GATEHOUSE_PROFILE_SCHEMA", '{"properties": {"mood": {"pattern": "a"}}}', "/properties/mood/pattern"),
        ("GATEHOUSE_TEAM_CATALOGUE", "[{}]", "its element 0 is no team"),
        ("GATEHOUSE_TEAM_CATALOGUE", "[", "is not JSON"),
        ("GATEHOUSE_TEAM_CATALOGUE", None, "there is no such file"),
    ],
)
def test_a_file_for_profiles_that_cannot_be_used_stops_the_start(servers, tmp_path, name, text, problem):
    path = tmp_path / "file.json"
    if text is not None:
        path.write_text(text)
    server = servers.serve(**{name: path})
    done = run(*server.arguments, environment=server.environment, timeout=PATIENCE_SECONDS)
    assert done.returncode == 78 and name in done.stderr and problem in done.stderr, done.stderr
    option = "--profile-schema" if name.endswith("SCHEMA") else "--team-catalogue"
    arguments = ["dev", "--port", "0", "--data", str(tmp_path / "data"), option, str(path)]
    done = run(*arguments, timeout=PATIENCE_SECONDS)
    assert done.returncode == 78 and problem in done.stderr, done.stderr


def test_teams_by_league(dev):
    gateway = dev.gateway()
    answer = gateway.get("/v1/teams").json()
    teams = answer if isinstance(answer, list) else answer["teams"]
    assert len(teams) >= 30 + 30 + 30 + 30
    nba = gateway.get("/v1/teams?league=nba").json()
    nba = nba if isinstance(nba, list) else nba["teams"]
    assert len(nba) == 30 and all(team["id"].startswith("nba_") and team["name"] for team in nba)


@pytest.mark.skipif(sys.platform != "linux", reason="the app is drawn on Linux only")
def test_plain_dev_has_the_teams_of_its_app_and_can_leave_them_out(servers, tmp_path):
    def plain_dev(name, *options):
        port = free_port()
        arguments = ["dev", "--port", str(port), "--data", str(tmp_path / name), "--json", *options]
        return servers._add(Server(arguments, {}, servers.folder(), port)).start()

    with open(TEAMS, encoding="utf-8") as file:
        assert plain_dev("plain").gateway().get("/v1/teams").json()["teams"] == json.load(file)
    assert plain_dev("without", "--team-catalogue", "").gateway().get("/v1/teams").status == 404


def test_a_gateway_alone(servers, new_email):
    issuer, gateway = apart(servers)
    email = new_email()
    token = issuer.auth().sign_up(email)["access_token"]
    me = gateway.gateway().get("/v1/auth/me", token=token)
    assert me.status == 200 and me.json()["user"]["email"] == email
    changed = gateway.gateway().patch("/v1/auth/me", {"first_name": "Ana"}, token=token)
    assert changed.status == 200 and changed.json()["profile"]["first_name"] == "Ana"
    assert issuer.auth().request("POST", "/logout", token=token).status == 204
    assert gateway.gateway().delete("/v1/auth/me", token=token).status == 401, "its session has ended"
    token = issuer.auth().sign_in(email).json()["access_token"]
    kept = gateway.gateway().get("/v1/auth/me", token=token).json()
    assert kept["profile"]["first_name"] == "Ana", "nothing was changed"
    assert gateway.gateway().delete("/v1/auth/me", token=token).status == 204
    assert issuer.auth().user(token).code == "user_not_found"
    assert gateway.gateway().delete("/v1/auth/me", token=token).status in (204, 401)
    for path in ("/v1/auth/me", "/api/v1/profile"):
        again = gateway.gateway().patch(path, {"first_name": "Eve"}, token=token)
        assert (again.status, again.code) == (401, "TOKEN_INVALID"), "the token outlived its account"
    assert gateway.gateway().get("/api/v1/profile", token=token).status == 404, "no profile came back"
    assert (
        gateway.auth().get("/settings").status == 404 and issuer.gateway().get("/v1/auth/me", token=token).status == 404
    )


def test_a_gateway_alone_deletes_no_account_without_its_second_factor(servers, new_email):
    issuer, gateway = apart(servers)
    client, email = issuer.auth(), new_email()
    token = client.sign_up(email)["access_token"]
    factor = client.post("/factors", {"factor_type": "totp"}, token=token).json()
    path, app = "/factors/" + factor["id"], pyotp.TOTP(factor["totp"]["secret"])
    challenge = client.post(path + "/challenge", token=token).json()["id"]
    high = client.post(path + "/verify", {"challenge_id": challenge, "code": app.now()}, token=token).json()["access_token"]
    low = client.sign_in(email).json()["access_token"]
    assert gateway.gateway().patch("/v1/auth/me", {"first_name": "Ana"}, token=low).status == 200
    for early in (token, low):
        refused = gateway.gateway().delete("/v1/auth/me", token=early)
        assert (refused.status, refused.code) == (403, "INSUFFICIENT_AAL")
    assert gateway.gateway().get("/v1/auth/me", token=high).json()["profile"]["first_name"] == "Ana"
    assert gateway.gateway().delete("/v1/auth/me", token=high).status == 204
    assert client.user(high).code == "user_not_found"


# Limits.


def refused_with(answer, bucket_is):
    assert answer.status == 429, answer
    assert answer.code in ("over_request_rate_limit", "RATE_LIMITED")
    assert 1 <= int(answer.headers["retry-after"]) <= 3600
    assert re.search(bucket_is, answer.headers["x-ratelimit-bucket"])


def test_ten_failed_sign_ins_of_one_address(servers, new_email):
    server, email = servers.dev("--limits").start(), new_email()
    client = server.auth()
    client.sign_up(email)
    for number in range(10):
        assert client.sign_in(f"stranger{number}@example.com").status == 400
    refused_with(client.sign_in("stranger10@example.com"), "failed")
    # An unauthenticated header does not change the caller.
    forged = client.request(
        "POST",
        "/token?grant_type=password",
        {"email": "a@example.com", "password": "x"},
        headers={"X-Forwarded-For": "203.0.113.7", "X-Real-Ip": "203.0.113.7", "Forwarded": "for=203.0.113.7"},
    )
    refused_with(forged, "failed")
    assert client.refresh("abcdefghijkl").status == 400, "the other grants go on"


def test_ten_failed_sign_ins_of_one_account_from_anywhere(servers, new_email):
    server = servers.serve(GATEHOUSE_LIMITS="on", GATEHOUSE_TRUSTED_PROXIES="127.0.0.0/8").start()
    email, other = new_email(), new_email("bystander")
    client = server.auth()

    def sign_in(address, email, password=PASSWORD):
        return client.request(
            "POST",
            "/token?grant_type=password",
            {"email": email, "password": password},
            headers={"X-Forwarded-For": address},
        )

    for person in (email, other):
        client.sign_up(person)
    for number in range(9):
        assert sign_in(f"198.51.100.{number}", email, "wrong password 1").status == 400
    assert sign_in("198.51.100.50", email).status == 200, (
        "a right password is no failure, and clears the account's count"
    )
    for number in range(10):
        assert sign_in(f"198.51.100.{100 + number}", email.upper(), "wrong password 1").status == 400
    refused_with(sign_in("198.51.100.150", email, "wrong password 1"), "account")
    assert sign_in("198.51.100.150", other).status == 200, "another account is not shut"


def test_a_stranger_cannot_lock_a_user_out(servers, new_email):
    """Under attack: the owner's browser has a cookie, the owner's app an address with a session, others wait."""
    server = servers.serve(GATEHOUSE_LIMITS="on", GATEHOUSE_TRUSTED_PROXIES="127.0.0.0/8").start()
    email = new_email()
    client = server.auth()

    def sign_in(address, password=PASSWORD, **headers):
        return client.request(
            "POST",
            "/token?grant_type=password",
            {"email": email, "password": password},
            headers={"X-Forwarded-For": address, **headers},
        )

    client.request(
        "POST", "/signup", {"email": email, "password": PASSWORD}, headers={"X-Forwarded-For": "192.0.2.10"}
    )
    own_page = {"Sec-Fetch-Site": "same-origin"}
    browser = sign_in("192.0.2.20", **own_page)
    cookie = browser.headers["set-cookie"].partition(";")[0]
    elsewhere = sign_in("192.0.2.20", Origin="https://evil.example.org", **{"Sec-Fetch-Site": "cross-site"})
    assert elsewhere.status == 200 and "set-cookie" not in elsewhere.headers, "another site takes no cookie away"
    client.request("POST", "/logout?scope=local", token=browser.json()["access_token"])
    for number in range(12):
        assert sign_in("203.0.113.1", "wrong password 1").status == (400 if number < 10 else 429)
    assert sign_in("192.0.2.99").status == 200, "one address alone shuts its own pair with the account"
    for number in range(10):
        assert sign_in(f"198.51.100.{number}", "wrong password 1").status == 400
    refused_with(sign_in("192.0.2.98"), "account")
    assert sign_in("192.0.2.97", Cookie=cookie).status == 200
    assert sign_in("192.0.2.10").status == 200


def test_right_passwords_are_not_counted_as_failures(servers, new_email):
    server, email = servers.dev("--limits").start(), new_email()
    client = server.auth()
    client.sign_up(email)
    assert [client.sign_in(email).status for _ in range(15)] == [200] * 15


def test_requests_of_one_address_are_limited_by_endpoint(servers):
    # One more request in five minutes. At the usual rate it would be one in two seconds.
    client = servers.serve(GATEHOUSE_LIMITS="on", GATEHOUSE_RATE_LIMIT_TOKEN_REFRESH=1).start().auth()
    statuses = [client.refresh("abcdefghijkl").status for _ in range(31)]
    assert statuses == [400] * 30 + [429]
    refused_with(client.refresh("abcdefghijkl"), "token")
    assert client.get("/settings").status == 200


def test_a_storm_of_sign_ins_is_refused_before_it_piles_up(servers, new_email):
    """The hashing queue is short here: a request that does not fit gets a Retry-After."""
    server, email = servers.serve(GATEHOUSE_HASH_QUEUE=1).start(), new_email()
    server.auth().sign_up(email)
    barrier, answers = threading.Barrier(40), []

    def sign_in():
        client = server.auth()
        client.get("/health")
        barrier.wait(PATIENCE_SECONDS)
        answers.append(client.sign_in(email))

    threads = [threading.Thread(target=sign_in) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
    assert len(answers) == 40 and {answer.status for answer in answers} == {200, 429}
    for answer in answers:
        if answer.status == 429:
            refused_with(answer, "hash")
    assert server.auth().sign_in(email).status == 200


def test_honest_sign_ins_pass_through_a_flood(servers, new_email):
    """A flood from one address fills the queue; callers from other addresses get their turn."""
    server = servers.serve(GATEHOUSE_HASH_QUEUE=8, GATEHOUSE_TRUSTED_PROXIES="127.0.0.0/8").start()
    email = new_email()
    server.auth().sign_up(email)
    ended, refused = threading.Event(), []

    def flood(number):
        client = server.auth()
        while not ended.is_set():
            answer = client.request(
                "POST",
                "/token?grant_type=password",
                {"email": f"nobody{number}@example.com", "password": "wrong password 1"},
                headers={"X-Forwarded-For": "203.0.113.1"},
            )
            if answer.status == 429:
                refused.append(answer)

    threads = [threading.Thread(target=flood, args=(number,)) for number in range(24)]
    for thread in threads:
        thread.start()
    poll(lambda: len(refused) > 50, "a full queue")
    statuses = []
    for number in range(12):
        answer = server.auth().request(
            "POST",
            "/token?grant_type=password",
            {"email": email, "password": PASSWORD},
            headers={"X-Forwarded-For": f"198.51.100.{number}"},
        )
        statuses.append(answer.status)
    ended.set()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
    assert statuses == [200] * 12


def test_an_unknown_user_costs_one_password_hash_like_a_wrong_password(dev, new_email):
    """Counted, not timed: PasswordHasherTests shows that both hashes have the same algorithm and settings."""
    email, client = new_email(), dev.auth()
    client.sign_up(email)
    for address in (email, "nobody@example.com", email, "nobody@example.com"):
        before = password_hashes(dev)
        answer = client.sign_in(address, "wrong password 1")
        assert (answer.status, answer.code) == (400, "invalid_credentials")
        assert password_hashes(dev) == before + 1, address


def password_hashes(server):
    _, samples = parsed_metrics(server.metrics().body.decode())
    return sum(samples["gatehouse_password_hash_duration_seconds_count"].values())


# Output for operators.


def test_logs_and_metrics_tell_no_secret(servers):
    server = servers.serve(GATEHOUSE_LOG_LEVEL="debug", GATEHOUSE_LIMITS="on").start()
    client, secrets = server.auth(), []
    email, password = "very.private.person@example.com", "very-private-password-1"
    session = client.sign_up(email, password, data={"first_name": "Veryprivatename"})
    refreshed = client.refresh(session["refresh_token"]).json()
    client.refresh(session["refresh_token"])
    client.user(refreshed["access_token"])
    client.sign_in(email, "very-wrong-password-2")
    client.sign_in("very.private.stranger@example.com", password)
    client.user(refreshed["access_token"][:-3] + "abc")
    client.get(f"/user?access_token={refreshed['access_token']}&email={email}")
    client.get("/very-private-path/" + email)
    client.post("/signup", b'{"email":"' + email.encode() + b'","password":"' + password.encode())
    client.put(
        "/user",
        {"data": {"nick": "veryprivatenick"}, "password": "very-private-password-3"},
        token=refreshed["access_token"],
    )
    gateway = server.gateway(token=refreshed["access_token"])
    gateway.patch("/v1/auth/me", {"first_name": "Veryprivatename"})
    gateway.get("/api/v1/auth/callback?code=very-private-code")
    server.admin().get("/admin/users?filter=very.private")
    server.admin().post("/admin/users", {"email": email, "password": password})
    for _ in range(31):
        client.refresh("abcdefghijkl")
    metrics = server.metrics().body.decode()
    gateway.delete("/v1/auth/me")
    server.stop()

    log = server.log()
    assert len(log.splitlines()) > 10, "the log says something"
    secrets += [
        email,
        "very.private",
        password,
        "very-wrong-password-2",
        "very-private",
        "Veryprivatename",
        "veryprivatenick",
        SECRET_KEY,
        server.environment["GATEHOUSE_SECRETS"][2:],
        "Bearer ",
        "$argon2",
    ]
    for issued in (session, refreshed):
        secrets += [issued["refresh_token"], issued["access_token"], *issued["access_token"].split(".")[1:]]
    for text in (log, metrics):
        assert [secret for secret in secrets if secret.lower() in text.lower()] == []
    assert server.printed() == ""
    for line in log.splitlines():
        entry = json.loads(line)
        assert isinstance(entry, dict)
    assert any("request_id" in line for line in log.splitlines())


SAMPLE = re.compile(
    r"""([a-zA-Z_:][a-zA-Z0-9_:]*)            # name
                        (?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"(?:,|(?=\})))*)\})?   # labels
                        \ ([0-9.e+-]+|NaN|[+-]Inf)$""",
    re.VERBOSE,
)


def parsed_metrics(text):
    """name -> {labels: value} of Prometheus text; fails on an invalid line."""
    assert text.endswith("\n")
    families, samples = {}, {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            name, kind = line[7:].split(" ")
            assert name not in families and kind in ("counter", "gauge", "histogram"), line
            families[name] = kind
        elif line.startswith("# HELP "):
            assert len(line.split(" ", 3)) == 4, line
        else:
            found = SAMPLE.match(line)
            assert found, line
            name, labels, value = found.groups()
            base = re.sub(r"_(bucket|sum|count)$", "", name)
            assert families.get(name) in ("counter", "gauge") or families.get(base) == "histogram", line
            assert labels not in samples.setdefault(name, {}), f"stands twice: {line}"
            samples[name][labels] = float(value)
    return families, samples


def test_metrics_are_prometheus_text(server, new_email):
    email, client = new_email(), server.auth()
    session = client.sign_up(email)
    client.refresh(session["refresh_token"])
    client.sign_in(email, "wrong password 1")
    answer = server.metrics()
    assert answer.status == 200 and answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    families, samples = parsed_metrics(answer.body.decode())
    for name in (
        "gatehouse_http_requests_total",
        "gatehouse_http_request_duration_seconds",
        "gatehouse_sign_ins_total",
        "gatehouse_refreshes_total",
        "gatehouse_database_statements_total",
        "gatehouse_database_commit_callers",
        "gatehouse_database_read_duration_seconds",
    ):
        assert name in families, sorted(families)
    assert any("hash" in name and "queue" in name for name in families), sorted(families)
    assert any(
        'route="/auth/v1/token"' in labels and 'status="400"' in labels
        for labels in samples["gatehouse_http_requests_total"]
    ), samples["gatehouse_http_requests_total"]
    assert any('outcome="wrong_credentials"' in labels for labels in samples["gatehouse_sign_ins_total"])
    for name in (name for name, kind in families.items() if kind == "histogram"):
        check_histogram(samples, name)
    later = parsed_metrics(server.metrics().body.decode())[1]
    for name, kind in families.items():
        if kind == "counter":
            assert all(later[name][labels] >= value for labels, value in samples.get(name, {}).items()), name


def check_histogram(samples, name):
    """Buckets grow, and the last has every value."""
    series = {}
    for labels, value in samples.get(name + "_bucket", {}).items():
        bound = re.search(r'le="([^"]*)"', labels).group(1)
        rest = re.sub(r',?le="[^"]*"', "", labels)
        series.setdefault(rest, []).append((float(bound.replace("Inf", "inf")), value))
    for rest, buckets in series.items():
        values = [value for _, value in sorted(buckets)]
        assert values == sorted(values) and sorted(buckets)[-1][0] == float("inf"), (name, rest)
        total = samples[name + "_count"].get(rest or None, samples[name + "_count"].get(rest))
        assert values[-1] == total, (name, rest)


def test_unknown_paths_create_no_labels(server):
    for number in range(50):
        server.gateway().get(f"/made-up-{number}")
        server.admin().get(f"/admin/users/{MISSING[:-2]}{number:02}")
    text = server.metrics().body.decode()
    assert "made-up" not in text and MISSING[:-2] not in text


def test_metrics_are_not_public(server, dev):
    assert server.gateway().get("/metrics").status == 404, "`serve` has them on a port of their own"
    assert dev.metrics().status == 200


def test_health_and_ready(server, dev):
    for each in (server, dev):
        assert each.gateway().get("/health").status == 200
        assert each.gateway().get("/ready").status == 200
        health = each.auth().get("/health").json()
        assert set(health) >= {"version", "name", "description"}


def test_both_error_versions(dev):
    client = Client(dev.auth_url)
    newer = client.sign_in("nobody@example.com")
    assert newer.headers["x-supabase-api-version"] == "2024-01-01"
    assert newer.headers["x-sb-error-code"] == "invalid_credentials"
    assert set(newer.json()) == {"code", "message"} and newer.json()["code"] == "invalid_credentials"
    client.headers.clear()
    older = client.sign_in("nobody@example.com")
    assert "x-supabase-api-version" not in older.headers
    assert older.json()["code"] == 400 and older.json()["error_code"] == "invalid_credentials" and "msg" in older.json()


def test_browsers_may_send_the_key(dev):
    reply = exchange(
        dev.port,
        request(
            "OPTIONS",
            "/auth/v1/token?grant_type=password",
            headers=[
                ("Origin", "http://localhost:3000"),
                ("Access-Control-Request-Method", "POST"),
                (
                    "Access-Control-Request-Headers",
                    "apikey,authorization,content-type,x-client-info,x-supabase-api-version",
                ),
            ],
        ),
    )
    assert reply.status == 204 and reply.headers["access-control-allow-origin"] in ("*", "http://localhost:3000")
    assert "apikey" in reply.headers["access-control-allow-headers"].lower()
