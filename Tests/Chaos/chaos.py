"""Runs one scenario of the fault suite, or all of them.

    chaos.py [SCENARIO …] [--long] [--jobs N] [--seed N] [--program PATH] [--journal sqlite|postgres] [--keep]

Prints each scenario's seed; SEED=N (or --seed N) runs it again. Exit 1 if a promise was broken, and the folder with all
logs is kept then.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

from load import PROJECT
from postgres import Postgres
from scenarios import NEED_POSTGRES, SCENARIOS


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scenario", nargs="*", help=", ".join(SCENARIOS))
    parser.add_argument("--long", action="store_true", help="the long form: thousands of checkouts for each point")
    parser.add_argument("--jobs", type=int, default=1, help="scenarios that run side by side; default 1")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("SEED") or 0), help="run this seed again")
    parser.add_argument("--program", default=str(PROJECT / ".build/debug/checkout"))
    parser.add_argument("--journal", choices=["sqlite", "postgres"], default="sqlite",
                        help="where attempts are kept: a fresh SQLite file, or a PostgreSQL of the scenario's own")
    parser.add_argument("--keep", action="store_true", help="keep the folder with all logs")
    options = parser.parse_args()
    unknown = [name for name in options.scenario if name not in SCENARIOS]
    if unknown:
        parser.error(f"no scenario {unknown[0]}; there are: {', '.join(SCENARIOS)}")
    # What needs a database server takes minutes: it belongs to the long form, or is asked for by name.
    names = options.scenario or [name for name in SCENARIOS if options.long or name not in NEED_POSTGRES]
    if options.jobs == 1:
        failed = [name for name in names if not passes(name, options)]
    else:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            results = pool.map(run_apart, names, [sys.argv[1:]] * len(names))
            failed = [name for name, passed in zip(names, results) if not passed]
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


def run_apart(name, arguments):
    """One scenario in a process of its own; its words come out in one piece."""
    kept = []
    for index, argument in enumerate(arguments):
        if argument not in SCENARIOS and argument != "--jobs" and arguments[index - 1:index] != ["--jobs"]:
            kept.append(argument)
    finished = subprocess.run(
        [sys.executable, __file__, name] + kept, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(finished.stdout, end="", flush=True)
    return finished.returncode == 0


def passes(name, options):
    seed = options.seed or random.SystemRandom().randrange(1, 1_000_000)
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"chaos-{name}-"))
    print(f"{name}: SEED={seed}", flush=True)
    began = time.monotonic()
    say = lambda text: print(text, flush=True)  # noqa: E731
    options.postgres = None
    try:
        if options.journal == "postgres" or name in NEED_POSTGRES:
            options.postgres = Postgres(folder)
        faults = SCENARIOS[name](options, folder, seed, say)
    except Exception:
        faults = [traceback.format_exc()]
    finally:
        if options.postgres:
            options.postgres.close()
    for fault in faults[:20]:
        print(f"  FAULT {fault}")
    verdict = "failed" if faults else "passed"
    print(f"{name}: {verdict} in {time.monotonic() - began:.0f} s" + (f", logs in {folder}" if faults else ""), flush=True)
    if not faults and not options.keep:
        shutil.rmtree(folder, ignore_errors=True)
    return not faults


if __name__ == "__main__":
    main()
