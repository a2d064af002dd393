"""Starts the program under test, talks to it over HTTP, and ends it. Standard library only."""

import base64
import contextlib
import fcntl
import http.client
import http.server
import json
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BINARY = os.environ.get("GATEHOUSE_BINARY") or os.path.join(REPOSITORY, ".build", "debug", "gatehouse")
# Only stops a test that hangs: ten times the longest wait on a quiet machine.
PATIENCE_SECONDS = 300

JWT_SECRET = "a shared secret for tests alone, 40 bytes"
SECRET_KEY = "sb_secret_tests_only_0123456789abcdefghij"
PUBLISHABLE_KEY = "sb_publishable_tests_only_0123456789abcd"
PASSWORD = "correct horse 42 battery"
# The catalogue of the sports app, whose screens `gatehouse dev` shows.
TEAMS = os.path.join(REPOSITORY, "Apps", "BoxScore", "teams.json")


# Every feature of passkeys and their domain, and WebAuthn factors.
PASSKEYS = {
    "GOTRUE_PASSKEY_ENABLED": "true",
    "GATEHOUSE_PASSKEY_SIGNUP_ENABLED": "true",
    "GOTRUE_MFA_WEB_AUTHN_ENROLL_ENABLED": "true",
    "GOTRUE_MFA_WEB_AUTHN_VERIFY_ENABLED": "true",
    "GOTRUE_WEBAUTHN_RP_ID": "example.org",
    "GOTRUE_WEBAUTHN_RP_ORIGINS": "https://app.example.org",
    "GATEHOUSE_APPLE_APP_IDS": "A1B2C3D4E5.org.example.app",
    "GATEHOUSE_ANDROID_APPS": "org.example.app=" + ":".join(["AB"] * 32),
}


class NotStarted(Exception):
    pass


# Open files, one for each port that this process uses. Their locks end with the process.
_ports = []


def free_port():
    """A port for this process alone, also while its server is stopped. Outside the ephemeral range: other test processes
    open many connections, and one could take the port first."""
    folder = os.path.join(tempfile.gettempdir(), f"gatehouse-test-ports-{os.getuid()}")
    os.makedirs(folder, exist_ok=True)
    while True:
        port = random.randrange(10_000, 32_000)
        mark = open(os.path.join(folder, str(port)), "w")
        with socket.socket() as listener, contextlib.suppress(OSError):
            fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
            listener.bind(("127.0.0.1", port))
            _ports.append(mark)
            return port
        mark.close()


class LoopbackServer(http.server.ThreadingHTTPServer):
    """Serves a test's own pages on a free port, until `stop`."""

    daemon_threads = True

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05})
        self.thread.start()

    def handle_error(self, request, client_address):
        """A browser that closes a connection early is no fault; the standard library prints a stack trace for it."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    def stop(self):
        self.shutdown()
        self.thread.join()
        self.server_close()


def plain_environment():
    """Ours, without anything that would configure the program."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("GOTRUE_", "GATEHOUSE_", "OTEL_", "API_EXTERNAL_URL", "SITE_URL", "DATABASE_URL"))
    }


def run(*arguments, environment=None, stdin=None, timeout=PATIENCE_SECONDS):
    """Runs one command of the program to its end."""
    return subprocess.run(
        [BINARY, *arguments],
        env={**plain_environment(), **(environment or {})},
        input=stdin,
        capture_output=True,
        text=True,
        timeout=timeout,
    )


def at_once(*actions):
    """Starts them together, each in a thread. Their results, in order."""
    barrier, results = threading.Barrier(len(actions)), [None] * len(actions)

    def act(index):
        barrier.wait(PATIENCE_SECONDS)
        results[index] = actions[index]()

    threads = [threading.Thread(target=act, args=(index,)) for index in range(len(actions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert None not in results, "a client failed"
    return results


def poll(condition, what):
    """The first true value of `condition`; fails when none comes."""
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        if value := condition():
            return value
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {PATIENCE_SECONDS} s")
        time.sleep(0.005)


def serve_settings(folder, port, metrics_port, **more):
    """The environment of `gatehouse serve` for a single server without limits."""
    url = f"http://127.0.0.1:{port}"
    return {
        "API_EXTERNAL_URL": url + "/auth/v1",
        "GATEHOUSE_DATABASE": os.path.join(folder, "gatehouse.sqlite"),
        "GATEHOUSE_SECRETS": "1:" + base64.b64encode(bytes(range(32))).decode(),
        "GATEHOUSE_LISTEN": f"127.0.0.1:{port}",
        "GATEHOUSE_METRICS_LISTEN": f"127.0.0.1:{metrics_port}",
        "GATEHOUSE_LIMITS": "off",
        "GATEHOUSE_PASSWORD_ANSWER_TIME": "0",
        "GATEHOUSE_SECRET_KEYS": SECRET_KEY,
        "GATEHOUSE_PUBLISHABLE_KEYS": PUBLISHABLE_KEY,
        "GATEHOUSE_TEAM_CATALOGUE": TEAMS,
        "GOTRUE_SITE_URL": "http://127.0.0.1:3000",
        "GOTRUE_JWT_AUD": "authenticated",
        "GOTRUE_JWT_DEFAULT_GROUP_NAME": "authenticated",
        "GOTRUE_MAILER_AUTOCONFIRM": "true",
        "GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED": "true",
        "GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL": "10",
        # A busy machine can keep a request waiting for longer than the usual ten seconds.
        "GATEHOUSE_API_MAX_REQUEST_DURATION": "60s",
        **{name: str(value) for name, value in more.items()},
    }


class Server:
    """One running program. `start` and `stop` may be called again and again: the data stays."""

    def __init__(self, arguments, environment, folder, port, auth_path="/auth/v1"):
        self.arguments, self.environment, self.folder, self.port = arguments, environment, str(folder), port
        self.url = f"http://127.0.0.1:{port}"
        self.auth_url = self.url + ("" if auth_path == "/" else auth_path)
        self.gateway_url = self.metrics_url = self.url
        self.process, self.binary = None, BINARY
        # As many it may have open; None: as many as this process.
        self.open_files = None
        self.keys = {}
        self.out_path = os.path.join(self.folder, "stdout")
        self.log_path = os.path.join(self.folder, "stderr")

    @classmethod
    def serve(cls, folder, *options, auth_path="/auth/v1", port=None, **settings):
        port = port or free_port()
        metrics_port = free_port()
        environment = serve_settings(str(folder), port, metrics_port, **settings)
        if auth_path == "/":
            environment |= {"GATEHOUSE_AUTH_PATHS": "/", "API_EXTERNAL_URL": f"http://127.0.0.1:{port}"}
        server = cls(["serve", *options], environment, folder, port, auth_path)
        server.metrics_url = f"http://127.0.0.1:{metrics_port}"
        server.keys = {"secret_key": SECRET_KEY, "publishable_key": PUBLISHABLE_KEY}
        return server

    @classmethod
    def dev(cls, folder, *options, port=None):
        port = port or free_port()
        data = os.path.join(str(folder), "data")
        arguments = ["dev", "--port", str(port), "--data", data, "--json", "--team-catalogue", TEAMS, *options]
        return cls(arguments, {}, folder, port)

    @property
    def database_path(self):
        """The SQLite file; `dev` chooses its name itself."""
        if "GATEHOUSE_DATABASE" in self.environment:
            return self.environment["GATEHOUSE_DATABASE"]
        data = os.path.join(self.folder, "data")
        for name in sorted(os.listdir(data)):
            path = os.path.join(data, name)
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    if file.read(15) == b"SQLite format 3":
                        return path
        raise FileNotFoundError(f"no SQLite file in {data}")

    def launch(self):
        """Starts the process and does not wait for it."""
        with open(self.out_path, "wb") as out, open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [self.binary, *self.arguments],
                env={**plain_environment(), **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=log,
                preexec_fn=self.open_files and self._limit_files,
            )
        return self

    def _limit_files(self):
        resource.setrlimit(resource.RLIMIT_NOFILE, (self.open_files, self.open_files))

    def start(self):
        self.launch()
        try:
            poll(self._is_ready, "the server's start")
        except (TimeoutError, NotStarted) as problem:
            self.end_now()
            raise NotStarted(f"{' '.join(self.arguments)}: {problem}\n{self.log()}") from None
        return self

    def _is_ready(self):
        if self.process.poll() is not None:
            raise NotStarted(f"ended with {self.process.returncode}")
        if self.arguments[0] == "dev":
            line = self.printed().partition("\n")
            if line[1]:
                self.keys = json.loads(line[0])
                self.url = self.metrics_url = self.keys["url"]
                self.auth_url, self.gateway_url = (
                    self.keys["auth_url"].rstrip("/"),
                    self.keys["gateway_url"].rstrip("/"),
                )
            return bool(line[1])
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
            connection.request("GET", "/ready")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def stop(self):
        """SIGTERM; the program finishes running requests and exits with 0."""
        if self.process is None:
            return
        process, self.process = self.process, None
        process.send_signal(signal.SIGTERM)
        try:
            code = process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"still running {PATIENCE_SECONDS} s after SIGTERM\n{self.log()}") from None
        assert code == 0, f"ended with {code} after SIGTERM\n{self.log()}"

    def end_now(self):
        """SIGKILL: like a power cut."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def printed(self):
        with open(self.out_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def auth(self, **options):
        return Client(self.auth_url, **options)

    def admin(self):
        """A client with the secret key."""
        return Client(
            self.auth_url,
            headers={"apikey": self.keys["secret_key"], "Authorization": "Bearer " + self.keys["secret_key"]},
        )

    def gateway(self, **options):
        return Client(self.gateway_url, **options)

    def metrics(self):
        return Client(self.metrics_url).get("/metrics")

    def command(self, *arguments, stdin=None):
        """Another command of the program, on the same settings."""
        data = ["--data", os.path.join(self.folder, "data")] if self.arguments[0] == "dev" else []
        return run(*arguments, *data, environment=self.environment, stdin=stdin)


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        """The stable error code, of either API and error format."""
        body = self.json()
        if "error_code" in body:
            return body["error_code"]
        return body["code"] if isinstance(body.get("code"), str) else body.get("error")

    def __repr__(self):
        return f"<{self.status} {self.body[:300]!r}>"


class Client:
    """One keep-alive connection, reopened if the server closed it between two requests."""

    # Gets method, path and answer of every request.
    observe = staticmethod(lambda method, path, answer: None)

    def __init__(self, base_url, headers=None, token=None, timeout=PATIENCE_SECONDS):
        url = urllib.parse.urlsplit(base_url)
        self.address, self.path, self.timeout = (url.hostname, url.port), url.path.rstrip("/"), timeout
        self.headers = {"X-Supabase-Api-Version": "2024-01-01", **(headers or {})}
        if token:
            self.headers["Authorization"] = "Bearer " + token
        self.connection = None

    def request(self, method, path, body=None, headers=None, token=None, content_type="application/json"):
        """`body`: bytes as they are, anything else as JSON."""
        fields = {**self.headers, **(headers or {})}
        if token:
            fields["Authorization"] = "Bearer " + token
        if body is not None:
            fields.setdefault("Content-Type", content_type)
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
        is_reused = self.connection is not None
        try:
            return self._exchange(method, path, body, fields)
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
            self.close()
            if not is_reused:
                raise
            return self._exchange(method, path, body, fields)
        except BaseException:
            self.close()
            raise

    def _exchange(self, method, path, body, fields):
        if self.connection is None:
            self.connection = http.client.HTTPConnection(*self.address, timeout=self.timeout)
        self.connection.request(method, self.path + path, body, fields)
        response = self.connection.getresponse()
        answer = Answer(
            response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
        )
        if response.will_close:
            self.close()
        self.observe(method, self.path + path, answer)
        return answer

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def post(self, path, body=None, **options):
        return self.request("POST", path, body, **options)

    def put(self, path, body=None, **options):
        return self.request("PUT", path, body, **options)

    def patch(self, path, body=None, **options):
        return self.request("PATCH", path, body, **options)

    def delete(self, path, body=None, **options):
        return self.request("DELETE", path, body, **options)

    # Calls of nearly every test.

    def sign_up(self, email, password=PASSWORD, data=None):
        answer = self.post("/signup", {"email": email, "password": password, "data": data or {}})
        assert answer.status == 200, answer
        return answer.json()

    def sign_in(self, email, password=PASSWORD):
        return self.post("/token?grant_type=password", {"email": email, "password": password})

    def refresh(self, refresh_token):
        return self.post("/token?grant_type=refresh_token", {"refresh_token": refresh_token})

    def user(self, token):
        return self.get("/user", token=token)
