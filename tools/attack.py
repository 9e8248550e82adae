"""Attack ARCS with random data, settings, learners, files, names and knowledge.

    python tools/attack.py --minutes 60 --seed 1
    python tools/attack.py --seed 1 --only 4711        # one case again, here

Every case is drawn from the seed and its number, and runs in a child process with a time limit; a
child runs one case after another until it dies or hangs, and is replaced then. Tables are small,
since what breaks a fit seldom needs a large one: a core runs thousands of them in an hour. A fit of
numbers, categories or both may give a graph or refuse with an error of ARCS; it may not hang,
crash, raise anything else, warn of anything but the data, change what it was given, return a cycle
or a figure that is not finite, answer otherwise the second time, or write files that cannot be
read. Results of some are asked for effects, probabilities, predictions, the next experiment and
resamples; some are fitted, shown and repeated by the command line. A damaged file may be read or
refused. Few cases (they take long) kill a worker of a Dask cluster or of this machine, leave no
place for compiled code, or end a fit by SIGTERM. What broke is made as small as possible and
printed in a table; the exit code is the number of different failures (at most 100). Ctrl-C or
SIGTERM ends the attack with the table of what was found until then, not made smaller.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import queue
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from attacks.checking import run_case
from attacks.drawing import draw_case

from arcs.jobs import Ended, Worker

#: Seconds for one case: fits have a time limit of five, peers need some to start.
_LIMIT = 60.0
#: Seconds for a case that took longer than that once.
_PATIENCE = 300.0
#: Cases after which a line tells how it goes.
_LOT = 200


class Report:
    """Counts and failures so far."""

    def __init__(self, seed: int) -> None:
        self.seed, self.start, self.interrupted = seed, time.monotonic(), False
        self.counts: Counter[str] = Counter()
        self.kinds: Counter[tuple[str, str]] = Counter()
        self.broken: dict[str, list[dict[str, Any]]] = {}

    def add(self, ended: Ended) -> None:
        """Count one case."""
        kind, words = outcome(ended)
        what = "files" if ended.task["kind"] == "file" else "fits"
        self.counts.update([what, f"{what} {kind}"])
        self.kinds.update([(_kind_of(ended.task), kind)])
        if kind == "broken":
            if words not in self.broken:
                print(f"  case {ended.task['number']}: {words}", flush=True)
            self.broken.setdefault(words, []).append(ended.task)

    def line(self) -> str:
        """One line of progress."""
        counts = ", ".join(f"{name} {count}" for name, count in sorted(self.counts.items()))
        end = "; interrupted" if self.interrupted else ""
        seconds = time.monotonic() - self.start
        return f"{seconds:6.0f} s  {counts}; {len(self.broken)} failures{end}"


def _kind_of(case: dict[str, Any]) -> str:
    """A word for the table of kinds."""
    if case["kind"] != "fit":
        return str(case.get("fault", case["kind"]))
    return f"{case['table']}, {case['method']}"


def outcome(ended: Ended) -> tuple[str, str]:
    """What became of a case, also if its process did not survive it."""
    if ended.late:
        return "broken", f"hangs (more than {_PATIENCE:g} s)"
    if ended.lost:
        return "broken", f"crashes ({ended.lost})"
    if ended.error is not None:
        return "broken", f"cannot be run: {ended.error!r}"
    kind, words = ended.value
    return kind, words


def cases(seed: int, minutes: float | None, most: int | None, first: int) -> Iterator[Any]:
    """One case after another until the time is up."""
    start = time.monotonic()
    for number in itertools.count(first) if most is None else range(first, first + most):
        if minutes is not None and time.monotonic() - start > 60 * minutes:
            return
        yield draw_case(seed, number)


def smaller(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Simpler cases: fewer settings, plainer words, less data."""
    if case["kind"] in ("file", "machine"):
        for damage in range(case.get("damage", 0)):
            yield {**case, "damage": damage}
        return
    for name in case["settings"]:
        yield {**case, "settings": {k: v for k, v in case["settings"].items() if k != name}}
    plain = {
        "values": "linear",
        "container": "array",
        "names": "plain",
        "gaps": 0.0,
        "design": None,
    }
    plain |= {"knowledge": None, "again": False, "outputs": False, "method": "arcs"}
    plain |= {"roles": None, "policy": None, "asked": False, "discretize": None}
    if case["table"] != "numbers":
        plain |= {"values": "linked", "container": "frame", "levels": "words", "wish": "auto"}
        plain |= {"cardinality": 2, "table": "categories"}
    for name, value in plain.items():
        if case[name] != value:
            yield {**case, name: value}
    for name, values in (("p", (2, 3, 4)), ("n", (5, 12, 40))):
        for value in values:
            if value < case[name]:
                yield {**case, name: value}


def smallest(case: dict[str, Any], words: str, seconds: float = 60.0) -> dict[str, Any]:
    """The same failure with as little as possible."""
    deadline, worker = time.monotonic() + seconds, Worker(run_case)
    try:
        better: dict[str, Any] | None = case
        while better is not None and time.monotonic() < deadline:
            case, better = better, None
            for simpler in smaller(case):
                if outcome(worker.run(simpler, _LIMIT)) == ("broken", words):
                    better = simpler
                    break
    finally:
        worker.close()
    return case


def attack(options: argparse.Namespace) -> Report:
    """Run all cases until somebody interrupts; tell how it goes."""
    report = Report(options.seed)
    drawn = cases(options.seed, options.minutes, options.cases, options.first)
    try:
        print(f"seed {options.seed}", flush=True)
        for number, ended in enumerate(_in_children(drawn, options.jobs), 1):
            report.add(ended)
            if number % _LOT == 0:
                print(report.line(), flush=True)
    except KeyboardInterrupt:
        report.interrupted = True
    print(report.line(), flush=True)
    return report


def _in_children(drawn: Iterator[Any], jobs: int) -> Iterator[Ended]:
    """All cases as they end, in `jobs` children that live as long as they can."""
    ended, turn = queue.SimpleQueue[Ended | None](), threading.Lock()

    def drive() -> None:
        worker = Worker(run_case, patience=600.0)
        try:
            while True:
                with turn:
                    case = next(drawn, None)
                if case is None:
                    return
                found = worker.run(case, _limit(case))
                ended.put(_again(case) if found.late else found)
        finally:
            worker.close()
            ended.put(None)

    for _ in range(jobs):
        threading.Thread(target=drive, daemon=True).start()
    while jobs:
        found = ended.get()
        if found is None:
            jobs -= 1
        else:
            yield found


def _limit(case: dict[str, Any]) -> float:
    return _PATIENCE if case["kind"] == "machine" else _LIMIT


def _again(case: dict[str, Any]) -> Ended:
    """A case that was late once more, with more time: the first to need a kernel compiles it."""
    worker = Worker(run_case)
    try:
        return worker.run(case, _PATIENCE)
    finally:
        worker.close()


def print_table(report: Report) -> None:
    """What broke, how often, and how to see it again."""
    for words, found in sorted(report.broken.items(), key=lambda entry: -len(entry[1])):
        numbers = ", ".join(str(case["number"]) for case in found[:5])
        print(f"\n{len(found)} x {words}\n  --seed {report.seed} --only {numbers}")
        # Who interrupts wants an end: the first case as it was drawn is seen again as well.
        least = found[0] if report.interrupted else smallest(found[0], words)
        print(f"  {'drawn' if report.interrupted else 'smallest'}: {json.dumps(least)}", flush=True)
    print()
    for what in sorted({what for what, _ in report.kinds}):
        found = {kind: n for (name, kind), n in sorted(report.kinds.items()) if name == what}
        print(f"{what:32}" + ", ".join(f"{kind} {n}" for kind, n in found.items()))
    print(f"\n{report.line()}")


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, help="how long to go on")
    parser.add_argument("--cases", type=int, help="how many cases at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", type=int, help="run one case here, and say what became of it")
    options = parser.parse_args()
    if options.only is not None:
        case = draw_case(options.seed, options.only)
        print(json.dumps(case), *run_case(None, case), sep="\n")
        return 0
    if options.minutes is None and options.cases is None:
        options.minutes = 1.0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    report = attack(options)
    print_table(report)
    return min(len(report.broken), 100)


if __name__ == "__main__":
    sys.exit(main())
