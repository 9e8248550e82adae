"""All that is wrong with a file in one go, and a command that would work."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from arcs.cli.failures import CommandError

if TYPE_CHECKING:
    from arcs.data.survey import ColumnFacts, TableFacts

__all__ = ["Given", "explained"]

#: Options, with a value, about what must be decided before a fit and not before a look.
_NOT_FOR_AUDIT = ("--missing", "--constant", "--target-suffix")
#: Suffixes of targets that people write.
_SUFFIXES = ("_KO", "-KO", " KO", "_KD", "-KD", "_OE", "-OE", "_del", "_inhibitor", "i")
#: Words for rows that nobody treated, which have to be said with --control.
_CONTROLS = (
    *("wt", "wild type", "wild-type", "wildtype", "dmso", "untreated", "vehicle", "ctrl", "mock"),
    *("baseline", "unperturbed", "non-targeting", "nt", "scramble", "observational"),
)


@dataclass(frozen=True)
class Given:
    """What was said about reading the file."""

    command: str
    path: Path
    #: The file to look at, if it is not the one that was named (a table turned round).
    file: Path
    interventions: str | None = None
    target_suffix: str = ""
    delimiter: str | None = None
    missing: str = "error"
    constant: str = "error"
    exclude: Sequence[str] = ()
    #: Further options, as they stand on the command line.
    others: Sequence[str] = ()
    #: Columns with a role of their own: covariates, conditions.
    roles: Sequence[str] = ()

    def target_columns(self) -> list[str]:
        """The column of targets, if they do not stand in a file of their own."""
        label = self.interventions
        return [] if label is None or Path(label).is_file() else [label]


@dataclass
class _Advice:
    """Problems, and the options that mend them."""

    problems: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    exclude: list[str] = field(default_factory=list)
    adjust: list[str] = field(default_factory=list)


def explained(error: Exception, given: Given) -> Exception:
    """The error to raise instead: all problems of the file, or `error` where a look shows none."""
    from arcs.data.counting import FEWEST_ROWS
    from arcs.data.readers import open_table
    from arcs.data.survey import survey
    from arcs.errors import ArcsError

    if not given.file.is_file():
        return error
    try:
        header = set(open_table(given.file, given.delimiter).names)
        named = {*given.exclude, *given.roles, *given.target_columns()}
        if not named <= header:
            return error  # which is about columns that there are not
        facts = survey(given.file, given.delimiter, [*given.exclude, *given.roles])
    except (ArcsError, OSError):
        return error
    if facts.rows < FEWEST_ROWS:
        return error  # no option mends that
    advice = _Advice()
    if given.file == given.path and facts.looks_transposed():
        advice.problems.append(
            f"variables seem to be in rows, samples in columns ({facts.columns[1].name!r}, ...)"
        )
        advice.words.append("--transpose")
    else:
        _texts(facts, given, advice)
        _numbers(facts, given, advice)
        if advice.problems:
            _covariates(facts, given, advice)
    if not advice.problems or not advice.words + advice.exclude + advice.adjust:
        return error
    if {column.name for column in facts.columns} <= {*advice.exclude, given.interventions}:
        texts = facts.text_columns()
        ids = [column.name for column in texts if _tells_rows_apart(column)]
        if len(advice.exclude) < len(texts) or len(texts) - len(ids) < 2:
            return error  # nothing would be left
        problem = f"{len(texts)} columns hold text, and none numbers: categories?"
        advice = _Advice([problem], ["--discrete", "auto"], exclude=ids)
    problems = "".join(f"\n  {problem}" for problem in advice.problems)
    return CommandError(
        f"{given.path} cannot be used as it is:{problems}\nThis would work:\n  "
        f"{_command(given, advice)}"
    )


def _texts(facts: TableFacts, given: Given, advice: _Advice) -> None:
    """Columns of text: one that names columns tells the targets, the others are in the way."""
    from arcs.data.delimited import is_number

    targets = _targets(facts, given, advice)
    for column in facts.text_columns():
        if column is targets or column.name == given.interventions:
            continue
        example = next(iter(column.texts))[:30]
        hint = ""
        if len(column.texts) <= 20:
            hint = "; a category of the network? then --discrete; a batch? then --adjust instead"
        if all(is_number(text, ",") for text in column.texts):
            hint = "; a decimal comma? then write points, or separate the fields by ';'"
        advice.problems.append(f"column {column.name!r} holds text ({example!r}){hint}")
        advice.exclude.append(column.name)
    grouping = [c.name for c in facts.text_columns() if _groups_rows(c, facts.rows)]
    grouping = [name for name in grouping if name in advice.exclude]
    if "--adjust" not in given.others and 3 * len(grouping) <= len(facts.columns):
        # What batches differ by would make a thicket of the rest.
        advice.adjust += grouping
        advice.exclude = [name for name in advice.exclude if name not in grouping]


def _tells_rows_apart(column: ColumnFacts) -> bool:
    """Whether a column looks like names of rows: most of its texts stand in one row only."""
    return sum(count == 1 for count in column.texts.values()) > len(column.texts) / 2 > 5


def _groups_rows(column: ColumnFacts, rows: int) -> bool:
    """Whether a column looks like batches or another covariate: few words, each in several rows.

    With a cell missing or a number among them it could not be adjusted for as it is, and a name
    that is more than a word would have to be spelled as a term.
    """
    few = 2 <= len(column.texts) <= min(20, rows // 5)
    return few and not column.missing and not column.numbers and column.name.isidentifier()


def _targets(facts: TableFacts, given: Given, advice: _Advice) -> ColumnFacts | None:
    """The column that tells the targets, with what has to be said about its labels."""
    if given.interventions is None:
        targets, suffix = _target_column(facts)
        if targets is not None:
            shown = ", ".join(map(repr, list(targets.texts)[:3]))
            advice.problems.append(
                f"column {targets.name!r} names columns ({shown}): it tells what was intervened "
                "upon in each row"
            )
            advice.words += ["-i", targets.name]
    else:
        candidates = [c for c in facts.text_columns() if c.name in given.target_columns()]
        settled = {"--drop-unmeasured", "--intervention-kind"} & set(given.others)
        if not candidates or settled or given.target_suffix:
            return None
        targets, suffix = _target_column(facts, candidates[0].name)
        unknown = [] if targets is None else facts.unknown_labels(targets)
        if targets is None or not _all_untreated(facts.unknown_labels(targets, suffix)):
            return candidates[0]  # a slip or a target that was not measured: the error tells
        if unknown and (suffix or "--control" not in given.others):
            shown = ", ".join(map(repr, unknown[:3]))
            advice.problems.append(f"labels of {given.interventions!r} name no column ({shown})")
    if targets is not None:
        advice.words += ["--target-suffix", suffix] if suffix else []
        if "--control" not in given.others:
            advice.words += _labels_without_column(targets, facts, suffix)
    return targets


def _all_untreated(labels: Sequence[str]) -> bool:
    """Whether labels are words for rows that nobody treated."""
    return all(label.casefold() in _CONTROLS for label in labels)


def _target_column(facts: TableFacts, name: str | None = None) -> tuple[ColumnFacts | None, str]:
    for suffix in ("", *_SUFFIXES):
        found = [c for c in facts.target_columns(suffix) if name is None or c.name == name]
        if found:
            return found[0], suffix
    return None, ""


def _labels_without_column(targets: ColumnFacts, facts: TableFacts, suffix: str) -> list[str]:
    """Options for labels that name no column: of untreated rows, or of what was not measured."""
    unknown = facts.unknown_labels(targets, suffix)
    controls = [label for label in unknown if label.casefold() in _CONTROLS]
    if not controls and len(unknown) == 1:
        controls = unknown  # the only word among targets that is none
    words = ["--control", controls[0]] if controls else []
    return words + (["--drop-unmeasured"] if len(unknown) > len(controls[:1]) else [])


def _numbers(facts: TableFacts, given: Given, advice: _Advice) -> None:
    """Missing values, and columns that do not vary."""
    numeric = [c for c in facts.columns if not c.is_text and c.name != given.interventions]
    holes = [column for column in numeric if column.missing and column.numbers]
    if holes and given.missing == "error":
        listed = ", ".join(f"{column.name!r} ({column.missing:,})" for column in holes[:5])
        more = f" and {len(holes) - 5} more" if len(holes) > 5 else ""
        columns = "1 column" if len(holes) == 1 else f"{len(holes)} columns"
        experiment = given.interventions is not None or "-i" in advice.words
        # One covariance cannot stand for rows of several distributions.
        choice = "--missing drop" if experiment else "--missing drop, pairwise or em"
        advice.problems.append(f"values are missing in {columns}: {listed}{more} ({choice})")
        few = sum(column.missing for column in holes) < 0.5 * facts.rows
        advice.words += ["--missing", "drop" if experiment or few else "em"]
    empty = [column.name for column in numeric if not column.numbers]
    if empty:
        advice.problems.append(f"no value at all in {', '.join(map(repr, empty[:5]))}")
        advice.exclude += empty
    flat = [column.name for column in numeric if column.numbers and not column.varies]
    if flat and given.constant == "error":
        what = "column" if len(flat) == 1 else f"{len(flat)} columns"
        verb = "does" if len(flat) == 1 else "do"
        advice.problems.append(f"{what} {', '.join(map(repr, flat[:5]))} {verb} not vary")
        advice.words += ["--constant", "isolate"]


def _covariates(facts: TableFacts, given: Given, advice: _Advice) -> None:
    """Numbers that are covariates by their names: no reason to refuse a table, but to ask."""
    from arcs.data.survey import covariate_term

    if "--adjust" in given.others or "--discrete" in given.others:
        return
    whole = [c for c in facts.columns if not c.is_text and not c.missing and c.varies]
    terms = {c.name: covariate_term(c.name) for c in whole if c.name != given.interventions}
    for name, term in terms.items():
        if term is not None:
            advice.problems.append(
                f"column {name!r} is a covariate by its name: adjusted for below; if it is a "
                "variable of the network, take it out of --adjust"
            )
            advice.adjust.append(term)


def _command(given: Given, advice: _Advice) -> str:
    looking = given.command == "audit" and "--transpose" not in advice.words
    command = "fit" if given.command == "audit" and not looking else given.command
    words = ["arcs", command, str(given.path)]
    if given.interventions is not None:
        words += ["-i", given.interventions]
    if given.target_suffix:
        words += ["--target-suffix", given.target_suffix]
    if given.missing != "error":
        words += ["--missing", given.missing]
    if given.constant != "error":
        words += ["--constant", given.constant]
    out = [*given.exclude, *advice.exclude]
    plain = [name for name in out if not set(name) & set(',"')]
    words += [word for name in out if name not in plain for word in ("--exclude", _quoted(name))]
    if plain:
        words += ["--exclude", ",".join(plain)]
    if advice.adjust:
        words += ["--adjust", ",".join(advice.adjust)]
    words += [*given.others, *advice.words]
    return shlex.join(_about_looking(words) if looking else words)


def _about_looking(words: list[str]) -> list[str]:
    """Without the options of `arcs fit` that looking at a table does without."""
    kept: list[str] = []
    skip = False
    for word in words:
        if not skip and word not in (*_NOT_FOR_AUDIT, "--drop-unmeasured"):
            kept.append(word)
        skip = word in _NOT_FOR_AUDIT
    return kept


def _quoted(name: str) -> str:
    """A name that holds commas or quotation marks, as one field."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
