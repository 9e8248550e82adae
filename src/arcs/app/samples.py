"""Data sets that ship with the package, written out as the files that anybody might have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from arcs.errors import SettingsError

__all__ = ["SAMPLES", "Sample", "write_sample"]


@dataclass(frozen=True)
class Sample:
    """A bundled data set: what it is, and how to write it to a file."""

    about: str
    rows: Callable[[], list[list[str]]]


def write_sample(name: str, folder: Path) -> Path:
    """Write a bundled data set as CSV."""
    from arcs.files import write_atomically
    from arcs.graphs.formats.cells import write_rows

    if name not in SAMPLES:
        raise SettingsError(
            f"there is no bundled data set {name!r}; there are {', '.join(SAMPLES)}"
        )
    path = folder / f"{name}.csv"
    with write_atomically(path) as stream:
        stream.write(write_rows([tuple(row) for row in SAMPLES[name].rows()]))
    return path


def _sachs() -> list[list[str]]:
    from arcs.datasets import load_sachs

    found = load_sachs()
    design, values = found.data.interventions, found.data.values
    assert design is not None
    assert values is not None
    labels = [design.label(int(r)) for r in design.regime]
    header = [*found.data.names, "target", "condition"]
    rows = zip(values.tolist(), labels, found.conditions.tolist(), strict=True)
    return [header, *([*(str(round(x, 6)) for x in row), *words] for row, *words in rows)]


def _network(name: str, n: int) -> Callable[[], list[list[str]]]:
    def rows() -> list[list[str]]:
        from arcs.simulate import network, random_weights, sample

        drawn = sample(random_weights(network(name), 0), n, 0).data
        assert drawn.values is not None
        return [list(drawn.names), *([str(round(x, 6)) for x in r] for r in drawn.values.tolist())]

    return rows


SAMPLES: dict[str, Sample] = {
    "sachs": Sample("7,466 T cells, 11 proteins, nine experiments (Sachs et al., 2005)", _sachs),
    "asia": Sample("500 simulated rows of the Asia network, 8 variables", _network("asia", 500)),
    "alarm": Sample("1,000 simulated rows of Alarm, 37 variables", _network("alarm", 1000)),
}
