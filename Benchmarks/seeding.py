"""Fills a database with fictitious accounts, with `gatehouse-seed` of the release build."""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BINARY = os.environ.get("GATEHOUSE_SEEDER") or os.path.join(ROOT, ".build", "release", "gatehouse-seed")


def seed(environment, *arguments):
    """Its standard output. `environment`: as for `gatehouse serve`."""
    if not os.access(BINARY, os.X_OK):
        sys.exit(f"{BINARY} is missing: GATEHOUSE_COMPLETE=1 swift build $(Scripts/release/release-options gatehouse-seed)")
    ended = subprocess.run([BINARY, *arguments], env=environment, capture_output=True, text=True, check=False)
    if ended.returncode:
        sys.exit(f"gatehouse-seed {' '.join(arguments)}: {ended.stderr}")
    return ended.stdout
