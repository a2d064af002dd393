"""Many clients with one refresh token: only a thief is signed out (requirements D5, D6)."""

import threading
import time

import jwt
import pytest
from program import PATIENCE_SECONDS


@pytest.fixture(scope="module")
def quick(session_servers):
    """Reuse interval one second, so that the time after it can be seen."""
    return session_servers.serve(GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL=1).start()


@pytest.fixture
def session(quick, new_email):
    return quick.auth().sign_up(new_email())


def refresh_at_once(server, refresh_token, count):
    """The responses to `count` concurrent refreshes, each on an open connection."""
    barrier, answers = threading.Barrier(count), [None] * count

    def refresh(index):
        client = server.auth()
        client.get("/health")
        barrier.wait(PATIENCE_SECONDS)
        answers[index] = client.refresh(refresh_token)
        client.close()

    threads = [threading.Thread(target=refresh, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def after_the_interval():
    """The interval is real time; there is nothing to poll for."""
    time.sleep(1.2)


@pytest.mark.parametrize("count", [2, 50])
def test_parallel_refreshes_all_succeed_and_converge(quick, session, count):
    answers = refresh_at_once(quick, session["refresh_token"], count)
    assert [answer.status for answer in answers] == [200] * count, answers
    successors = {answer.json()["refresh_token"] for answer in answers}
    assert len(successors) == 1 and session["refresh_token"] not in successors
    for answer in answers:
        token = answer.json()["access_token"]
        assert jwt.decode(token, options={"verify_signature": False})["sub"] == session["user"]["id"]
        assert quick.auth().user(token).status == 200
    assert quick.auth().refresh(successors.pop()).status == 200


def test_repeated_rounds_of_parallel_refreshes_keep_one_chain(quick, session):
    token = session["refresh_token"]
    for _ in range(20):
        answers = refresh_at_once(quick, token, 4)
        assert {answer.status for answer in answers} == {200}, answers
        (token,) = {answer.json()["refresh_token"] for answer in answers}
    assert quick.auth().refresh(token).status == 200


def test_a_lost_response_can_be_repeated_at_any_time(quick, session):
    first = quick.auth().refresh(session["refresh_token"]).json()
    after_the_interval()
    again = quick.auth().refresh(session["refresh_token"])
    assert again.status == 200 and again.json()["refresh_token"] == first["refresh_token"]
    assert quick.auth().refresh(first["refresh_token"]).status == 200


def test_two_behind_inside_the_interval_converges(servers, new_email):
    auth = servers.serve(GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL=3600).start().auth()
    session = auth.sign_up(new_email())
    second = auth.refresh(session["refresh_token"]).json()
    third = auth.refresh(second["refresh_token"]).json()
    late = auth.refresh(session["refresh_token"])
    assert late.status == 200 and late.json()["refresh_token"] == third["refresh_token"]


def test_two_behind_after_the_interval_ends_the_session(quick, session, new_email):
    client = quick.auth()
    bystander = client.sign_up(new_email("bystander"))
    second = client.refresh(session["refresh_token"]).json()
    third = client.refresh(second["refresh_token"]).json()
    after_the_interval()

    stolen = client.refresh(session["refresh_token"])
    assert (stolen.status, stolen.code) == (400, "refresh_token_already_used")
    for token in (second["refresh_token"], third["refresh_token"]):
        ended = client.refresh(token)
        assert ended.status == 400 and ended.code in ("refresh_token_not_found", "session_not_found"), ended
    gone = client.user(third["access_token"])
    assert (gone.status, gone.code) == (403, "session_not_found")
    assert client.refresh(bystander["refresh_token"]).status == 200, "another person's session goes on"


def test_theft_ends_one_session_of_the_user(quick, new_email):
    client, email = quick.auth(), new_email()
    stolen = client.sign_up(email)
    other = client.sign_in(email).json()
    second = client.refresh(stolen["refresh_token"]).json()
    client.refresh(second["refresh_token"])
    after_the_interval()
    assert client.refresh(stolen["refresh_token"]).status == 400
    assert client.refresh(other["refresh_token"]).status == 200


def test_parallel_thefts_agree(quick, session):
    second = quick.auth().refresh(session["refresh_token"]).json()
    quick.auth().refresh(second["refresh_token"])
    after_the_interval()
    answers = refresh_at_once(quick, session["refresh_token"], 8)
    assert {answer.status for answer in answers} == {400}
    assert {answer.code for answer in answers} <= {"refresh_token_already_used", "refresh_token_not_found"}
    assert any(answer.code == "refresh_token_already_used" for answer in answers)


def test_a_token_that_was_changed_is_unknown(quick, session):
    """Each byte of the token is under its signature."""
    token, client = session["refresh_token"], quick.auth()
    for index in range(len(token)):
        changed = token[:index] + ("A" if token[index] != "A" else "B") + token[index + 1 :]
        answer = client.refresh(changed)
        # The last character carries bits beyond the last byte, which a strict decoder refuses.
        assert answer.status == 400 and answer.code in ("validation_failed", "refresh_token_not_found"), (index, answer)
    assert client.refresh(token).status == 200
