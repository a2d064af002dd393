"""The guides for developers: every block of these pages runs as printed, or guides.NOT_RUN has the reason."""

import json
import pathlib
import re
import shlex
import shutil
import socket
import subprocess
import urllib.parse

import hook_receiver
import pytest
import yaml
from authenticator import App
from guides import ROOT, Page, Shell, commands, needs, objects
from mail_server import mail_server
from program import BINARY, PASSWORD, PATIENCE_SECONDS, Client, free_port, poll
from test_mailed_codes import received, text_of
from test_terminal_client import code_for, known

ADA = "ada@example.com"
NEW = "a password that is new"


@pytest.fixture
def shell(tmp_path):
    shell = Shell(tmp_path)
    yield shell
    shell.stop()


# The terminal client.


def test_the_terminal_client(shell, servers):
    with Page("terminal-client.md") as page:
        in_a_terminal(page, shell, servers)
        with_emailed_codes(page, shell, servers)
        with_a_password_that_was_set_aside(page, shell, servers)
        with_second_factors(page, shell, servers)
        in_scripts(page, shell, servers)


def use(shell, server):
    shell.environment |= {"GATEHOUSE_URL": server.url, "SERVER": server.url, "PASSWORD": PASSWORD}
    return server


def in_a_terminal(page, shell, servers):
    use(shell, servers.dev().start())
    with shell.terminal(page.block("sh", "gatehouse signup")) as terminal:
        terminal.answer("Email: ", ADA).answer("First name: ", "Grace")
        terminal.answer("Password: ", PASSWORD).answer("Password again: ", PASSWORD)
        assert terminal.end() == 0, terminal.seen
    for text in (f"Signed in as {ADA}", "First name    Grace", "mood", "calm", f"Signed out {ADA}"):
        assert text in terminal.seen, text
    assert shell.kept() == {}


def with_emailed_codes(page, shell, servers):
    send, sign_in, ask, recover, again, verify = commands(page.block("sh", "gatehouse login --magic-link"))
    server = use(shell, servers.dev().start())
    server.auth().sign_up(ADA)
    for first, second, password in ((send, sign_in, PASSWORD), (ask, recover, NEW)):
        confirm(shell, server, first, second, password)
    assert server.auth().sign_in(ADA, NEW).status == 200
    server = use(shell, servers.dev("--confirm-email").start())
    server.auth().post("/signup", {"email": ADA, "password": PASSWORD})
    code_for(server, ADA)
    confirm(shell, server, again, verify, PASSWORD)


def confirm(shell, server, send, enter, password):
    """Sends an email with one command, and enters its code with the other."""
    before = known(server, ADA)
    shell.sh(send)
    shell.environment |= {"CODE": code_for(server, ADA, after=before), "PASSWORD": password}
    assert f"Signed in as {ADA}" in shell.sh(enter).out
    assert shell.json("whoami")["user"]["email"] == ADA
    shell.json("logout")


def with_a_password_that_was_set_aside(page, shell, servers):
    """Somebody has signed up with Ada's address, and Ada signs in by email."""
    server = use(shell, servers.dev().start())
    server.auth().sign_up(ADA)
    server.auth().post("/otp", {"email": ADA})
    proof = {"type": "email", "email": ADA, "token": code_for(server, ADA)}
    assert server.auth().post("/verify", proof).status == 200
    before = known(server, ADA)
    assert shell.fails(3, "login", "--email", ADA, "--password-stdin", stdin=PASSWORD + "\n")[0] == "credential_set_aside"
    shell.environment["CODE"] = code_for(server, ADA, after=before)
    assert f"Signed in as {ADA}" in shell.sh(page.block("sh", "printf '%s\\n%s\\n' \"$PASSWORD\" \"$CODE\"")).out
    shell.json("logout")


def with_second_factors(page, shell, servers):
    server = use(shell, servers.dev().start())
    shell.sign_up(ADA)
    *enroll, sign_in = commands(page.block("sh", "KEY="))
    *_, codes = [shell.sh(line).out for line in enroll]
    assert {each["name"]: each["status"] for each in shell.json("mfa")["factors"] if each["type"] == "totp"} == {"ci": "verified"}
    shell.json("logout")
    # The app's code is used, so the script passes a recovery code.
    shell.environment["CODE"] = json.loads(codes)["codes"][0]
    assert f"Signed in as {ADA}" in shell.sh(sign_in).out
    assert shell.json("mfa")["level"] == "aal2"
    shell.json("logout")
    password = PASSWORD + "\n"
    assert shell.fails(64, "login", "--email", ADA, "--password-stdin", stdin=password)[0] == "second_factor_needed"
    assert server.auth().sign_in(ADA).status == 200


def in_scripts(page, shell, servers):
    """Each command's JSON has the members of the page's table."""
    server = use(shell, servers.dev().start())
    said = {"signup": shell.sign_up(ADA)}
    said["login"] = json.loads(shell.sh(page.block("sh", "printf '%s\\n' \"$PASSWORD\"")).out)
    server.auth().sign_in(ADA)
    for command in ("whoami", "profile", "profile set --first-name Ada", "teams", "sessions", "sessions revoke --others",
                    "mfa list", "mfa enroll"):
        said[command] = shell.json(*command.split())
    said["mfa verify"] = shell.json("mfa", "verify", "--factor-stdin", stdin=App(said["mfa enroll"]["secret"]).code() + "\n")
    assert shell.json("mfa", "recovery-codes", "--new").keys() == {"codes"}
    said["mfa recovery-codes"] = shell.json("mfa", "recovery-codes")
    codes = next(factor["id"] for factor in shell.json("mfa")["factors"] if factor["type"] == "recovery_code")
    said["mfa remove"] = shell.json("mfa", "remove", codes)
    shell.json("mfa", "remove", said["mfa enroll"]["id"])
    said["logout"] = shell.json("logout")
    shell.log_in(ADA)
    said["delete-account"] = shell.json("delete-account", "--yes")
    rows = re.findall(r"^\| (`.*) \| (`.*) \|$", page.text.split("| Command | Members |")[1].split("\n\n")[0], re.MULTILINE)
    assert len(rows) == 14
    listed = {command: members(cell) for names, cell in rows for command in re.findall("`([^`]+)`", names)}
    shown = {" ".join(word for word in command.split() if word not in ("--first-name", "Ada", "--others")): set(answer)
             for command, answer in said.items()}
    assert shown == {command: listed[command] for command in shown}
    assert listed.keys() - shown.keys() == {"verify", "recover", "mfa challenge"}
    assert shell.fails(3, "profile")[0] == "not_signed_in"
    assert shell.fails(64, "login", "--email", ADA)[0] == "usage"
    server.stop()
    assert shell.fails(4, "login", "--email", ADA, "--password-stdin", stdin=PASSWORD + "\n")[0] == "offline"


def members(cell):
    """Of a table's cell, without those in brackets and those that an option adds."""
    while cell != (shorter := re.sub(r"\([^()]*\)", "", cell)):
        cell = shorter
    return set(re.findall("`([a-z_]+)`", re.split("[;:]|, each", cell)[0]))


# Hooks and webhooks.


class Receiver(hook_receiver.Receiver):
    """The test verifies the signatures, with the page's code."""

    def check(self, call):
        pass


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.server.stop()


@needs("openssl")
def test_hooks_and_webhooks(shell, servers, receiver):
    with Page("hooks.md") as page:
        try_a_hook(page, shell, receiver)
        get_events(page, shell, servers, receiver)


def try_a_hook(page, shell, receiver):
    shell.moved = {"http://127.0.0.1:8000": receiver.url}
    port = free_port()
    *settings, dev = commands(page.block("sh", "export GOTRUE_HOOK"))
    for line in settings:
        shell.sh(line)
    shell.background(f"{dev.strip()} --port {port}")
    client = Client(f"http://127.0.0.1:{port}/auth/v1")
    poll(lambda: listens(port), "dev")
    client.sign_up(ADA)
    (call,) = receiver.at("/created")
    secret = shell.environment["GOTRUE_HOOK_BEFORE_USER_CREATED_SECRETS"].removeprefix("v1,")
    names = {"body": call.body, "headers": call.headers}
    exec(page.block("python", "from standardwebhooks").replace("whsec_…", secret), names)  # noqa: S102
    assert names["event"]["user"]["email"] == ADA and {"uuid", "time", "name", "ip_address"} <= names["event"]["metadata"].keys()
    receiver.answers["/created"] = lambda _: (200, json.loads(page.span('{"error"')))
    refused = client.post("/signup", {"email": "eve@example.com", "password": PASSWORD})
    assert refused.status == 403 and "Only for members" in refused.body.decode()
    shell.stop()


def get_events(page, shell, servers, receiver):
    webhooks = page.block("json", "[{").replace("https://crm.example.org", receiver.url)
    example = json.loads(page.block("json", "{"))
    webhooks = webhooks.replace("whsec_…", f"whsec_{hook_receiver.NEW}")
    server = servers.serve(GATEHOUSE_WEBHOOKS=webhooks, **hook_receiver.LOOPBACK)
    user = server.start().auth().sign_up(ADA)["user"]["id"]
    server.admin().delete(f"/admin/users/{user}")
    deleted = receiver.wait("/events", 2)[1].json
    assert deleted == {**example, "timestamp": deleted["timestamp"], "data": {"user": {"id": user}}}
    assert re.sub(r"\d+", "0", deleted["timestamp"]) == re.sub(r"\d+", "0", example["timestamp"])
    server.auth().sign_up("eve@example.com")
    created = receiver.wait("/events", 3)[2]
    shell.environment |= server.environment
    listed, tested, replayed, failed, waiting = commands(page.block("sh", "gatehouse hooks list"))
    assert "crm" in shell.sh(listed).out
    shell.sh(tested)
    assert receiver.wait("/events", 4)[3].json["type"] == "gatehouse.test"
    rows = lambda: objects(shell.sh("gatehouse hooks list --json").out)  # noqa: E731
    poll(lambda: (created.id, "delivered") in [(row["id"], row["state"]) for row in rows()], "the delivery")
    shell.sh(replayed.replace("ID", created.id))
    again = receiver.wait("/events", 5)[4]
    assert (again.id, again.body) == (created.id, created.body)
    shell.sh(failed)
    shell.sh(waiting)


def listens(port):
    with socket.socket() as trial:
        return trial.connect_ex(("127.0.0.1", port)) == 0


# Emails.


@needs("curl")
def test_emails(shell, servers):
    with Page("mails.md") as page:
        server = servers.dev().start()
        server.auth().post("/otp", {"email": ADA})
        code_for(server, ADA)
        shell.moved = {"localhost:9999": f"localhost:{server.port}"}
        block = page.block("sh", "curl -s")
        (mail,) = json.loads(shell.sh(block).out)["mails"]
        assert set(mail) == set(re.findall(r'"(\w+)"', block.split("#")[1])) - {"mails"}
        write_templates(page, shell, servers)


@needs("curl")
def test_text_messages(shell, servers):
    with Page("phone.md", "sh") as page:
        server = servers.dev().start()
        block = page.block("sh", "curl -s")
        server.auth().post("/otp", {"phone": re.search(r"q=(\d+)", block)[1]})
        shell.moved = {"localhost:9999": f"localhost:{server.port}"}
        (text,) = poll(lambda: json.loads(shell.sh(block).out)["texts"], "the message")
        assert set(text) == set(re.findall(r'"(\w+)"', block.split("#")[1])) - {"texts"}


def write_templates(page, shell, servers):
    listing = page.block("text", "mails/")
    names = re.findall(r"^  (\S+)", listing, re.MULTILINE)
    folder = pathlib.Path(shell.folder, "mails")
    folder.mkdir()
    for name in names:
        (folder / name).write_text("{{ .AppName }} {{ .Token }}")
    server = servers.serve(GATEHOUSE_MAILER_TEMPLATES=str(folder))
    shell.environment |= server.environment | {"GATEHOUSE_MAILER_TEMPLATES": "mails"}
    shell.sh("gatehouse check-config")
    (folder / "recovery.html").write_text("\n" * 11 + "{{ .Tokn }}")
    error = page.block("text", "mails/recovery.html:12").strip().removesuffix("…")
    shown = shell.sh("gatehouse check-config", code=78).err
    assert error in shown, shown
    (folder / "recovery.html").unlink()
    greeting = page.block("text", "Hello{{#Data")
    (folder / "recovery.txt").write_text(greeting + "{{ .Token }}")
    with mail_server() as mail:
        server.environment |= mail.settings
        server.start()
        for name, data in (("Ada", {"first_name": "Ada"}), ("there", {})):
            email = f"{name.lower()}@example.com"
            server.auth().sign_up(email, data=data)
            assert server.auth().post("/recover", {"email": email}).status == 200
            (sent,) = received(mail, email)
            assert text_of(sent).startswith(f"Hello {name},"), text_of(sent)
        server.stop()


# The console, and providers.


def test_the_console(server, new_email):
    with Page("console.md") as page:
        email = new_email()
        (line,) = commands(page.block("sh", "gatehouse operators add"))
        added = server.command(*shlex.split(line.replace("ada@example.org", email))[1:])
        assert added.returncode == 0, added.stderr
        listed = server.command("operators", "list").stdout.splitlines()
        assert [line.split()[2] for line in listed if email in line] == ["support"]


def test_providers(shell, servers, tmp_path):
    with Page("providers.md") as page:
        github, acme = page.block("yaml", "external_github_enabled"), page.block("json", "[{")
        (tmp_path / "github-secret").write_text("secret")
        (tmp_path / "acme.json").write_text(acme)
        (tmp_path / "acme.json").chmod(0o600)
        settings = github.replace("/etc/gatehouse", str(tmp_path)) + f"oauth_providers_file: {tmp_path}/acme.json\n"
        (tmp_path / "gatehouse.yaml").write_text(settings)
        server = servers.serve("--config", f"{tmp_path}/gatehouse.yaml")
        del server.environment["GOTRUE_SITE_URL"]
        server.start()
        assert server.auth().get("/settings").json()["external"]["github"] is True
        app = re.search(r"\[(\S+)\]", github)[1]
        for provider, address in (("github", "https://github.com/login/oauth/authorize"),
                                  ("custom:acme", json.loads(acme)[0]["authorization"])):
            challenge = f"code_challenge={'a' * 43}&code_challenge_method=s256"
            begun = server.auth().get(f"/authorize?provider={provider}&redirect_to={app}&{challenge}")
            where = urllib.parse.urlsplit(begun.headers["location"])
            assert (begun.status, f"{where.scheme}://{where.netloc}{where.path}") == (302, address)
            query = dict(urllib.parse.parse_qsl(where.query))
            assert query["redirect_uri"].startswith(server.auth_url + "/callback")
        assert query["scope"] == "profile" and query["code_challenge_method"] == "S256"


# The files that the guides name. Scripts/tests/test_deploy.py compares their contents with the program.


def at_least_yaml(path):
    assert all(list(yaml.safe_load_all(path.read_text(encoding="utf-8"))))


FILES = {
    "Deploy/gatehouse.yaml": at_least_yaml,
    "Deploy/compose.yaml": at_least_yaml,
    "Deploy/kubernetes.yaml": at_least_yaml,
    "Deploy/Caddyfile": ("caddy", "validate", "--adapter", "caddyfile", "--config"),
    "Deploy/gatehouse.service": ("systemd-analyze", "verify", "--man=no"),
    "Deploy/apparmor": ("apparmor_parser", "--skip-kernel-load", "--skip-cache"),
    "Deploy/Dockerfile": ("hadolint",),
    "Deploy/homebrew/gatehouse.rb": ("ruby", "-c"),
    "Deploy/fly.toml": "Scripts/tests/test_deploy.py reads it",
    "Deploy/nginx-one-server.conf": "test_guides.py runs it",
    "Deploy/nginx.conf": "test_nodes.py runs it",
    "Deploy/postgresql/roles.sql": "test_guides.py runs it",
    "Deploy/postgresql/grants.sql": "test_guides.py runs it",
}


@pytest.mark.parametrize("name", [name for name, reader in FILES.items() if not isinstance(reader, str)])
def test_a_file_is_read_by_its_tool(name, tmp_path):
    reader, path = FILES[name], ROOT / name
    if callable(reader):
        return reader(path)
    if not shutil.which(reader[0]):
        pytest.skip(f"{reader[0]} is not installed")
    # The unit's program is not installed.
    copy = tmp_path / path.name
    copy.write_text(path.read_text(encoding="utf-8").replace("/usr/local/bin/gatehouse", BINARY))
    done = subprocess.run([*reader, str(copy)], capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    # systemd ignores an unknown setting, and names the file.
    assert done.returncode == 0 and f"{copy}:" not in done.stderr, done.stdout + done.stderr


def test_every_file_that_a_page_names_is_listed():
    named = set()
    for page in (ROOT / "Docs").glob("*.md"):
        named |= set(re.findall(r"\]\(\.\./(Deploy/[^)#]+)\)", page.read_text(encoding="utf-8")))
    assert {name for name in named if (ROOT / name).is_file()} - FILES.keys() == set()
