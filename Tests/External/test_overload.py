"""The cost of many connections and long bodies: memory, file descriptors, processor time."""

import contextlib
import os
import resource
import socket
import time

import pytest

from program import PATIENCE_SECONDS, Client, poll

MEGABYTE = 1_048_576


@pytest.fixture
def server(servers):
    return servers.serve().start()


def resident_bytes(server):
    with open(f"/proc/{server.process.pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def open_files(server):
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def connect(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_SECONDS)


def is_open(connection):
    try:
        return connection.recv(1) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def value(metrics, name):
    for line in metrics.get("/metrics").body.decode().splitlines():
        if line.startswith(name + " "):
            return float(line.split()[1])
    return 0


def gauge(server, name):
    return value(Client(server.metrics_url), name)


pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")


def test_many_long_bodies_that_stall_are_refused_before_memory_grows(server):
    """A body of a megabyte without its last byte, 400 times: 400 MB if the server stored them all."""
    server.auth().get("/health")
    before = resident_bytes(server)
    head = b"POST /auth/v1/signup HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % MEGABYTE
    connections, refused, held = [connect(server) for _ in range(400)], 0, 0
    for connection in connections:
        # Refused before its end.
        with contextlib.suppress(OSError):
            connection.sendall(head + b" " * (MEGABYTE - 1))
    for connection in connections:
        connection.setblocking(False)
    poll(lambda: gauge(server, "gatehouse_request_body_bytes") > 24 * MEGABYTE, "the bodies")
    grown = resident_bytes(server) - before
    # Short requests are still served.
    assert server.auth().sign_in("nobody@example.org").status == 400
    for connection in connections:
        try:
            answer = connection.recv(4096)
            refused += answer.startswith(b"HTTP/1.1 503") and b"retry-after: 1\r\n" in answer.lower()
        except BlockingIOError:
            held += 1
        except OSError:
            pass
    assert grown < 200 * MEGABYTE, f"{grown / MEGABYTE:.0f} MB more"
    assert refused > 300 and held < 80, (refused, held)
    for connection in connections:
        connection.close()
    poll(lambda: gauge(server, "gatehouse_request_body_bytes") == 0, "the end of the bodies")
    poll(lambda: resident_bytes(server) - before < 60 * MEGABYTE, "the memory's return")


def test_one_address_cannot_take_all_connections(servers):
    server = servers.serve()
    server.open_files = 256
    server.start()
    idle = [connect(server) for _ in range(400)]
    # The limit of one address at 256 files.
    poll(lambda: gauge(server, "gatehouse_connections") == 80, "the connections")
    for connection in idle:
        connection.setblocking(False)
    poll(lambda: sum(map(is_open, idle)) == 80, "the refusals")
    poll(lambda: "connections refused: too many are open" in server.log(), "the line in the log")
    with socket.socket() as other:
        # A caller of another address.
        other.bind(("127.0.0.2", 0))
        other.connect(("127.0.0.1", server.port))
        other.sendall(b"GET /auth/v1/health HTTP/1.1\r\nHost: a\r\n\r\n")
        assert other.recv(4096).startswith(b"HTTP/1.1 200")
    for connection in idle:
        connection.close()
    poll(lambda: gauge(server, "gatehouse_connections") == 0, "the end of the connections")
    assert server.auth().get("/health").status == 200


def test_a_server_that_is_ready_needs_no_further_descriptors_for_timers(server):
    """Without a free descriptor, libdispatch ends the process when it uses the timer of a clock for the first time."""
    clocks = set()
    for number in os.listdir(f"/proc/{server.process.pid}/fdinfo"):
        with contextlib.suppress(FileNotFoundError), open(f"/proc/{server.process.pid}/fdinfo/{number}") as file:
            clocks.update(int(line.split()[1]) for line in file if line.startswith("clockid:"))
    assert clocks >= {time.CLOCK_REALTIME, time.CLOCK_MONOTONIC, time.CLOCK_BOOTTIME}


def test_a_server_short_of_file_descriptors_refuses_connections(server):
    """It keeps some for itself: libdispatch ends the process when it cannot open a file to count its threads."""
    server.auth().get("/health")
    metrics = Client(server.metrics_url)

    def refused():
        return value(metrics, 'gatehouse_connections_refused_total{reason="descriptors"}')

    refused()
    soft, hard = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (open_files(server) + 3, hard))
    for _ in range(200):
        connection = connect(server)
        assert not is_open(connection)
        connection.close()
    poll(lambda: refused() == 200, "the refusals")
    # One line in ten seconds, however long a busy machine takes.
    assert 1 <= server.log().count("connections refused: raise the limit of open files") < 40
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (soft, hard))
    assert server.auth().get("/health").status == 200
