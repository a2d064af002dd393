"""PostgreSQL outages under traffic: it crashes, or the network between it and a node is cut.

Acknowledged changes survive, no user is signed out, nodes recover by themselves, and callers get a timely error with a
request to retry (Docs/postgresql.md).
"""

import threading
import time

import postgres
import pytest
from program import PATIENCE_SECONDS, Client, poll
from test_nodes import two_nodes
from traffic import HANGS, Balancer, Traffic

pytestmark = postgres.needs_server

# These responses allow a retry. 504: the request exceeded its time limit.
SAYS_AGAIN = {
    (503, "service_unavailable"), (503, "outcome_unknown"), (504, "request_timeout"),
    (503, "UNAVAILABLE"), (503, "OUTCOME_UNKNOWN"), (504, "TIMEOUT"),
}  # fmt: skip


def check_troubles(traffic):
    for trouble in traffic.troubles:
        assert (trouble.status, trouble.code) in SAYS_AGAIN, trouble


def usual_nodes(servers, database, urls=None):
    """With the usual time for a request, in which callers get an error."""
    return two_nodes(servers, database, urls, GATEHOUSE_API_MAX_REQUEST_DURATION="10s")


def pause(seconds):
    """Traffic continues; there is no event to poll for."""
    time.sleep(seconds)


def tell_rates(traffic, name, before, returned):
    """Acknowledged per second: in the second before the outage, and in each after its end. For display."""
    usual = traffic.count(before - 2, before) / 2
    after = [traffic.count(returned + number, returned + number + 1) for number in range(3)]
    slowest = max((trouble.ended - trouble.started for trouble in traffic.troubles), default=0)
    print(
        f"{name}: {usual:.0f} per second before, {after} in the seconds after; "
        f"{len(traffic.troubles)} asked again, the slowest of them answered after {slowest:.1f} s"
    )


def is_ready(node):
    return Client(node.url).get("/ready").status == 200


@pytest.mark.xdist_group("outage read-only")
def test_a_server_that_takes_no_changes_is_not_ready(servers):
    cluster = postgres.Cluster()
    try:
        database = cluster.database()
        server = servers.serve(GATEHOUSE_DATABASE=database.url).start()
        assert is_ready(server)
        for setting in ("on", "off"):
            database.run(f"ALTER SYSTEM SET default_transaction_read_only = {setting}")
            database.run("SELECT pg_reload_conf()")
            poll(lambda: is_ready(server) == (setting == "off"), "the state of the server")  # noqa: B023
            answer = Client(server.url).get("/ready")
            assert answer.json()["status"] == ("database read-only" if setting == "on" else "ready")
    finally:
        cluster.stop()


@pytest.mark.xdist_group("outage crash")
def test_a_crash_of_the_server_loses_nothing_and_signs_nobody_out(servers):
    cluster = postgres.Cluster(*postgres.DURABLE)
    try:
        database = cluster.database()
        nodes = usual_nodes(servers, database)
        processes = [node.process.pid for node in nodes]
        with Traffic(Balancer(*nodes).client) as traffic:
            for number in range(2):
                traffic.go_on(5)
                pause(2)
                before = time.monotonic()
                cluster.crash()
                pause(2 * number)
                for node in nodes:
                    # A database outage is no reason to restart the process.
                    assert Client(node.url).get("/health").status == 200
                cluster.come_back()
                returned = time.monotonic()
                traffic.go_on(5)
                pause(3 - min(3, time.monotonic() - returned))
                tell_rates(traffic, f"crash, {2 * number} s away", before, returned)
        check_troubles(traffic)
        traffic.look_up(database)
        assert [node.process.pid for node in nodes] == processes
        assert all(node.process.poll() is None for node in nodes)
    finally:
        cluster.stop()


@pytest.fixture
def wire():
    if reason := postgres.why_no_network():
        pytest.skip(reason)
    wire = postgres.Wire()
    yield wire
    wire.stop()


class Probe(threading.Thread):
    """Asks a node for its health and readiness all the time, as a balancer and a supervisor do."""

    def __init__(self, node):
        super().__init__()
        self.node, self.ending = node, threading.Event()
        self.unhealthy, self.unready, self.slowest = 0, 0, 0

    def run(self):
        client = Client(self.node.url)
        while not self.ending.wait(0.1):
            self.unhealthy += client.get("/health").status != 200
            start = time.monotonic()
            self.unready += client.get("/ready").status == 503
            self.slowest = max(self.slowest, time.monotonic() - start)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ending.set()
        self.join(PATIENCE_SECONDS)


class Crowd:
    """Many concurrent sign-outs of other devices: more than there are connections to the database."""

    def __init__(self, node, count=100):
        self.node, self.token = node, node.auth().sign_up("crowd@example.com")["access_token"]
        self.answers = []
        self.threads = [threading.Thread(target=self._ask) for _ in range(count)]

    def _ask(self):
        client = self.node.auth(timeout=HANGS)
        try:
            answer = client.post("/logout?scope=others", token=self.token)
            self.answers.append((answer.status, answer.code if answer.body else None))
        except OSError as problem:
            self.answers.append((0, str(problem)))
        finally:
            client.close()

    def start(self):
        for thread in self.threads:
            thread.start()

    def check(self):
        """Each gets a timely response and does not wait behind others."""
        for thread in self.threads:
            thread.join()
        wrong = {answer for answer in self.answers if answer not in SAYS_AGAIN and answer[0] != 204}
        assert not wrong and len(self.answers) == len(self.threads), wrong


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=pytest.mark.xdist_group(f"outage {kind}")) for kind in ("silence", "unplugged")],
)
def test_a_network_that_is_cut_for_ten_seconds(kind, wire, servers):
    """One node is behind the wire, another beside the server. `silence`: packets are lost silently."""
    database = wire.cluster.database()
    far, near = usual_nodes(servers, database, [wire.url(database), database.url])
    processes, crowd = [far.process.pid, near.process.pid], Crowd(far)
    cut, mend = (wire.swallow, wire.carry) if kind == "silence" else (wire.unplug, wire.plug_in)
    # Some have only the far node: they wait for the wire. The others go to the near one.
    with (
        Traffic(Balancer(far).client, "far") as lonely,
        Traffic(Balancer(far, near).client, "both") as traffic,
        Probe(far) as probed,
    ):
        lonely.go_on(5)
        traffic.go_on(5)
        pause(2)
        before = time.monotonic()
        cut()
        try:
            poll(lambda: not is_ready(far), "the far node says that it is not ready")
            if kind == "silence":
                crowd.start()
            near.auth().sign_up("meanwhile@example.com")
            poll(lambda: is_ready(near), "the near node is ready all the while")
            pause(10 - min(10, time.monotonic() - before))
            if kind == "silence":
                crowd.check()
        finally:
            mend()
        returned = time.monotonic()
        poll(lambda: is_ready(far), "the far node is ready again")
        lonely.go_on(5)
        traffic.go_on(5)
        pause(3 - min(3, time.monotonic() - returned))
        tell_rates(lonely, f"{kind}, one node", before, returned)
        tell_rates(traffic, f"{kind}, two nodes", before, returned)
    print(f"/ready of the far node said no {probed.unready} times, at the slowest after {probed.slowest:.1f} s")
    for each in (lonely, traffic):
        check_troubles(each)
        each.look_up(database)
    assert probed.unready > 0 and probed.unhealthy == 0
    assert [far.process.pid, near.process.pid] == processes
    assert far.process.poll() is None and near.process.poll() is None
