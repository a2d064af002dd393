"""Scripts/watch builds settled changes, once, and keeps the program that runs when a build fails."""

import os
import pathlib
import tempfile
import unittest

from script_loading import load

watch = load("watch")


class Process:
    def __init__(self):
        self.code, self.signals = None, []

    def poll(self):
        return self.code

    def send_signal(self, number):
        self.signals.append(number)
        self.code = 0

    def wait(self, seconds=None):
        return self.code


class LookTests(unittest.TestCase):
    def test_it_sees_new_changed_and_removed_sources_and_no_others(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in ("Sources/A/a.swift", "Sources/A/b.swift", "Package.swift", "Docs/page.md"):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text("x")
            before = watch.look(root)
            self.assertEqual(sorted(before), ["Package.swift", "Sources/A/a.swift", "Sources/A/b.swift"])
            (root / "Sources/A/a.swift").unlink()
            (root / "Sources/A/c.swift").write_text("new")
            for ignored in (".c.swift.swp", "c.swift~", "notes.md", ".hidden"):
                (root / "Sources/A" / ignored).write_text("x")
            # The same size: the time alone tells.
            os.utime(root / "Sources/A/b.swift", ns=(1, 1))
            self.assertEqual(watch.changes(before, watch.look(root)),
                             ["Sources/A/a.swift", "Sources/A/b.swift", "Sources/A/c.swift"])


class DecisionTests(unittest.TestCase):
    def test_a_change_is_built_when_it_has_settled_and_only_once(self):
        decision = watch.Decision({"a": 1})
        looks = [{"a": 1}, {"a": 2}, {"a": 3}, {"a": 3}, {"a": 3}]
        self.assertEqual([decision.after(seen) for seen in looks], [[], [], [], ["a"], []])

    def test_a_change_during_a_build_is_built_next(self):
        decision = watch.Decision({"a": 1})
        self.assertEqual([decision.after(seen) for seen in ({"a": 2}, {"a": 2}, {"a": 2, "b": 1}, {"a": 2, "b": 1})],
                         [[], ["a"], [], ["b"]])

    def test_a_change_that_was_taken_back_builds_nothing(self):
        decision = watch.Decision({"a": 1})
        self.assertEqual([decision.after(seen) for seen in ({"a": 2}, {"a": 1}, {"a": 1})], [[], [], []])


class WatchTests(unittest.TestCase):
    def setUp(self):
        self.builds, self.started, self.told = [], [], []

        def start():
            self.started.append(Process())
            return self.started[-1]

        self.watch = watch.Watch(lambda: self.builds.pop(0), start, self.told.append)

    def test_a_build_that_works_replaces_the_program(self):
        self.builds = [True, True]
        self.assertTrue(self.watch.begin())
        self.watch.change(["a", "b", "c", "d", "e"])
        self.assertEqual((len(self.started), self.started[0].signals), (2, [watch.signal.SIGTERM]))
        self.assertEqual(self.told, ["changed: a, b, c and 2 more"])

    def test_a_build_that_fails_keeps_the_program(self):
        self.builds = [True, False]
        self.watch.begin()
        self.watch.change(["a"])
        self.assertEqual((len(self.started), self.started[0].signals), (1, []))
        self.assertIn("goes on", self.told[-1])

    def test_after_a_first_build_that_fails_the_next_one_starts_the_program(self):
        self.builds = [False, True]
        self.assertFalse(self.watch.begin())
        self.watch.look_after()
        self.watch.change(["a"])
        self.assertEqual(len(self.started), 1)

    def test_a_program_that_ended_is_reported_once_and_started_by_the_next_change(self):
        self.builds = [True, False, True]
        self.watch.begin()
        self.started[0].code = 1
        self.watch.look_after()
        self.watch.look_after()
        self.assertEqual([line for line in self.told if "ended with 1" in line], self.told)
        self.watch.change(["a"])
        self.assertEqual(self.told[-1], "The build failed.")
        self.watch.change(["b"])
        self.assertEqual((len(self.started), self.started[0].signals), (2, []))


if __name__ == "__main__":
    unittest.main()
