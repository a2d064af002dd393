"""Runs the stages of a long command: each prints one line at its end and writes its output to its own log.

A stage starts when its prerequisites have passed and enough cores are free. A failed stage does not stop concurrent
ones; dependent stages are reported as not run. The failed tests and their messages come last.
"""

import contextlib
import dataclasses
import os
import pathlib
import platform
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import typing

import hangs

# The whole package, not the client alone (Package.swift).
os.environ["GATEHOUSE_COMPLETE"] = "1"
CORES = 2
# By default Swift Testing starts all tests concurrently, and each takes as long as all together.
TESTS_AT_ONCE = "8"
# The time limit of a stage that hangs, so that the run names it before the limit of CI ends the whole run.
LIMIT_SECONDS = 2_400
# How often a running stage is looked at.
LOOK_SECONDS = 5
TAIL_LINES = 40
# Runs a command at a niceness. Linux schedules each session as one group, which has its own niceness.
NICELY = ("sh", "-c", '{ echo "$0" >/proc/self/autogroup; } 2>/dev/null; exec nice -n "$0" "$@"')


@dataclasses.dataclass(frozen=True)
class Result:
    """The contents of a log. `note`: the stage's own figures, for its line."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: tuple[str, ...] = ()
    note: str = ""

    @property
    def count(self):
        """`1,061 passed, 81 skipped`; the note where there are no tests."""
        numbers = [(self.passed, "passed"), (self.failed, "failed"), (self.skipped, "skipped")]
        tests = ", ".join(f"{number:,} {name}" for number, name in numbers if number)
        return ", ".join(part for part in (tests, self.note) if part)


def read_nothing(log):
    return Result()


@dataclasses.dataclass(frozen=True)
class Stage:
    """`after`: the prerequisites. `cores`: the number of cores that it uses. `niceness`: how much it yields to others.

    `silence_seconds`: how long it may write nothing; then it hangs, and is ended. None for any time.
    `read` gets the log, and finds counts and failures in it. `environment`: added to the environment of the run.
    `again`: the command that runs only the failed tests of a stage that ended; None if there is none (repeats.py).
    """

    name: str
    command: tuple[str, ...]
    after: tuple[str, ...] = ()
    cores: float = 1
    read: typing.Callable[[str], Result] = read_nothing
    environment: tuple[tuple[str, str], ...] = ()
    limit_seconds: float = LIMIT_SECONDS
    silence_seconds: float | None = None
    niceness: int = 0
    again: typing.Callable[["Ended"], tuple[str, ...] | None] = lambda ended: None


# A program that ends early must not look as if it had passed.
NO_SUMMARY = Result(failed=1, failures=("The log has no summary of its tests.",))


def read_swift_testing(log):
    """The output of the Swift tests."""
    found = re.findall(r"Test run with (\d+) tests? in \d+ suites? (?:passed|failed)", log)
    if not found:
        return dataclasses.replace(NO_SUMMARY, failures=NO_SUMMARY.failures + running_tests(log))
    # A parameterised test prints a line for each case, and one for itself.
    names = set(re.findall(r"^✘ Test (?!run |case )(.*) failed after", log, re.MULTILINE))
    skipped = len(re.findall(r"^[^\w\n]* Test (?!run |case ).* skipped", log, re.MULTILINE))
    messages = re.findall(r"^✘ Test .* recorded an issue.*(?:\n↳ .*)*", log, re.MULTILINE)
    # A test's time limit hides what a driven screen waited for (Screen.wait).
    messages += re.findall(r"^.*waited in vain.*(?:\n(?![✘✔◇↳]).*){0,40}", log, re.MULTILINE)
    leaks = re.findall(r"^leak: .*", log, re.MULTILINE)
    names |= set(leaks)
    messages += leaks
    total = sum(map(int, found))
    if total == 0:
        return Result(failed=1, failures=("No test has this name.",))
    return Result(total - len(names) - skipped, len(names), skipped, tuple(messages))


def running_tests(log):
    """A sentence for each Swift test that has begun and not ended. Tests may print in between."""
    begun = dict.fromkeys(re.findall(r"^\W* Test (?!run |case )(.*) started\.$", log, re.MULTILINE))
    end = r" Test %s(?: with \d+ test cases?)? (?:passed|failed) after"
    return tuple(f"This test has not ended: {name}" for name in begun if not re.search(end % re.escape(name), log))


def read_pytest(log):
    """The output of `pytest`."""
    closing = re.findall(r"^=* ?((?:\d+ [a-z]+(?:, )?)+) in [\d.]+s", log, re.MULTILINE)
    if not closing:
        return NO_SUMMARY
    counts = {name: int(number) for number, name in re.findall(r"(\d+) ([a-z]+)", closing[-1])}
    failures = re.findall(r"^_{3,} (?:ERROR .*|test_.*) _{3,}$.*?(?=^_{3,} |^={3,} )", log, re.MULTILINE | re.DOTALL)
    failed = sum(counts.get(name, 0) for name in ("failed", "error", "errors", "xpassed"))
    return Result(counts.get("passed", 0), failed, counts.get("skipped", 0), tuple(failures))


def read_unittest(log):
    """The output of `python3 -m unittest`."""
    found = re.findall(r"^Ran ([1-9]\d*) tests? in", log, re.MULTILINE)
    if not found:
        return NO_SUMMARY
    failures = re.findall(r"^(?:FAIL|ERROR): .*?(?=^={20,}$|^-{20,}\nRan )", log, re.MULTILINE | re.DOTALL)
    return Result(int(found[-1]) - len(failures), len(failures), 0, tuple(failures))


def read_build(log):
    """The output of `swift build`."""
    errors = re.findall(r"^.*\berror: .*$", log, re.MULTILINE)
    return Result(failures=tuple(dict.fromkeys(errors)))


def minutes(seconds):
    """`12:05`."""
    whole, rest = divmod(round(seconds), 60)
    return f"{whole}:{rest:02}"


@dataclasses.dataclass
class Ended:
    stage: Stage
    # None: not run, because a stage before it failed.
    code: int | None
    seconds: float
    result: Result
    log: pathlib.Path
    # If it was ended because it hung: what its threads waited for.
    waits: tuple[str, ...] | None = None
    # The run of only the failed tests, afterwards and alone.
    again: "Ended | None" = None

    @property
    def has_passed(self):
        if self.again:
            return self.again.has_passed and self.again.result.passed >= self.result.failed
        return self.code == 0 and not self.result.failed

    @property
    def time(self):
        return minutes(self.seconds)

    @property
    def line(self):
        verdict = "not run" if self.code is None else "" if self.has_passed else "FAILED"
        words = " ".join(part for part in (verdict, self.result.count) if part)
        return f"{self.stage.name:<12} {self.time:>6}  {words}".rstrip()

    @property
    def report(self):
        """The failures, for the end of the run: the tests' own messages, or the end of the log."""
        messages = list(self.result.failures)
        if not messages or messages[:1] == list(NO_SUMMARY.failures):
            lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
            messages.append("\n".join([f"ended with {self.code}; the end of its log:", *lines[-TAIL_LINES:]]))
        messages += self.waits or ()
        verdict = "These passed only alone, when they ran again.\n" if self.has_passed else ""
        return f"--- {self.stage.name}: {self.log}\n{verdict}" + "\n\n".join(message.rstrip() for message in messages)


class Run:
    """One run of some stages. `tell` gets each line, `note` each stage that ended."""

    def __init__(self, stages, folder, cores=CORES, tell=print, note=lambda ended: None):
        names = [stage.name for stage in stages]
        unknown = {name for stage in stages for name in stage.after} - set(names)
        assert len(set(names)) == len(names) and not unknown, f"stages are wrong: {names}, {unknown}"
        self.waiting, self.folder, self.cores = list(stages), pathlib.Path(folder), cores
        self.tell, self.note = tell, note
        # Unlike Queue, SimpleQueue takes what a signal handler puts in while this thread waits.
        self.running, self.ended, self.ends = {}, {}, queue.SimpleQueue()

    def run(self):
        """Runs every stage. Returns how each ended, in that order.

        Raises SystemExit after `leave`, when no stage runs any more.
        """
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        try:
            while self.waiting or self.running:
                self._start_ready_stages()
                if self.running:
                    self._note(self._next_end())
            self._run_failures_again()
        finally:
            for process in self.running.values():
                end_group(process)
        return list(self.ended.values())

    def _run_failures_again(self):
        """Other stages may have taken the time of the failed tests. Alone, they show whether the fault is theirs."""
        for failed in [each for each in self.ended.values() if each.code is not None and not each.has_passed]:
            command = failed.stage.again(failed)
            if command:
                stage = dataclasses.replace(failed.stage, name=f"{failed.stage.name}-again", command=command)
                self._start(stage)
                failed.again = self._next_end()
                self.running.pop(stage)
                self.tell(failed.again.line)

    def leave(self, code):
        """Ends the run with this exit code. For signal handlers: an exception of theirs could come between the start of
        a process and the note of it, and leave the process behind."""
        self.ends.put(code)

    def _next_end(self):
        ended = self.ends.get()
        if isinstance(ended, int):
            sys.exit(ended)
        return ended

    def _start_ready_stages(self):
        for stage in list(self.waiting):
            before = [self.ended.get(name) for name in stage.after]
            if any(ended and not ended.has_passed for ended in before):
                self.waiting.remove(stage)
                self._note(Ended(stage, None, 0, Result(), self._log(stage)))
                return self._start_ready_stages()
            busy = sum(running.cores for running in self.running)
            if all(before) and (not self.running or busy + stage.cores <= self.cores):
                self.waiting.remove(stage)
                self._start(stage)

    def _start(self, stage):
        with open(self._log(stage), "wb") as log:
            # Its own process group, so that its children end with it.
            process = subprocess.Popen(
                (*NICELY, str(stage.niceness), *stage.command), stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True,
                env={**os.environ, **dict(stage.environment)})
        self.running[stage] = process
        threading.Thread(target=self._wait, args=(stage, process, time.monotonic()), daemon=True).start()

    def _wait(self, stage, process, began):
        log, note, waits, result = self._log(stage), "", None, Result(failed=1)
        try:
            while process.poll() is None and not note:
                note = self._fault(stage, log, began)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(0 if note else min(LOOK_SECONDS, stage.limit_seconds))
            if note and stage.silence_seconds:
                text = hangs.backtraces(process.pid)
                log.with_suffix(".threads").write_text(text)
                waits = tuple(hangs.waiting_tasks(text))
            # Including the leftovers of a failed stage.
            end_group(process)
            result = stage.read(log.read_text(errors="replace"))
        finally:
            result = dataclasses.replace(result, note=note or result.note)
            self.ends.put(Ended(stage, process.returncode, time.monotonic() - began, result, log, waits))

    @staticmethod
    def _fault(stage, log, began):
        """Why a running stage has to be ended; empty if it need not."""
        if time.monotonic() - began > stage.limit_seconds:
            return f"ended after {stage.limit_seconds / 60:.0f} minutes"
        if stage.silence_seconds and time.time() - log.stat().st_mtime > stage.silence_seconds:
            return f"ended after {stage.silence_seconds / 60:.0f} minutes of silence"
        return ""

    def _note(self, ended):
        self.running.pop(ended.stage, None)
        self.ended[ended.stage.name] = ended
        self.tell(ended.line)
        self.note(ended)

    def _log(self, stage):
        return self.folder / f"{stage.name}.log"


def end_group(process):
    """Ends a stage's process and its children, after ten seconds by force."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
        for _ in range(1_000):
            # Reaps the process: until then it still belongs to the group.
            process.poll()
            os.killpg(process.pid, 0)
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def closing_lines(ended, seconds):
    """The reports of the failed stages, then the totals as a line that continuous integration reads."""
    failed = [each for each in ended if not each.has_passed]
    lines = [each.report for each in ended if each.code is not None and (each.again or each in failed)]
    # A stage that hung has no result.
    results = [each.again.result if each.waits is not None and each.again else each.result for each in ended]
    totals = [sum(getattr(result, name) for result in results) for name in ("passed", "failed", "skipped")]
    alone = sum(each.result.failed for each in ended if each.has_passed and each.waits is None)
    totals = [totals[0] + alone, totals[1] - alone, totals[2]]
    # A stage that failed without a failed test, as a build does, counts as one.
    totals[1] += sum(not each.result.failed for each in failed)
    names = ", ".join(each.stage.name for each in failed)
    lines.append(f"{len(ended)} stages in {minutes(seconds)}, failed: {names or 'none'}")
    lines.append("{} passed, {} failed, {} skipped".format(*totals))
    return lines


def needed(stages, names):
    """The named stages and their prerequisites, in the table's order. No name: all stages."""
    known, wanted, pending = {stage.name: stage for stage in stages}, set(), list(names)
    for name in pending:
        if name not in known:
            sys.exit(f"there is no stage {name!r}; the stages are {', '.join(known)}")
        wanted.add(name)
        pending += [before for before in known[name].after if before not in wanted]
    return [stage for stage in stages if stage.name in wanted or not names]


def swift_tests(*options, folder=".build", events=None):
    """The command that runs the Swift tests that were built. On Linux without SwiftPM: of two `swift test` that start
    at once, one may find the build's database locked. `events`: a file that gets a line of JSON for each event."""
    if platform.system() == "Linux":
        command = (f"{folder}/debug/gatehousePackageTests.xctest", "--testing-library", "swift-testing")
    else:
        command = ("swift", "test", "--skip-build", "--ignore-lock", "--disable-xctest")
    if events:
        command += ("--event-stream-output-path", str(events), "--event-stream-version", "0")
    return (*command, "--experimental-maximum-parallelization-width", TESTS_AT_ONCE, *options)


def run_and_report(stages, folder, note=lambda ended: None):
    """Runs `stages` for a script. Returns its exit code, and how each stage ended."""
    began = time.monotonic()
    run = Run(stages, folder, tell=lambda line: print(line, flush=True), note=note)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: run.leave(128 + number))
    ended = run.run()
    print("\n".join(closing_lines(ended, time.monotonic() - began)), flush=True)
    return int(any(not each.has_passed for each in ended)), ended
