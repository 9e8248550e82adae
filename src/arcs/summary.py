"""A result in words: two sentences to send on, a few facts, the strongest edges."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from arcs.tables import Table, printable

if TYPE_CHECKING:
    from arcs.results import FitResult

__all__ = ["in_two_sentences", "listed", "summary_text"]

_WIDTH = 79
_LONGEST_NAME = 24


def summary_text(result: FitResult, top: int = 5, arrow: str = "→") -> str:
    """What was found, for a terminal or a message: plain text of at most 79 columns."""
    sentences = textwrap.fill(in_two_sentences(result, arrow), _WIDTH)
    facts = "\n".join(f"{name:<9} {value}" for name, value in _facts(result))
    parts = [sentences]
    if result.preparation.get("sentences"):
        told = " ".join(printable(text) for text in result.preparation["sentences"])
        parts.append(textwrap.fill(told, _WIDTH))
    parts.append(facts)
    if top > 0 and result.n_edges:
        parts.append(_strongest(result, top, arrow))
    if result.changes_sought:
        parts.append(_changes(result))
    return "\n\n".join(parts)


def in_two_sentences(result: FitResult, arrow: str = "→") -> str:
    """What was found, as somebody who knows the field but no statistics would tell it."""
    experiments = f" ({len(result.intervened)} of them set in experiments)"
    data = (
        f"{_count(result.n_rows, 'row')} of {_count(len(result.names), 'variable')}"
        f"{experiments if result.intervened else ''}"
    )
    if not result.n_edges:
        return (
            f"In {data}, {result.method} found no link between any two variables. Either they do "
            "not depend on each other, or the rows are too few to show it."
        )
    told = int(result.cpdag.directed.sum())
    links = _count(result.n_edges, "direct link")
    how_many = f"{told:,}" if told else "none"
    which = "all" if told == result.cpdag.n_edges else how_many
    who = "the data tell"
    if result.settings.get("knowledge") is not None:
        who = "the data and the knowledge given tell"
    directions = f"{who} the direction of {which} of them"
    return f"In {data}, {result.method} found {links}; {directions}. {_second(result, arrow)}"


def _second(result: FitResult, arrow: str) -> str:
    """The strongest links, and who has none."""
    rows = result.edge_table(level=None).rows()[:3]
    shown = [
        f"{_short(row['from'])} {arrow} {_short(row['to'])}{_sign(row.get('coefficient'))}"
        for row in rows
    ]
    strongest = "The only one is" if result.n_edges == 1 else "The strongest are"
    if 1 < result.n_edges <= len(shown):
        strongest = "They are"
    joined = " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
    linked = {node for edge in result.dag.edges() for node in edge}
    alone = [name for node, name in enumerate(result.names) if node not in linked]
    rest = f"; without any link: {listed(alone, 3)}" if alone else ""
    return f"{strongest} {joined}{rest}."


def _sign(coefficient: float | None) -> str:
    """The sign of an edge, if it has one."""
    if not coefficient:
        return ""
    return " (positive)" if coefficient > 0 else " (negative)"


def _facts(result: FitResult) -> list[tuple[str, str]]:
    seed = "" if result.seed is None else f", seed {result.seed}"
    facts = [
        ("method", f"{result.method}{seed}"),
        ("score", f"BIC {result.bic:,.1f} (larger is better)"),
        ("search", _stopped(result)),
    ]
    dropped = result.audit.get("rows_dropped", 0)
    if dropped:
        text = f"{dropped:,} of {dropped + result.n_rows:,}, with missing values, were left out"
        facts.insert(0, ("rows", text))
    if result.intervened:
        facts.insert(0, ("set", listed(result.intervened)))
    return facts


def _stopped(result: FitResult) -> str:
    seconds = result.timings.get("total")
    time = "" if seconds is None else f" after {seconds:.1f} s"
    compiling = result.timings.get("compile", 0.0)
    if compiling >= 1.0:
        time += f", {compiling:.1f} s of them to compile what later fits find ready"
        if result.stopped == "time limit" and seconds and compiling > seconds / 3:
            time += "; little was left for the search: run it again"
    state = "" if result.converged else ", not converged"
    early = "" if result.stopped == "finished" else " (this is the best network so far)"
    return f"{result.stopped}{time}{state}{early}"


def _strongest(result: FitResult, top: int, arrow: str) -> str:
    table = result.edge_table(level=None)
    edges = [
        f"{_short(source)} {arrow} {_short(target)}"
        for source, target in zip(table["from"], table["to"], strict=True)
    ]
    heading = "strongest edges" if top < len(edges) else "edges"
    spelled = {
        "coefficient": "coefficient",
        "std_error": "std. error",
        "standardised": "standardised",
        "strength": "strength (log odds)",
    }
    figures = {words: table[name] for name, words in spelled.items() if name in table.columns}
    columns = {heading: edges, **figures}
    if "confidence" in result.edge_values:
        columns["confidence"] = table["confidence"]
    columns["direction"] = table["direction"]
    return Table(columns).to_text(top)


def _changes(result: FitResult) -> str:
    from arcs.regimes import describe_changes

    if not result.changes:
        return "changed mechanisms: none; the conditions look alike"
    lines = [f"  {printable(line)}" for line in describe_changes(result.changes).splitlines()]
    heading = f"changed mechanisms: {len(result.changes)} (evidence: logarithm of the odds)"
    return "\n".join([heading, *lines])


def listed(names: Sequence[str], most: int = 6) -> str:
    """The first few names."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(_short(name) for name in names[:most]) + more


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _short(name: str) -> str:
    return printable(name if len(name) <= _LONGEST_NAME else f"{name[:14]}...{name[-7:]}")
