"""The commands that run only the failed tests of a stage again, after all stages and alone.

On a slow machine, tests of other stages may take the time that a test needs. A stage that hung runs again as a whole. The
report has both runs, and what the hanging one waited for.
"""

import json
import re

# More failures are not for want of time.
MOST_TESTS = 3
# These look for lost data, which a second run may not lose again.
NEVER = ("test_crash.py", "test_long_traffic.py")


def failed_swift_tests(events):
    """The identifiers of the tests that recorded an issue, from Swift Testing's event stream."""
    found = {}
    for line in events.splitlines():
        if '"issueRecorded"' in line:
            payload = json.loads(line)["payload"]
            found[payload["testID"]] = None
    return tuple(found)


def failed_pytest_tests(log):
    """The tests in the summary at the end of a log."""
    _, _, summary = log.rpartition(" short test summary info ")
    return tuple(dict.fromkeys(re.findall(r"^(?:FAILED|ERROR) (\S+::.+?)(?: - .*)?$", summary, re.MULTILINE)))


def swift_again(command, events):
    """For `Stage.again` of Swift tests, which wrote their events to this file."""
    def again(ended):
        # Alone and as a whole: which tests a hang kept from running is not known.
        if ended.waits is not None:
            return ended.stage.command
        failed = failed_swift_tests(events.read_text(errors="replace")) if events.exists() else ()
        if ended.result.failed != len(failed) or not 0 < len(failed) <= MOST_TESTS:
            return None
        return command("--filter", f"^({'|'.join(map(re.escape, failed))})$")
    return again


def pytest_again(ended):
    """For `Stage.again` of pytest, without its processes."""
    failed = failed_pytest_tests(ended.log.read_text(errors="replace"))
    if ended.result.failed != len(failed) or not 0 < len(failed) <= MOST_TESTS:
        return None
    if any(file in test for test in failed for file in NEVER):
        return None
    # With --dist=loadgroup the log adds the group to each name: test_a.py::test_b[c@d]@group.
    if "loadgroup" in ended.stage.command:
        failed = [test.rpartition("@")[0] or test for test in failed]
    return (ended.stage.command[0], "-q", *failed)
