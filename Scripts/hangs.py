"""What a process that says nothing any more waits for."""

import re
import shutil
import subprocess

# A thread of Swift's pool, or the main actor's, that runs a task. The others wait for work.
RUNS_A_TASK = re.compile(r"swift_job_run|runJobInEstablishedExecutorContext|main_queue_drain")
FRAME = re.compile(r"^#\d+ +(?:0x[0-9a-f]+ in )?(.+?) \(.*\)(?: from \S+| at \S+)?$", re.MULTILINE)
# The system's own functions.
INNER = ("_", "do_", "epoll", "poll", "futex")
# Of each thread: where it waits, and for whom.
MOST_FRAMES = 6
MOST_LETTERS = 70
LIMIT_SECONDS = 120


def output_of(command, text=None):
    """Both outputs of a program; a sentence instead if it did not end in time."""
    try:
        return subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", timeout=LIMIT_SECONDS).stdout
    except subprocess.TimeoutExpired:
        return f"{command[0]} did not end in time.\n"


def backtraces(pid):
    """What gdb shows of each thread, with Swift's names; a sentence without gdb."""
    if not shutil.which("gdb"):
        return "Without gdb, nobody knows what it waits for.\n"
    text = output_of(("gdb", "-p", str(pid), "-batch", "-ex", "set pagination off", "-ex", "thread apply all backtrace 40"))
    return output_of(("swift", "demangle", "--simplified"), text) if shutil.which("swift") else text


def waiting_tasks(text):
    """A line for each thread that runs a task: its innermost functions. All threads if none does."""
    threads = [(RUNS_A_TASK.search(each), FRAME.findall(each)) for each in re.split(r"^Thread ", text, flags=re.MULTILINE)]
    chosen = [frames for runs, frames in threads if runs and frames] or [frames for _, frames in threads if frames]
    named = ([name for name in frames if not name.startswith(INNER)] or frames for frames in chosen)
    return ["This thread waits: " + " < ".join(name[:MOST_LETTERS] for name in names[:MOST_FRAMES]) for names in named]
