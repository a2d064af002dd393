"""The guides for operators: every block of these pages runs as printed, or guides.NOT_RUN has the reason."""

import contextlib
import json
import pathlib
import re
import shutil
import sqlite3
import sys
import tomllib
import urllib.parse

import mail_server
import postgres
import pytest
from guides import ROOT, Page, Shell, commands, mode, needs
from program import PASSWORD, Server, free_port, poll, run
from test_import import Source
from test_mailed_codes import code_of, received

HOST = "accounts.example.com"


def lay_out(shell):
    """What the Debian package lays out; Tests/Soak/package installs the real one."""
    for name in ("/etc/gatehouse", "/var/lib/gatehouse"):
        shell.path(name).mkdir(parents=True)
    example = shell.move((ROOT / "Deploy" / "gatehouse.yaml").read_text(encoding="utf-8"))
    shell.path("/etc/gatehouse/gatehouse.yaml").write_text(example)
    shell.sh("(umask 377 && echo \"1:$(openssl rand -base64 32)\" > /etc/gatehouse/secrets)")


def unit(shell, servers, port):
    """The server that the unit starts."""
    text = (ROOT / "Deploy" / "gatehouse.service").read_text(encoding="utf-8")
    arguments = shell.move(re.search(r"^ExecStart=\S+ (.*)$", text, re.MULTILINE)[1]).split()
    return servers._add(Server(arguments, {}, shell.folder, port)).start()


@pytest.fixture
def host(tmp_path):
    """A machine whose folders are in a temporary one. It notes what needs root or a network."""
    ports = {port: free_port() for port in (9999, 9998, 443, 80)}
    moved = {f"127.0.0.1:{port}": f"127.0.0.1:{ports[port]}" for port in (9999, 9998)}
    folders = "/etc/gatehouse", "/var/lib/gatehouse", "/etc/nginx", "/var/log/nginx", "/etc/caddy", "/etc/letsencrypt"
    moved |= {name: f"{tmp_path}/root{name}" for name in folders}
    shell = Shell(tmp_path, moved)
    shell.ports = ports
    shell.fake("apt", "systemctl", "journalctl", "certbot", "chown", "docker", "fly")
    shell.fake("sudo", then='[ "$1 $2" = "-u gatehouse" ] && shift 2 && exec "$@"')
    yield shell
    shell.stop()


@pytest.mark.skipif(sys.platform != "linux", reason="needs systemd's unit and Debian's folders")
@needs("openssl", "curl")
@pytest.mark.parametrize("proxy", [pytest.param("nginx", marks=needs("nginx")), pytest.param("caddy", marks=needs("caddy"))])
def test_a_server_in_an_hour(host, servers, tmp_path, proxy):
    authority = mail_server.Authority(tmp_path)
    with Page("deploy.md") as page, mail_server.mail_server(
            starttls=authority.context(), authenticator=mail_server.authenticate, auth_required=True) as mail:
        package(page, host)
        configure(page, host, mail, authority)
        start(page, host, servers)
        put_a_proxy_in_front(page, host, authority, start_nginx if proxy == "nginx" else start_caddy)
        try_it(page, host, mail)
        back_up(page, host)
        with_docker(page, host)
        at_fly(page, host)


def package(page, host):
    host.sh("touch gatehouse_0.1.0_amd64.deb")
    host.sh(page.block("sh", "apt install ./gatehouse"))
    assert host.calls() == ["apt install ./gatehouse_0.1.0_amd64.deb sqlite3 sudo"]
    lay_out(host)


def configure(page, host, mail, authority):
    settings, keys, checks = page.block("yaml", "external_url"), page.block("sh", "cd /etc"), page.block("sh", "sudo -u")
    made = host.sh(keys, stdin=mail_server.PASSWORD + "\n")
    assert host.calls() == ["chown gatehouse: secret-keys smtp"]
    folder = host.path("/etc/gatehouse")
    assert {mode(folder / name) for name in ("secret-keys", "smtp")} == {0o600}
    assert re.fullmatch(r"sb_publishable_[0-9a-f]{32}\n", made.out)
    host.secret_key = (folder / "secret-keys").read_text().strip()
    # The test's mail server, and the ports that are free here.
    settings = host.move(settings).replace("sb_publishable_…", made.out.strip()).replace("smtp.example.com", "localhost")
    settings += f"smtp_port: {mail.settings['GOTRUE_SMTP_PORT']}\nsmtp_tls: starttls\nsmtp_ca_file: {authority.file}\n"
    settings += f"listen: 127.0.0.1:{host.ports[9999]}\npassword_answer_time: 0s\n"
    with (folder / "gatehouse.yaml").open("a") as file:
        file.write("\n" + settings)
    check, doctor = commands(checks)
    shown = host.sh(check)
    assert shown.err == "" and "external_url" in shown.out
    assert host.sh(check.strip() + " " + page.span(">/dev/null")).out == ""
    sent = host.sh(doctor)
    assert "250 2.0.0 queued" in sent.out and mail.mails[0].recipients == ["you@example.com"]
    assert {call.split()[2] for call in host.calls()} == {"gatehouse"}


def start(page, host, servers):
    enable, ready, log = commands(page.block("sh", "systemctl enable"))
    host.sh(enable)
    unit(host, servers, host.ports[9999])
    assert json.loads(host.sh(ready).out) == {"status": "ready"}
    host.sh(log)
    assert host.calls() == ["systemctl enable --now gatehouse", "journalctl -u gatehouse -f"]


def put_a_proxy_in_front(page, host, authority, start_proxy):
    """curl resolves the host to this machine."""
    host.sh(page.span("systemctl reload"))
    host.sh(page.block("sh", "apt install nginx"))
    reload, _, stop, certificate = host.calls()
    assert (reload, stop) == ("systemctl reload caddy", "systemctl stop nginx")
    assert f"certonly --standalone -d {HOST} " in certificate
    authority.context(HOST)
    folder = host.path(f"/etc/letsencrypt/live/{HOST}")
    folder.mkdir(parents=True)
    for name, kind in (("fullchain", "pem"), ("privkey", "key")):
        shutil.copy(authority.folder / f"{HOST}.{kind}", folder / f"{name}.pem")
    start_proxy(page, host, folder)
    pathlib.Path(host.home, ".curlrc").write_text(
        f"connect-to = {HOST}:443:127.0.0.1:{host.ports[443]}\ncacert = {authority.file}\n")
    poll(lambda: host.sh(f"curl -s -o /dev/null https://{HOST}/", code=None).code == 0, "the proxy")


def edited(host, name):
    """A file of Deploy, with this machine's ports, folders and the network of operators."""
    return host.move((ROOT / "Deploy" / name).read_text(encoding="utf-8")).replace("203.0.113.0/24", "127.0.0.1")


def start_nginx(page, host, certificates):
    for name in ("/etc/nginx/conf.d", "/var/log/nginx"):
        host.path(name).mkdir(parents=True)
    text = re.sub(r"^ *listen \[::\].*\n", "", edited(host, "nginx-one-server.conf"), flags=re.MULTILINE)
    text = re.sub(r"listen (\d+)", lambda found: f"listen 127.0.0.1:{host.ports[int(found[1])]}", text)
    host.path("/etc/nginx/conf.d/gatehouse.conf").write_text(text)
    root = host.path("/etc/nginx")
    folders = "".join(f"{kind}_temp_path {root}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (root / "nginx.conf").write_text(
        f"daemon off;\nmaster_process off;\npid {root}/pid;\nerror_log stderr;\nevents {{}}\n"
        f"http {{\n{folders}include conf.d/*.conf;\n}}\n")
    host.tool("nginx", f'exec {shutil.which("nginx")} -p {root} -c {root}/nginx.conf "$@"')
    host.sh(page.span("nginx -t"))
    assert host.calls() == ["systemctl restart nginx"]
    host.background("nginx")


def start_caddy(page, host, certificates):
    """With a certificate of the test's authority instead of its own."""
    text = edited(host, "Caddyfile").replace(
        f"{HOST} {{", f"{HOST} {{\n\tbind 127.0.0.1\n\ttls {certificates}/fullchain.pem {certificates}/privkey.pem", 1)
    host.path("/etc/caddy").mkdir()
    ports = f"http_port {host.ports[80]}\n\thttps_port {host.ports[443]}"
    host.path("/etc/caddy/Caddyfile").write_text(f"{{\n\tadmin off\n\t{ports}\n}}\n{text}")
    host.background("caddy run --adapter caddyfile --config /etc/caddy/Caddyfile")


def try_it(page, host, mail):
    settings, sign_up = (host.sh(line).out for line in commands(page.block("sh", "curl -s https")))
    assert json.loads(settings)["external"]["email"] is True
    assert json.loads(sign_up)["email"] == "you@example.com"
    code = code_of(received(mail, "you@example.com", 2)[-1])
    body = json.dumps({"type": "signup", "email": "you@example.com", "token": code})
    session = json.loads(host.sh(f"curl -s https://{HOST}/auth/v1/verify -H 'X-Forwarded-For: 192.0.2.1' -d '{body}'").out)
    sessions = host.sh(f"curl -s https://{HOST}/auth/v1/sessions -H 'Authorization: Bearer {session['access_token']}'").out
    # The client's address, not the one that it claims.
    assert [each["ip"] for each in json.loads(sessions)["sessions"]] == ["127.0.0.1"]
    status = "curl -sL -o /dev/null -w '%{http_code}'"
    for path in ("account", "console", "auth/v1/admin/users"):
        # The admin API is reached from the network of the file, which has the address of this machine alone.
        reached = host.sh(f"{status} -H 'Authorization: Bearer {host.secret_key}' https://{HOST}/{path}").out
        refused = host.sh(f"{status} --interface 127.0.0.2 https://{HOST}/{path}").out
        assert (reached, refused) == ("200", "200" if path == "account" else "403"), path
    for path in ("auth/v1/invite", "auth/v1//admin/users", "auth/v1/%61dmin/users"):
        assert host.sh(f"{status} --interface 127.0.0.2 https://{HOST}/{path}").out in ("403", "404"), path


def back_up(page, host):
    line = page.block("text", "17 3 * * *")
    user, command = re.fullmatch(r"17 3 \* \* \* (\w+) (.*)\n", line).groups()
    assert user == "gatehouse"
    host.sh(command)
    copy = host.path("/var/lib/gatehouse/backup.sqlite")
    assert mode(copy) == 0o600
    with contextlib.closing(sqlite3.connect(copy)) as database:
        assert database.execute("SELECT count(*) FROM users").fetchone() == (1,)


def with_docker(page, host):
    """Docker itself is not run: the options are settings that the program accepts."""
    host.sh(page.block("sh", "docker build"))
    build, run = host.calls()
    assert build == "docker build -f Deploy/Dockerfile -t gatehouse ."
    assert mode(f"{host.folder}/gatehouse.secrets") == 0o600
    check_settings(re.findall(r"-e (\S+)=(\S+(?: \d+)?)", run))


def at_fly(page, host):
    host.sh(page.block("sh", "fly launch"))
    launch, secrets, deploy = host.calls()
    for call in (launch, secrets, deploy):
        assert "--config Deploy/fly.toml" in call
    assert "GATEHOUSE_DATABASE=postgres://…" in secrets
    secret = re.search(r"GATEHOUSE_SECRETS=(\S+)", secrets)[1]
    check_settings({"GATEHOUSE_SECRETS": secret, **tomllib.loads((ROOT / "Deploy" / "fly.toml").read_text())["env"]})


def check_settings(settings):
    more = {"GATEHOUSE_MAILER_AUTOCONFIRM": "true", "GATEHOUSE_DATABASE": "x.sqlite"}
    checked = run("check-config", environment=more | dict(settings))
    assert checked.returncode == 0, checked.stderr


# Operations.


@needs("openssl")
def test_the_commands_of_operations(host, servers):
    host.fake("install", then='shift 6 && cp "$1" "$2"')
    with Page("operations.md") as page:
        server = servers.serve()
        host.environment |= server.environment
        lay_out(host)
        host.sh(page.span("gatehouse upgrade-check"), code=7)
        host.sh(page.span("gatehouse migrate"))
        assert "has every schema change" in host.sh(page.span("gatehouse upgrade-check")).err
        manage_accounts(page, host)
        server.start()
        queue_and_sessions(page, host, server)
        restore(page, host, server)


def manage_accounts(page, host):
    create, listed, sign_out, delete = commands(page.block("sh", "gatehouse users create"))
    with host.terminal(create) as terminal:
        terminal.answer("Password: ", PASSWORD).answer("Again: ", PASSWORD)
        assert terminal.end() == 0, terminal.seen
    assert "ada@example.com" in host.sh(listed).out
    host.sh(sign_out)
    assert "--yes" in host.sh(delete, code=1).err
    with host.terminal(delete) as terminal:
        terminal.answer("?", "y")
        assert terminal.end() == 0, terminal.seen
    assert "ada@example.com" not in host.sh(listed).out


def queue_and_sessions(page, host, server):
    token = server.auth().sign_up("ada@example.com")["access_token"]
    assert server.auth(token=token).post("/logout").status == 204
    assert "signed_out_everywhere" in host.sh(page.span("gatehouse why ada@example.com")).out
    assert host.sh(page.span("gatehouse mail list")).out.split()[:4] == ["ID", "KIND", "CREATED", "STATE"]
    assert "retried" in host.sh(page.span("gatehouse mail retry --all")).out
    assert "outbox: empty" in host.sh(page.span("gatehouse doctor")).out


def restore(page, host, server):
    """The backup is of a time when Ada had a session."""
    token = server.auth().sign_in("ada@example.com").json()["access_token"]
    host.moved |= {"FILE": server.database_path, "COPY": "BACKUP", "BACKUP": "backup.sqlite"}
    host.sh(page.span("sqlite3 FILE"))
    assert server.auth(token=token).get("/user").status == 200
    server.end_now()
    host.sh(page.span("rm -f FILE-wal"))
    host.sh(page.span("install -o gatehouse -g gatehouse -m 600"))
    assert host.calls()[-1].startswith("install -o gatehouse -g gatehouse -m 600 backup.sqlite")
    assert host.sh(page.span("gatehouse users sign-out --all")).out == "1 sessions revoked\n"
    server.start()
    assert server.auth(token=token).get("/user").code == "session_not_found"
    assert server.auth().sign_in("ada@example.com").status == 200


# PostgreSQL.


@pytest.fixture(scope="module")
def cluster():
    """Its own, because roles belong to a whole server. The superuser has two names."""
    cluster = postgres.Cluster()
    postgres.Database(cluster, "postgres").run("CREATE ROLE postgres LOGIN SUPERUSER")
    yield cluster
    cluster.stop()


@pytest.fixture
def at_database(host, cluster):
    """A shell of the superuser, for which the cluster is `db.example.org`."""
    host.environment |= {"PGHOST": cluster.folder, "PGUSER": "postgres"}
    host.moved["db.example.org"] = urllib.parse.quote(cluster.folder, safe="")
    return host


@postgres.needs_server
@needs("openssl")
def test_the_setup_of_postgresql(at_database, servers, cluster):
    shell, server = at_database, servers.serve()
    psql = "psql -X -q -v ON_ERROR_STOP=1"
    with Page("postgresql.md") as page:
        shell.sh(page.span("createdb"))
        shell.sh(f"{psql} -f {ROOT}/Deploy/postgresql/roles.sql gatehouse")
        lay_out(shell)
        with shell.path("/etc/gatehouse/gatehouse.yaml").open("a") as file:
            file.write(f"external_url: {server.auth_url}\n")
        shell.sh(page.block("sh", "GATEHOUSE_DATABASE="))
        for _ in range(2):
            shell.sh(f"{psql} -U gatehouse_migrator -f {ROOT}/Deploy/postgresql/grants.sql gatehouse")
        setting, url = shell.move(page.span("GATEHOUSE_DATABASE=postgres://gatehouse_service")).split("=", 1)
        server.environment[setting] = url
        server.start()
        users = [server.auth().sign_up(f"{name}@example.com", data={"first_name": name})["user"]["id"] for name in ("ada", "eve")]
        sql = page.block("sql", "SET LOCAL ROLE gatehouse_holder;")
        example = re.search(r'"sub":"([^"]+)"', sql)[1]
        shell.environment["SQL"] = "BEGIN;" + sql.replace(example, users[0])
        shell.sh(f"{psql} gatehouse -c 'CREATE ROLE crm LOGIN; GRANT gatehouse_holder TO crm'")
        assert shell.sh(f'{psql} -A -t -U crm gatehouse -c "$SQL"').out.splitlines()[-1] == "ada"
        granted = page.span("GRANT DELETE ON audit_log")
        delete = f"{psql} -U gatehouse_service gatehouse -c 'DELETE FROM audit_log'"
        shell.sh(delete, code=1)
        shell.sh(f"{psql} -U gatehouse_migrator gatehouse -c '{granted}'")
        shell.sh(delete)


# Migration. The source is the database `postgres`, as at Supabase.


@postgres.needs_server
@needs("openssl")
def test_a_migration_from_supabase_and_back(at_database, servers, cluster, tmp_path):
    shell, server = at_database, servers.serve()
    source = Source(postgres.Database(cluster, "postgres"))
    source.run("ALTER TABLE public.profiles DROP COLUMN data, ADD COLUMN website text")
    ada, bob = (source.person(f"{name}@example.com", metadata={"first_name": name}) for name in ("ada", "bob"))
    source.insert("public.profiles", {"id": ada, "first_name": "Ada", "username": "ada1"})
    source.session(ada, ["aaaaaaaaaaa1"])
    shell.environment |= {**server.environment, "OLD_DATABASE": source.url}
    with Page("migrating.md") as page:
        between_servers(page, shell, servers)
        source.run(page.block("sql", "ALTER TABLE public.profiles"))
        shell.sh(page.span("gatehouse migrate"))
        rehearse(page, shell)
        by_dump(page, shell, servers, source)
        cut_over(page, shell, source, server.start(), ada, bob)
        go_back(page, shell, source, server, ada)


def between_servers(page, shell, servers):
    first, second = servers.serve(), servers.serve()
    for each in (first, second):
        assert each.command("migrate").returncode == 0
    first.command("users", "create", "--email", "eve@example.com", "--confirm")
    given = dict(shell.environment)
    for server, line in zip((first, second), commands(page.block("sh", "gatehouse users export"))):
        shell.environment |= server.environment
        shell.sh(line)
    assert mode(f"{shell.folder}/accounts.jsonl") == 0o600
    assert "eve@example.com" in second.command("users", "list").stdout
    shell.environment = given


def rehearse(page, shell):
    rehearsal = shell.sh(page.block("sh", "export PGPASSWORD=…"))
    assert "2 accounts would come" in rehearsal.out and "1 sessions would come" in rehearsal.out
    assert pathlib.Path(shell.folder, "rehearsal.tsv").exists()
    done = shell.sh(page.block("sh", "gatehouse import supabase"))
    assert "2 accounts came" in done.out
    assert pathlib.Path(shell.folder, "left-out.tsv").exists()


def by_dump(page, shell, servers, source):
    shell.moved["postgres://…"] = source.url
    shell.sh(page.block("sh", "pg_dump"))
    target = servers.serve()
    target.command("migrate")
    done = target.command("import", "supabase", "--dump", f"{shell.folder}/auth.sql")
    assert done.returncode == 0 and "2 accounts came" in done.stdout and "1 sessions came" in done.stdout, done


def cut_over(page, shell, source, server, ada, bob):
    source.run(f"DELETE FROM auth.users WHERE id = '{bob}'")
    assert shell.sh(page.block("sh", "psql --no-align")).out.strip() == bob
    shell.sh(f"gatehouse users delete {bob} --yes")
    profile = server.gateway().get("/v1/auth/me", token=server.auth().refresh("aaaaaaaaaaa1").json()["access_token"])
    assert profile.json()["profile"]["data"] == {"username": "ada1"}


def go_back(page, shell, source, server, ada):
    server.auth().sign_up("eve@example.com")
    export, restore = commands(page.block("sh", "gatehouse export supabase"))
    shell.sh(export)
    assert mode(f"{shell.folder}/accounts.sql") == 0o600
    shell.sh(restore)
    assert source.run("SELECT email FROM auth.users ORDER BY email").split() == ["ada@example.com", "eve@example.com"]
