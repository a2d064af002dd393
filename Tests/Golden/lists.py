"""Reads the recordings and their two lists: waiting cases and intended differences."""

import collections
import glob
import json
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
Recorded = collections.namedtuple("Recorded", "group instance case")
Waiting = collections.namedtuple("Waiting", "group case why")
# `group` and `case` may be `*`.
Deviation = collections.namedtuple("Deviation", "slug group case what")


def recordings():
    """Every recorded case, in the order of the files."""
    cases = []
    for path in sorted(glob.glob(os.path.join(HERE, "recordings", "*.json"))):
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        if "cases" in document:
            group = os.path.basename(path).removesuffix(".json")
            cases += [Recorded(group, document["instance"], case) for case in document["cases"]]
    return cases


def lines(name):
    """The lines of a list that are not empty and not a comment."""
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return [line.strip() for line in file if line.strip() and not line.startswith("#")]


def waiting():
    return [Waiting(*(part.strip() for part in line.split(" / "))) for line in lines("waiting.txt")]


def differences():
    """(reason by slug, deviations) of differences.txt."""
    reasons, deviations, slug = {}, [], None
    for line in lines("differences.txt"):
        if heading := re.fullmatch(r"\[([a-z0-9-]+)\] (.+)", line):
            slug = heading.group(1)
            assert slug not in reasons, f"{slug} stands twice in differences.txt"
            reasons[slug] = heading.group(2)
        else:
            deviations.append(Deviation(slug, *(part.strip() for part in line.split(" / "))))
    return reasons, deviations


class Rules:
    """The deviations that concern one case, and which of them it needed."""

    def __init__(self, deviations, recorded):
        self.group = recorded.group
        self.mine = [
            deviation
            for deviation in deviations
            if deviation.group in ("*", recorded.group) and deviation.case in ("*", recorded.case["name"])
        ]
        self.used = set()

    def allow(self, step, what):
        """Whether `what` may differ in this step."""
        found = [deviation for deviation in self.mine if deviation.what in (what, f"step {step} {what}")]
        self.used.update(found)
        return bool(found)

    def ends_before(self, step):
        """Whether the list ends the case before this step."""
        return self.allow(step, f"ends before step {step}")

    def other_answer(self, step):
        """(status, error code) of the intended response, if the list changes this step's."""
        for deviation in self.mine:
            if found := re.fullmatch(rf"step {step} answers (\d+) (\S+)", deviation.what):
                return int(found.group(1)), found.group(2)
        return None

    def use_other_answer(self, step):
        self._use(f"step {step} answers ")

    def other_location(self, step):
        """The intended redirect of this step, if the list changes it."""
        start = f"step {step} location "
        found = [deviation.what for deviation in self.mine if deviation.what.startswith(start)]
        return found[0].removeprefix(start) if found else None

    def use_other_location(self, step):
        self._use(f"step {step} location ")

    def _use(self, start):
        self.used.update(deviation for deviation in self.mine if deviation.what.startswith(start))
