"""A folder in memory for the databases of tests, which on a disk wait for it at each commit."""

import contextlib
import os
import pathlib
import shutil
import tempfile

# Bytes, with a reserve: compilers, servers and browsers need memory in addition to the files.
NEEDED_FOLDER = 8_000_000_000
NEEDED_MEMORY = 12_000_000_000


def available_memory(table="/proc/meminfo"):
    """The bytes of memory that programs can still get; 0 where the system does not tell."""
    with contextlib.suppress(OSError):
        for line in pathlib.Path(table).read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return 0


def has_room(parent, memory):
    """Whether `parent` can hold the files of the tests, with `memory` bytes available to programs."""
    return os.access(parent, os.W_OK) and shutil.disk_usage(parent).free >= NEEDED_FOLDER and memory >= NEEDED_MEMORY


@contextlib.contextmanager
def temporary_files_in_memory(parent="/dev/shm", memory=None):
    """Sets TMPDIR to a new folder in memory while the body runs; changes nothing where there is no room."""
    if not has_room(parent, available_memory() if memory is None else memory):
        yield None
        return
    before = os.environ.get("TMPDIR")
    with tempfile.TemporaryDirectory(prefix="gatehouse-tests-", dir=parent, ignore_cleanup_errors=True) as folder:
        # PostgreSQL runs as another user.
        os.chmod(folder, 0o755)
        os.environ["TMPDIR"] = folder
        try:
            yield folder
        finally:
            del os.environ["TMPDIR"]
            if before is not None:
                os.environ["TMPDIR"] = before
