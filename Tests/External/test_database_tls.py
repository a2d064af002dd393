"""TLS to PostgreSQL, with the tests' own certificates: the trusted servers, and the secrecy of the password."""

import os
import pwd
import shutil
import subprocess
import tempfile

import program
import pytest
from postgres import Cluster, needs_server

pytestmark = [needs_server, pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")]

ROLE = "tls_migrator"
SECRET = "hunter2-of-the-database"
REFUSED = "The database cannot be used"


def openssl(*arguments):
    done = subprocess.run(["openssl", *arguments], capture_output=True, text=True, timeout=program.PATIENCE_SECONDS)
    assert done.returncode == 0, done.stderr


class Authority:
    """Signs certificates, all of it in one folder."""

    def __init__(self, folder, name):
        self.folder, self.name = str(folder), name
        self.certificate = self.path("crt")
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                "-subj", f"/CN={name}", "-keyout", self.path("key"), "-out", self.certificate)  # fmt: skip

    def path(self, ending, name=None):
        return os.path.join(self.folder, f"{name or self.name}.{ending}")

    def sign(self, name, common_name, alternative=None):
        """The paths of a certificate and its key."""
        request, certificate, key = (self.path(ending, name) for ending in ("csr", "crt", "key"))
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={common_name}",
                "-keyout", key, "-out", request)  # fmt: skip
        more = self.path("ext", name)
        with open(more, "w") as file:
            file.write(f"subjectAltName={alternative}\n" if alternative else "")
        openssl("x509", "-req", "-days", "2", "-in", request, "-CA", self.certificate, "-CAkey", self.path("key"),
                "-CAcreateserial", "-extfile", more, "-out", certificate)  # fmt: skip
        return certificate, key


def user_of_the_server():
    """As `Scripts/test-cluster` chooses it."""
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return pwd.getpwnam("nobody")


def own_key(path):
    """The key belongs to the server's user, and only that user can read it: otherwise the server does not start."""
    os.chmod(path, 0o600)
    if os.geteuid() == 0:
        os.chown(path, user_of_the_server().pw_uid, user_of_the_server().pw_gid)
    return path


class TLSServer:
    """Listens on 127.0.0.1 as `localhost`; requires TLS there, with a password or a certificate."""

    def __init__(self):
        self.files = tempfile.mkdtemp(prefix="gh-tls-")
        os.chmod(self.files, 0o755)
        self.authority, self.stranger = Authority(self.files, "right"), Authority(self.files, "wrong")
        certificate, key = self.authority.sign("server", "localhost", "DNS:localhost")
        rules = os.path.join(self.files, "hba")
        with open(rules, "w") as file:
            file.write("local all all trust\n")
            file.write(f"hostssl all certified 127.0.0.1/32 cert\nhostssl all {ROLE} 127.0.0.1/32 scram-sha-256\n")
        for path in (certificate, self.authority.certificate, rules):
            os.chmod(path, 0o644)
        self.port = str(program.free_port())
        os.environ["PGPORT"] = self.port
        self.cluster = Cluster(
            "-c", "ssl=on", "-c", f"ssl_cert_file={certificate}", "-c", f"ssl_key_file={own_key(key)}",
            "-c", f"ssl_ca_file={self.authority.certificate}", "-c", f"hba_file={rules}",
            "-c", "listen_addresses=127.0.0.1", "-c", "log_statement=all",
        )  # fmt: skip
        self.database = self.cluster.database()
        self.database.run(f"CREATE ROLE {ROLE} LOGIN PASSWORD '{SECRET}'; CREATE ROLE certified LOGIN;")
        self.database.run(f"GRANT ALL ON SCHEMA public TO {ROLE}; GRANT {ROLE} TO certified")

    def stop(self):
        self.cluster.stop()
        del os.environ["PGPORT"]
        shutil.rmtree(self.files)

    def url(self, parameters, host="localhost", role=ROLE):
        password = f":{SECRET}" if role == ROLE else ""
        return f"postgres://{role}{password}@{host}:{self.port}/{self.database.name}?{parameters}"

    def roots(self, authority=None):
        return f"sslrootcert={(authority or self.authority).certificate}"


@pytest.fixture(scope="module")
def server():
    server = TLSServer()
    yield server
    server.stop()


def migrate(server, url):
    """Exit code and output of `gatehouse migrate`; never the password."""
    settings = program.serve_settings(server.files, program.free_port(), program.free_port(), GATEHOUSE_DATABASE=url)
    done = program.run("migrate", environment=settings)
    assert SECRET not in done.stdout + done.stderr
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("mode", "host"),
    [("prefer", "127.0.0.1"), ("require", "127.0.0.1"), ("verify-ca", "127.0.0.1"), ("verify-full", "localhost")],
)
def test_a_server_with_a_valid_certificate_is_accepted(server, mode, host):
    code, said = migrate(server, server.url(f"sslmode={mode}&{server.roots()}", host))
    assert code == 0, said


# Parameters of the URL, the server's name, and the reported reason. `{right}` and `{wrong}` name authorities.
UNTRUSTED = {
    "no TLS": ("sslmode=disable", "localhost", "no pg_hba.conf entry"),
    "another name": ("sslmode=verify-full&{right}", "127.0.0.1", "does not match host name"),
    "verify-full, another authority": ("sslmode=verify-full&{wrong}", "localhost", "certificate verify failed"),
    "verify-ca, another authority": ("sslmode=verify-ca&{wrong}", "localhost", "certificate verify failed"),
    # libpq's own rule: it verifies against a list of authorities if there is one.
    "require, another authority": ("sslmode=require&{wrong}", "localhost", "certificate verify failed"),
    "no list of authorities": ("sslmode=verify-full&sslrootcert=/nonexistent", "localhost", "does not exist"),
    # This address leads to this machine, but the certificate does not name it.
    "a machine elsewhere, no mode": ("{right}", "0.0.0.0", "does not match host name"),
}


@pytest.fixture(scope="module")
def refusals(server):
    """The output of `migrate` for each unusable URL. It retries for ten seconds, so all of them run at once."""
    names = {"right": server.roots(), "wrong": server.roots(server.stranger)}
    urls = {what: server.url(text.format(**names), host) for what, (text, host, _) in UNTRUSTED.items()}
    urls["wrong password"] = server.url(f"sslmode=require&{server.roots()}").replace(SECRET, SECRET[::-1])
    certificate, key = server.stranger.sign("stranger", "certified")
    own = f"sslmode=verify-full&{server.roots()}&sslcert={certificate}&sslkey={key}"
    urls["a stranger's certificate"] = server.url(own, role="certified")
    answers = program.at_once(*(lambda url=url: migrate(server, url) for url in urls.values()))
    return dict(zip(urls, answers, strict=True))


@pytest.mark.parametrize("what", UNTRUSTED)
def test_another_one_is_not(refusals, what):
    code, said = refusals[what]
    assert code != 0 and REFUSED in said and UNTRUSTED[what][2] in said, said


def test_the_password_is_bound_to_the_connection(server):
    url = server.url(f"sslmode=verify-full&channel_binding=require&{server.roots()}")
    assert migrate(server, url)[0] == 0


def test_a_wrong_password_is_refused_without_being_repeated(refusals):
    code, said = refusals["wrong password"]
    assert code != 0 and "password authentication failed" in said and SECRET[::-1] not in said, said


def test_a_client_certificate_replaces_the_password_and_a_strangers_does_not(server, refusals):
    certificate, key = server.authority.sign("certified", "certified")
    own = f"sslmode=verify-full&{server.roots()}&sslcert={certificate}&sslkey={key}"
    assert migrate(server, server.url(own, role="certified"))[0] == 0
    code, said = refusals["a stranger's certificate"]
    assert code != 0 and REFUSED in said, said


def test_a_node_serves_over_tls_without_revealing_the_password(server, tmp_path):
    url = server.url(f"sslmode=verify-full&{server.roots()}")
    node = program.Server.serve(tmp_path, GATEHOUSE_DATABASE=url, GATEHOUSE_LOG_LEVEL="debug").start()
    try:
        me = node.auth().post("/signup", {"email": "tls@example.com", "password": program.PASSWORD})
        assert me.status == 200
        encrypted = server.database.run(
            "SELECT count(*), bool_and(ssl), min(version) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
            "WHERE application_name = 'gatehouse'"
        )
        count, all_encrypted, version = encrypted.split("|")
        assert int(count) >= 2 and all_encrypted == "t" and version == "TLSv1.3"
        arguments = subprocess.run(
            ["ps", "-o", "args=", "-p", str(node.process.pid)], capture_output=True, text=True, check=True
        ).stdout
        assert "serve" in arguments and SECRET not in arguments
        metrics = node.metrics().body.decode()
        assert "gatehouse_database_connections_max 8\n" in metrics
        assert 'gatehouse_database_connections{state="used"}' in metrics
        assert "gatehouse_database_pending_requests 0\n" in metrics
        # The message about an unreachable server has no password either.
        server.cluster.crash()
        assert node.gateway().get("/ready").status == 503
        server.cluster.come_back()
        program.poll(lambda: node.gateway().get("/ready").status == 200, "the way back")
    finally:
        node.stop()
    assert SECRET not in node.log() + node.printed()
    with open(os.path.join(server.cluster.folder, "log")) as log:
        assert SECRET not in log.read().replace(f"PASSWORD '{SECRET}'", "")
