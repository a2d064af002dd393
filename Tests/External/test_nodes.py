"""Several nodes on one PostgreSQL: one is killed, all refresh one session, and they share their state."""

import asyncio
import base64
import json
import os
import shutil
import socket
import subprocess
import threading
import time
import types
import urllib.error
import urllib.request

import postgres
import program
import pyotp
import pytest
import signing_in
from browser import Browser
from openid_providers import StrictProvider
from program import PASSWORD, PATIENCE_SECONDS, at_once, free_port, poll
from traffic import AUTH, Balancer, Node, Traffic, raw

pytestmark = postgres.needs_server


def two_nodes(servers, database, urls=None, **settings):
    """Nodes behind one unused address. `urls`: the database's, for each node."""
    external = {"API_EXTERNAL_URL": f"http://127.0.0.1:{free_port()}/auth/v1"}
    nodes = [
        servers.serve(**{"GATEHOUSE_DATABASE": url, **external, **settings}).launch()
        for url in urls or [database.url] * 2
    ]
    for node in nodes:
        poll(node._is_ready, "a node's start")
    return nodes


class Nginx:
    """The real one, with Deploy/nginx.conf and other ports."""

    def __init__(self, folder, nodes):
        self.port, self.folder = free_port(), str(folder)
        with open(os.path.join(program.REPOSITORY, "Deploy", "nginx.conf"), encoding="utf-8") as file:
            text = file.read()
        for name, node in zip(("node-a:9999", "node-b:9999"), nodes):
            assert name in text
            text = text.replace(name, f"127.0.0.1:{node.port}")
        assert "listen 80;" in text
        text = text.replace("listen 80;", f"listen 127.0.0.1:{self.port};")
        assert "/var/log/nginx/access.log" in text
        text = text.replace("/var/log/nginx/access.log", f"{self.folder}/access.log")
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        folders = "\n".join(f"{kind}_temp_path {self.folder}/{kind};" for kind in kinds)
        path = os.path.join(self.folder, "nginx.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(
                f"daemon off; master_process off; pid {self.folder}/pid; error_log {self.folder}/log;\n"
                f"events {{}}\nhttp {{\n{folders}\n{text}}}\n"
            )
        self.process = subprocess.Popen(["nginx", "-p", self.folder, "-c", path], stderr=subprocess.DEVNULL)
        self.url = f"http://127.0.0.1:{self.port}"
        poll(self._listens, "nginx's start")

    def _listens(self):
        assert self.process.poll() is None, "nginx has ended"
        with socket.socket() as trial:
            return trial.connect_ex(("127.0.0.1", self.port)) == 0

    def client(self):
        return Node(self.url)

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE_SECONDS)


class Pair:
    """Two nodes with the same provider."""

    def __init__(self, servers, database):
        port = free_port()
        self.external = port
        self.provider = StrictProvider(signing_in.callback(port))
        self.database = database
        self.nodes = two_nodes(
            servers,
            database,
            API_EXTERNAL_URL=f"http://127.0.0.1:{port}/auth/v1",
            GATEHOUSE_OPENID_PROVIDERS=json.dumps([self.provider.settings("strict")]),
            GATEHOUSE_OUTGOING_LOOPBACK="true",
            GOTRUE_URI_ALLOW_LIST=signing_in.APP,
            GATEHOUSE_LIMITS="on",
            # Each test is a separate caller.
            GATEHOUSE_TRUSTED_PROXIES="127.0.0.0/8",
        )

    def key_ids(self):
        """The keys that each node publishes."""
        return [
            {key["kid"] for key in node.auth().get("/.well-known/jwks.json").json()["keys"]} for node in self.nodes
        ]

    def at(self, node, address):
        """The same callback, as the balancer would send it to that node."""
        return address.replace(f"127.0.0.1:{self.external}/", f"127.0.0.1:{node.port}/")


@pytest.fixture(scope="module")
def pair(session_servers, cluster):
    pair = Pair(session_servers, cluster.database())
    yield pair
    # Before the database: without it they would wait for it at their end.
    for node in pair.nodes:
        node.stop()
    pair.provider.stop()


class Rotation(threading.Thread):
    """A rotation from the command line. Nodes read their keys twice a minute, so it runs beside other tests."""

    def __init__(self, pair):
        super().__init__(daemon=True)
        self.pair, self.before, self.problem = pair, pair.key_ids(), None

    def run(self):
        try:
            rotated = self.pair.nodes[0].command("keys", "rotate")
            assert rotated.returncode == 0, rotated.stderr
            poll(self._is_known, "both nodes read the new key")
            # As if the time had passed after which nodes sign with it.
            self.pair.database.run("UPDATE signing_keys SET created_at = created_at - interval '5 minutes'")
        except Exception as problem:  # The test reports it.
            self.problem = problem

    def _is_known(self):
        time.sleep(0.2)
        return all(len(ids) == len(self.before[0]) + 1 for ids in self.pair.key_ids())


@pytest.fixture(scope="module")
def rotation(pair):
    rotation = Rotation(pair)
    rotation.start()
    yield rotation
    rotation.join(PATIENCE_SECONDS)


def caller(client, address):
    client.headers["X-Forwarded-For"] = address
    return client


def both(pair, address):
    return [caller(node.auth(), address) for node in pair.nodes]


def test_a_session_ended_on_one_node_is_over_on_the_other(pair, rotation, new_email):
    here, there = both(pair, "192.0.2.1")
    session = here.sign_up(new_email())
    token = session["access_token"]
    # Both have seen the token, and remember that it is genuine.
    assert here.user(token).status == there.user(token).status == 200
    assert here.post("/logout", token=token).status == 204
    gone = there.user(token)
    assert (gone.status, gone.code) == (403, "session_not_found")
    assert there.refresh(session["refresh_token"]).status == 400
    # The gateway on the same node knows immediately, the other one after its next poll.
    assert pair.nodes[0].gateway(token=token).get("/v1/auth/me").status == 401
    poll(lambda: pair.nodes[1].gateway(token=token).get("/v1/auth/me").status == 401, "the other node's look")


def test_an_account_deleted_on_one_node_is_gone_on_the_other(pair, new_email):
    here, there = both(pair, "192.0.2.2")
    email = new_email()
    session = here.sign_up(email)
    assert there.user(session["access_token"]).status == 200
    assert pair.nodes[0].gateway().delete("/v1/auth/me", token=session["access_token"]).status == 204
    assert there.user(session["access_token"]).status == 403
    assert there.sign_in(email).status == 400
    left = pair.nodes[1].gateway().get("/v1/auth/me", token=session["access_token"])
    assert left.status == 401 or left.json()["profile"] is None, left


@pytest.mark.parametrize("steps", [(0, 1, 0), (1, 0, 1), (0, 1, 1)], ids=lambda steps: "".join("AB"[s] for s in steps))
def test_a_browser_flow_may_meet_another_node_at_every_step(pair, steps, new_email):
    flow, answered = begun(pair, pair.nodes[steps[0]], new_email("flow"))
    page = flow.browser.open(pair.at(pair.nodes[steps[1]], answered))
    assert "code" in page.query, page
    flow.server = pair.nodes[steps[2]]
    answer = flow.exchange(page.query["code"])
    assert answer.status == 200, answer
    other = pair.nodes[1 - steps[2]]
    assert caller(other.auth(), "192.0.2.3").user(answer.json()["access_token"]).status == 200


def begun(pair, node, email):
    """A flow, and the address to which the provider redirects its browser after the sign-in."""
    pair.provider.people[email] = {"email": email, "email_verified": True}
    flow = signing_in.Flow(node, "strict", Browser(signing_in.APP))
    at_provider = flow.begin()
    flow.browser.app = signing_in.callback(pair.external)
    page = pair.provider.sign_in(flow.browser, flow.browser.open(at_provider), email)
    flow.browser.app = signing_in.APP
    assert page.url.startswith(signing_in.callback(pair.external)), page
    return flow, page.url


def test_a_question_of_one_node_is_answered_at_the_other(pair, new_email):
    """The link ticket: an address that is confirmed but not proven, and its owner's password."""
    email = new_email("owner")
    here, there = both(pair, "192.0.2.4")
    owner = here.sign_up(email)
    flow, answered = begun(pair, pair.nodes[0], email)
    page = flow.browser.open(pair.at(pair.nodes[1], answered))
    flow.server = pair.nodes[0]
    question = flow.exchange(page.query["code"])
    assert question.code == "identity_needs_confirmation", question
    linked = there.post(
        "/token?grant_type=link_confirmation",
        {"email": email, "password": PASSWORD, "link_ticket": question.json()["link_ticket"]},
    )
    assert linked.status == 200, linked
    assert linked.json()["user"]["id"] == owner["user"]["id"]
    names = {identity["provider"] for identity in here.user(linked.json()["access_token"]).json()["identities"]}
    assert names == {"email", "strict"}


def test_a_code_counts_once_although_both_nodes_have_it_at_once(pair, new_email):
    for _ in range(5):
        flow, answered = begun(pair, pair.nodes[0], new_email("once"))
        code = flow.browser.open(pair.at(pair.nodes[1], answered)).query["code"]
        body = {"auth_code": code, "code_verifier": flow.verifier}
        answers = at_once(
            *(lambda node=node: caller(node.auth(), "192.0.2.5").post("/token?grant_type=pkce", body) for node in
              pair.nodes * 2)
        )  # fmt: skip
        assert sum(answer.status == 200 for answer in answers) == 1, answers
        assert {answer.code for answer in answers if answer.status != 200} == {"flow_state_not_found"}, answers


def twin(browser):
    """The same browser in another window."""
    other = Browser(browser.app)
    other.client.cookies.update(browser.client.cookies)
    return other


def test_a_state_counts_once_although_both_nodes_have_it_at_once(pair, new_email):
    for _ in range(5):
        flow, answered = begun(pair, pair.nodes[0], new_email("state"))
        browsers = [twin(flow.browser) for _ in pair.nodes]
        targets = at_once(
            *(
                lambda node=node, browser=browser: browser.step(pair.at(node, answered))
                for node, browser in zip(pair.nodes, browsers)
            )
        )
        assert sum(target.startswith(signing_in.APP + "?code=") for target in targets) == 1, targets


def test_wrong_passwords_are_counted_on_all_nodes_together(pair, new_email):
    """Ten per hour and account (requirement D9), wherever they are tried."""
    email = new_email("guessed")
    caller(pair.nodes[0].auth(), "192.0.2.6").sign_up(email)
    statuses = []
    for number in range(11):
        client = caller(pair.nodes[number % 2].auth(), f"198.51.100.{number}")
        statuses.append(client.sign_in(email, "a wrong password").status)
    assert statuses == [400] * 10 + [429]
    for node in pair.nodes:
        refused = caller(node.auth(), "198.51.100.99").sign_in(email)
        assert refused.status == 429 and refused.headers["x-ratelimit-bucket"] == "failed_sign_ins_account"
        assert int(refused.headers["retry-after"]) > 0


def test_a_success_writes_no_count_and_one_after_a_failure_writes_one(pair, new_email):
    """Counted in the table: a right password costs the database one read."""
    email = new_email("counted")
    client = caller(pair.nodes[0].auth(), "192.0.2.77")
    client.sign_up(email)

    def rows():
        counts = "SELECT bucket, encode(digest, 'hex') FROM request_counts WHERE bucket LIKE 'failed%'"
        return set(pair.database.run(counts).splitlines())

    # Other tests' counts may expire and be removed during this one.
    before = rows()
    assert [client.sign_in(email).status for _ in range(5)] == [200] * 5
    assert rows() <= before
    assert client.sign_in(email, "a wrong password").status == 400
    assert len(rows() - before) == 5, "the pair, and the address and the account with their totals"
    assert client.sign_in(email).status == 200
    assert len(rows() - before) == 2, "the address and its total are not forgiven by a success"


def test_what_one_node_forgives_the_other_forgives(pair, new_email):
    email = new_email("forgiven")
    here, there = (caller(node.auth(), "192.0.2.88") for node in pair.nodes)
    here.sign_up(email)
    assert [here.sign_in(email, "a wrong password").status for _ in range(9)] == [400] * 9
    assert there.sign_in(email).status == 200
    assert here.sign_in(email, "a wrong password").status == 400
    assert here.sign_in(email).status == 200


def test_one_caller_guesses_no_more_on_two_nodes_than_on_one(pair, new_email):
    statuses = []
    for number in range(11):
        client = caller(pair.nodes[number % 2].auth(), "198.51.100.200")
        statuses.append(client.sign_in(f"nobody{number}@example.com", "a wrong password").status)
    assert statuses == [400] * 10 + [429]


def test_anonymous_accounts_are_counted_on_all_nodes_together(pair):
    statuses = []
    for number in range(31):
        client = caller(pair.nodes[number % 2].auth(), "198.51.100.201")
        statuses.append(client.post("/signup", {}).status)
    assert statuses == [200] * 30 + [429]


@pytest.mark.xdist_group("node killed")
@pytest.mark.parametrize("kind", ["by its rules", "itself"])
def test_a_node_is_killed_under_load(kind, servers, cluster, tmp_path):
    """No acknowledged change is lost, no user is signed out, and only the dead node's running requests are repeated."""
    if kind == "itself" and not shutil.which("nginx"):
        pytest.skip("nginx is not installed")
    database = cluster.database()
    nodes = two_nodes(servers, database)
    balancer = Nginx(tmp_path, nodes) if kind == "itself" else Balancer(*nodes)
    try:
        check_kills(balancer, nodes, database, notices_at_once=kind != "itself")
    finally:
        if kind == "itself":
            balancer.stop()


@pytest.mark.skipif(not shutil.which("nginx"), reason="nginx is not installed")
@pytest.mark.parametrize("most", [8_000, 65_000])
def test_nginx_passes_the_longest_access_token(servers, tmp_path, most):
    node = servers.serve(GATEHOUSE_ACCESS_TOKEN_MAX_BYTES=most).start()
    session = node.auth().sign_up("ada@example.com")
    data = {"x": "x" * (most * 3 // 4 - 2_300)}
    assert node.auth().put("/user", {"data": data}, token=session["access_token"]).status == 200
    token = node.auth().sign_in("ada@example.com").json()["access_token"]
    assert most - 2_200 < len(token) <= most
    proxy = Nginx(tmp_path, [node, node])
    try:
        shown = program.Client(proxy.url + "/auth/v1").get("/user", token=token)
        assert shown.status == 200 and len(shown.body) > most // 2, shown
    finally:
        proxy.stop()


@pytest.mark.skipif(not shutil.which("nginx"), reason="nginx is not installed")
def test_the_access_log_of_the_proxy_has_no_secret_of_a_link(tmp_path):
    nobody = types.SimpleNamespace(port=free_port())
    proxy = Nginx(tmp_path, [nobody, nobody])
    link = f"{proxy.url}/auth/v1/verify?token=a-secret"
    try:
        with pytest.raises(urllib.error.HTTPError, match="502"):
            urllib.request.urlopen(urllib.request.Request(link, headers={"Referer": link}), timeout=PATIENCE_SECONDS)
    finally:
        proxy.stop()
    log = (tmp_path / "access.log").read_text()
    assert "GET /auth/v1/verify HTTP/1.1" in log and "a-secret" not in log


def check_kills(balancer, nodes, database, notices_at_once):
    """`notices_at_once`: nginx may notice that a node is dead at any time before the node is back."""
    kills = []
    with Traffic(balancer.client) as traffic:
        for node in nodes:
            traffic.go_on(5)
            started = time.monotonic()
            node.end_now()
            dead = time.monotonic()
            traffic.go_on(5)
            node.start()
            kills.append((started, dead if notices_at_once else time.monotonic()))
            before = requests_of(node)
            traffic.go_on(2)
            poll(lambda node=node, before=before: requests_of(node) > before + 5, "the node that is back")
    acted = sum(len(person.done) for person in traffic.people)
    print(f"{acted} acknowledged, {len(traffic.troubles)} asked again after {len(kills)} kills")
    for trouble in traffic.troubles:
        # In flight: sent before the kill and not answered. nginx answers 502.
        assert trouble.status in (None, 502), trouble
        assert any(trouble.started <= noticed and trouble.ended >= killed for killed, noticed in kills), trouble
    traffic.look_up(database)


def requests_of(node):
    """How many of the users' requests it has answered successfully, by its own count."""
    metrics = node.metrics().body.decode()
    return sum(
        float(line.rsplit(" ", 1)[1])
        for line in metrics.splitlines()
        if line.startswith("gatehouse_http_requests_total") and 'status="200"' in line and "/auth/v1/" in line
    )


class Storm:
    """Concurrent refreshes on many connections, to all nodes. Bounded: a connection has one request at a time."""

    def __init__(self, nodes, connections):
        self.ports = [nodes[index % len(nodes)].port for index in range(connections)]

    def run(self, act, times):
        """Runs `act(ask)` repeatedly on each connection and returns the results."""
        return asyncio.run(asyncio.wait_for(self._run(act, times), 300))

    async def _run(self, act, times):
        results = await asyncio.gather(*(self._connection(port, act, times) for port in self.ports))
        return [result for some in results for result in some]

    async def _connection(self, port, act, times):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)

        async def ask(method, path, body=None, token=None):
            data = json.dumps(body).encode() if body is not None else b""
            bearer = f"Authorization: Bearer {token}\r\n" if token else ""
            head = (
                f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{bearer}X-Supabase-Api-Version: 2024-01-01\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
            )
            writer.write(head.encode() + data)
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            length = int(head.partition("content-length: ")[2].partition("\r\n")[0])
            return int(head[9:12]), json.loads(await reader.readexactly(length))

        try:
            return [await act(ask) for _ in range(times)]
        finally:
            writer.close()
            await writer.wait_closed()


REFRESH = AUTH + "/token?grant_type=refresh_token"


def refreshing(token):
    """Always with `token`."""

    async def act(ask):
        status, answer = await ask("POST", REFRESH, {"refresh_token": token})
        assert status == 200, answer
        return answer

    return act


def following(token):
    """Each with the newest token that anybody has."""
    newest = [token]

    async def act(ask):
        status, answer = await ask("POST", REFRESH, {"refresh_token": newest[0]})
        assert status == 200, answer
        newest[0] = answer["refresh_token"]
        return answer

    return act


@pytest.mark.xdist_group("ten thousand")
def test_ten_thousand_refreshes_of_one_session_at_once(servers, cluster):
    """On two nodes. No user is signed out, and at the end only the newest token refreshes (requirement D6)."""
    # Long, so that late callers do not look like thieves after a pause of the machine.
    settings = {"GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL": 600}
    database = cluster.database()
    nodes = two_nodes(servers, database, **settings)
    first = nodes[0].auth().sign_up("storm@example.com")
    storm = Storm(nodes, 100)

    answers = storm.run(refreshing(first["refresh_token"]), 80)
    (second,) = {answer["refresh_token"] for answer in answers}
    assert second != first["refresh_token"]
    answers += storm.run(following(second), 20)
    assert len(answers) == 10_000
    assert {answer["user"]["id"] for answer in answers} == {first["user"]["id"]}
    assert database.run("SELECT count(*) FROM sessions") == "1"
    check_access_tokens(storm, answers)
    # The database's count decides how far behind each token is.
    newest = max({answer["refresh_token"] for answer in answers}, key=counter)
    assert counter(newest) == int(database.run("SELECT refresh_token_counter FROM sessions"))

    # The same nodes, and no forgiveness any more.
    for node in nodes:
        node.stop()
        node.environment["GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL"] = "0"
        node.start()
    last = nodes[1].auth().refresh(newest)
    assert last.status == 200, last
    thief = nodes[0].auth().refresh(first["refresh_token"])
    assert (thief.status, thief.code) == (400, "refresh_token_already_used"), thief
    assert nodes[1].auth().refresh(last.json()["refresh_token"]).status == 400, "theft ends it on every node"


def check_access_tokens(storm, answers):
    """Each is valid, at any node."""
    tokens = list({answer["access_token"] for answer in answers})

    async def act(ask):
        if tokens:
            status, answer = await ask("GET", AUTH + "/user", token=tokens.pop())
            assert status == 200, answer

    storm.run(act, len(tokens) // len(storm.ports) + 1)
    assert not tokens


def counter(token):
    """An unsigned LEB128."""
    value = shift = 0
    for byte in raw(token)[18:]:
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value
        shift += 7
    raise AssertionError(f"no counter in {token}")


def test_of_right_codes_in_many_sessions_at_once_one_counts_without_a_deadlock(servers, cluster, new_email):
    """Each answer would end the other sessions: they wait for each other before they change any."""
    database = cluster.database()
    nodes = two_nodes(servers, database, GATEHOUSE_API_MAX_REQUEST_DURATION="120s")

    def answer(path, code, node, token):
        challenge = node.auth().post(path + "/challenge", token=token).json()["id"]
        body = {"challenge_id": challenge, "code": code}
        return lambda: node.auth().post(path + "/verify", body, token=token)

    def answers():
        here, email = nodes[0].auth(), new_email()
        token, apps = here.sign_up(email)["access_token"], []
        for name in ("phone", "tablet"):
            factor = here.post("/factors", {"factor_type": "totp", "friendly_name": name}, token=token).json()
            path, app = "/factors/" + factor["id"], pyotp.TOTP(factor["totp"]["secret"])
            token = answer(path, app.now(), nodes[0], token)().json()["access_token"]
            apps.append((path, app))
        tokens = [(node, node.auth().sign_in(email).json()["access_token"]) for node in nodes * 3]
        # The next step's code: the current one is used, and this one stays valid if a step ends before the request.
        later = time.time() + 30
        return [answer(path, app.at(later), *one) for one, (path, app) in zip(tokens, (apps[0], *apps * 2, apps[1]))]

    users = [answers() for _ in range(3)]
    found = [one.status for one in at_once(*[one for user in users for one in user])]
    assert [found[at : at + 6].count(200) for at in (0, 6, 12)] == [1, 1, 1], found
    for node in nodes:
        node.stop()
    left = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    poll(lambda: database.run(left) == "0", "the nodes' connections end")
    assert database.run("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()") == "0"


def test_a_rotated_key_reaches_running_nodes(pair, rotation, new_email):
    """Each node starts to sign with it, and verifies the others' tokens of both keys (requirement D14)."""
    rotation.join(PATIENCE_SECONDS)
    assert not rotation.is_alive() and rotation.problem is None, rotation.problem
    assert rotation.before[0] == rotation.before[1]
    (new,) = pair.key_ids()[0] - rotation.before[0]
    here, there = both(pair, "192.0.2.7")
    session = here.sign_up(new_email())
    tokens, end = [session["access_token"]], time.monotonic() + PATIENCE_SECONDS
    while key_id(tokens[-1]) != new:
        assert time.monotonic() < end, "nobody signs with the new key"
        time.sleep(0.5)
        answer = caller(here, f"203.0.113.{len(tokens) % 250}").refresh(session["refresh_token"])
        session = answer.json()
        tokens.append(session["access_token"])
    for client in (here, there):
        assert {client.user(token).status for token in (tokens[0], tokens[-1])} == {200}


def key_id(token):
    head = token.partition(".")[0]
    return json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))["kid"]
