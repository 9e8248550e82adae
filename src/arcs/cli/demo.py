"""``arcs demo``: the story of the protein-signalling data of Sachs et al., from rows to report."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcs.cli import options
from arcs.cli.bundle import output_folder, write_bundle
from arcs.cli.console import arrow, message, new_table, output
from arcs.cli.failures import INTERRUPTED
from arcs.cli.fit import notes_about_data, run_learner
from arcs.cli.inputs import parse_settings, refuse_unknown_method
from arcs.cli.summary import print_result

if TYPE_CHECKING:
    from rich.console import Console

    from arcs.datasets.sachs import SachsData
    from arcs.results import FitResult

__all__ = ["demo"]

REPORT = "Protein signalling in human T cells"
TITLE = "Let the means differ, and a thicket becomes a network"
CAUTION = (
    "The literature: 17 edges, themselves learned from these cells after discretisation, and "
    "disputed. No setting was chosen by looking at them."
)
_REPLICATES = 25


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to.")] = Path("demo"),
    method: options.Method = "arcs",
    seed: options.Seed = 0,
    setting: options.Settings = [],  # noqa: B006
) -> None:
    """Learn a protein-signalling network from real experiments.

    The data of Sachs et al. (Science 2005): 7,466 human T cells, 11 proteins, nine experiments.
    What the experiments do to the means, the network with and without that, how far its edges can
    be trusted, what the literature says and what is disputed. Takes less than a minute.

    \b
    Examples:
      arcs demo --out demo
      arcs demo --method ges
    """
    from arcs.datasets import load_sachs

    refuse_unknown_method(method, "--method")
    console = output()
    sachs = load_sachs()
    console.print("Protein signalling in human T cells (Sachs et al., Science 2005)\n")
    _print_means(console, sachs)
    settings = {"random_state": seed, **parse_settings(setting)}
    with output_folder(out) as folder, notes_about_data():
        result = run_learner(method, sachs.data, settings, quiet=False)
        if result.stopped == "interrupted":
            raise typer.Exit(INTERRUPTED)
        with notes_about_data(quiet=True):
            # A warning against the thicket would be news to nobody: that is what it is shown for.
            ignored = run_learner(method, sachs.data.with_conditions(None), settings, quiet=False)
        result = _with_confidence(result, sachs, settings)
        result = result.with_(source="Sachs et al. (2005), logarithms")
        bundle = write_bundle(result, folder, title=REPORT)
        bundle.refuse_failures()
        pictures = _write_pictures(result, ignored, sachs, folder)
        drawn = any(name == "story.png" for name, _ in pictures)
        _write_story(result, sachs, folder, folder / "story.svg" if drawn else None)
    print_result(console, result, top=result.n_edges)
    _print_policies(console, sachs, method, settings, ignored)
    console.print("\nAgainst the literature (directions compared directly)")
    for line in [*_literature(result, sachs, arrow(console)), *_effect(result)]:
        console.print(line)
    _print_files(console, folder, [*pictures, ("report.html", "interactive report")])


def _print_means(console: Console, sachs: SachsData) -> None:
    import numpy as np

    from arcs.plots.story import condition_means

    _, shares = condition_means(sachs.data)
    console.print(
        f"Nine experiments, with other reagents and on other days. They explain "
        f"{100 * np.median(shares):.0f} % of the variance of a protein in the median: whatever "
        "moves together between them looks like cause and effect, unless their means may differ.\n"
    )


def _with_confidence(result: FitResult, sachs: SachsData, settings: dict[str, Any]) -> FitResult:
    """Bootstrap confidence, by the policy that was decided."""
    from dataclasses import fields

    from arcs.confidence import bootstrap
    from arcs.learners import LEARNERS, learner

    quick = (
        {"patience": 1} if "patience" in {f.name for f in fields(LEARNERS[result.method])} else {}
    )
    model = learner(result.method, **{**quick, **settings})
    data = sachs.data.decided(result.preparation)
    return bootstrap(data, model, _REPLICATES, random_state=0).attach(result)


def _policies(
    sachs: SachsData, method: str, settings: dict[str, Any], ignored: FitResult
) -> Iterator[tuple[str, FitResult]]:
    """The network of every policy that the method knows."""
    from arcs.learners import LEARNERS

    conditions = sachs.data.conditions
    assert conditions is not None
    yield "common (all alike)", ignored
    known = ("sparse", "mixed", "free") if LEARNERS[method].uses_knowledge else ("free",)
    for policy in known:
        data = sachs.data.with_conditions(conditions.settled(None, policy))
        with notes_about_data(quiet=True):
            result = run_learner(method, data, settings, quiet=True)
        yield policy, result


def _print_policies(
    console: Console,
    sachs: SachsData,
    method: str,
    settings: dict[str, Any],
    ignored: FitResult,
) -> None:
    """All policies as they are, the chosen one or not."""
    from arcs.metrics import evaluate

    table = new_table(
        ("which means may differ", "left"),
        ("edges", "right"),
        ("SHD to the 17", "right"),
        ("to the 20", "right"),
    )
    for name, result in _policies(sachs, method, settings, ignored):
        distances = [
            evaluate(result.dag, graph, True).SHD for graph in (sachs.reference, sachs.textbook)
        ]
        table.add_row(f"  {name}", str(result.n_edges), *map(str, distances))
    console.print()
    console.print(table)
    console.print("  (the choice between them knows nothing of the literature)")


def _literature(result: FitResult, sachs: SachsData, sign: str) -> Iterator[str]:
    """The network beside what was published, and what is disputed and what is open."""
    from arcs.metrics import evaluate

    graphs = ((17, "edges that Sachs et al. found", sachs.reference),)
    for count, what, graph in (*graphs, (20, "edges of the textbooks then", sachs.textbook)):
        found = evaluate(result.dag, graph, True)
        yield (
            f"{count} {what}: {found.TP} of {result.n_edges} are there, {found.R} the other way "
            f"round, {found.FP} not there; {found.M} more are in the literature only (SHD "
            f"{found.SHD})."
        )
    yield (
        "Disputed: the 17 edges were themselves learned from these cells, after discretisation; "
        "inhibitors block activity, while the phosphorylated amount is what was measured (under "
        "U0126 phospho-MEK rises), so that raf and mek, or erk and akt, may well point the other "
        "way; LY294002 acts on PI3K, which nobody measured."
    )
    open_ = [
        f"{result.names[i]} {sign} {result.names[j]}"
        for i, j in result.dag.edges()
        if result.cpdag.undirected[i, j]
    ]
    if open_:
        yield f"Left open by the data: the direction of {', '.join(open_)}."


def _effect(result: FitResult) -> Iterator[str]:
    """The effect of the protein that was both inhibited and activated, with its interval."""
    from arcs.effects import effect_table, implied_precision

    table = effect_table(result.dag, implied_precision(result.dag, result.n_per_node))
    i, j = result.names.index("pkc"), result.names.index("p38")
    if table.effects[i, j]:
        yield (
            "One effect: if PKC, which was both inhibited and activated, doubles, p38 changes by a "
            f"factor of {2 ** table.effects[i, j]:.2f} (95 % interval {2 ** table.lower[i, j]:.2f} "
            f"to {2 ** table.upper[i, j]:.2f}, if the network is right)."
        )


def _write_story(result: FitResult, sachs: SachsData, folder: Path, picture: Path | None) -> None:
    """The report once more, with the picture and the literature before the graph."""
    from arcs.report import Preface, write_report

    drawn = None if picture is None else picture.read_bytes()
    lines = [*_literature(result, sachs, "→"), *_effect(result)]
    write_report(
        result,
        folder / "report.html",
        title=REPORT,
        preface=Preface("The story in one picture", lines, drawn),
    )


def _print_files(console: Console, folder: Path, files: list[tuple[str, str]]) -> None:
    console.print("\nLook at")
    width = max(len(f"{folder / name}") for name, _ in files)
    for name, meaning in files:
        console.print(f"  {folder / name!s:<{width}}  {meaning}", soft_wrap=True)
    console.print("Ask it")
    for words in (f"effect {folder} pkc p38", f"predict {folder} --do pkc=1,2", f"design {folder}"):
        console.print(f"  arcs {words}", soft_wrap=True)


def _write_pictures(
    result: FitResult, ignored: FitResult, sachs: SachsData, folder: Path
) -> list[tuple[str, str]]:
    """The story as a picture where matplotlib is installed; the network's SVG in any case."""
    from arcs.errors import MissingDependencyError
    from arcs.files import write_atomically
    from arcs.plots.story import Story, plot_story

    drawn = [("graph.svg", "the network")]
    subtitle = "7,466 human T cells, 11 proteins, 9 experiments (Sachs et al., Science 2005)"
    try:
        story = Story(sachs.data, ignored, result, sachs.reference, TITLE, subtitle, CAUTION)
        figure = plot_story(story)
        for name in ("story.png", "story.svg"):
            with write_atomically(folder / name, "wb") as stream:
                figure.savefig(stream, format=name[-3:], dpi=150)
        drawn.insert(0, ("story.png", "the story in one picture (also story.svg)"))
    except MissingDependencyError as error:
        message(f"note: {error}")
    return drawn
