"""What is sent to measure refreshing: tokens known beforehand, as reading answers costs the load generator more than
the server spends on a fixed answer."""

import math

# More than a server on two cores brings; where it brings more, Benchmarks/lua/refresh.lua ends the run.
MOST_PER_SECOND = 20_000


def refresh_tokens(bench_tokens, sessions, seconds, threads):
    """Lines for Benchmarks/lua/refresh.lua that last for so many seconds: all sessions' current tokens, then all
    their successors, and so on.

    A successor is good only after its predecessor: the more sessions, the longer that is past when its turn comes.

    bench_tokens -- prints what `gatehouse-seed tokens` does with the options that it is given
    sessions -- of made-up people, at most; those that are too many to be dealt evenly are left out
    """
    generations = math.ceil(MOST_PER_SECOND * seconds / sessions)
    tokens = bench_tokens("--count", str(sessions), "--generations", str(generations)).split()
    # threads.lua deals line by line: like this, a thread has the same sessions in each generation.
    found = len(tokens) // generations
    kept = found - found % threads
    return [token for index, token in enumerate(tokens) if index % found < kept]
