"""A process in which CD never looks at the clock, HC ends the process, GIES fails, MMHC prints.

HC is killed on data sets with odd numbers, and leaves by itself on the others.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import dataclass

import numpy as np

from arcs.errors import DataError
from arcs.experiments import tasks
from arcs.jobs import announce_start
from arcs.learners import LEARNERS
from arcs.learners.base import Learned
from arcs.learners.cd import CD
from arcs.learners.gies import GIES
from arcs.learners.hc import HC
from arcs.learners.mmhc import MMHC


@dataclass(frozen=True, kw_only=True)
class Deaf(CD):
    def learn(self, statistics, watch):
        time.sleep(3600)


@dataclass(frozen=True, kw_only=True)
class Crashing(HC):
    def learn(self, statistics, watch):
        sys.stderr.write("about to fall\nover\n")
        sys.stderr.flush()
        if self.random_state % 2:
            os.kill(os.getpid(), signal.SIGKILL)
        os._exit(7)


@dataclass(frozen=True, kw_only=True)
class Failing(GIES):
    def learn(self, statistics, watch):
        raise DataError("not with me,\nsaid the method")


@dataclass(frozen=True, kw_only=True)
class Chatty(MMHC):
    def learn(self, statistics, watch):
        sys.stdout.write('{"row": "nonsense"}\n')
        sys.stdout.flush()
        return Learned(np.zeros((statistics.p, statistics.p), dtype=bool))


for kind in (Deaf, Crashing, Failing, Chatty):
    LEARNERS[kind.name] = kind
# These methods have nothing to compile, and the first fit must be the one that is watched.
tasks._warm_up = lambda label, experimental: None


def run(shared, task):
    """What the process does with a task."""
    return tasks.run_task(task, announce_start)
