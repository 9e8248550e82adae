"""The figures that the paper reports: means over 20 data sets, rounded."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

__all__ = ["REPORTED_METRICS", "reported"]

REPORTED_METRICS = ("P", "TP", "R", "FP", "SHD", "JI")

#: (network, sample size, method) of one table.
_Key = tuple[str, int, str]


@cache
def reported(table: int) -> Mapping[_Key, Mapping[str, float]]:
    """The paper's figures of one table, by network, sample size and method.

    Examples
    --------
    >>> from arcs.experiments import reported
    >>> len(reported(1)) > 0
    True
    """
    text = files("arcs.experiments").joinpath("data/reported_results.csv").read_text("utf-8")
    found = {
        (line["network"], int(line["n"]), line["method"]): MappingProxyType(
            {name: float(line[name]) for name in REPORTED_METRICS}
        )
        for line in csv.DictReader(text.splitlines())
        if int(line["table"]) == table
    }
    return MappingProxyType(found)
