"""What a person has chosen, and the same as a command line and as Python.

The app has no way of its own to read data or to fit: choices become the arguments of the functions
behind ``arcs fit``, so that whatever is done by hand can be done again without the app.
"""

from __future__ import annotations

import csv
import io
import json
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from arcs.app.tables import Table
from arcs.data import Dataset
from arcs.data.conditions import NO_CONDITIONS
from arcs.data.discretize import is_cut
from arcs.data.transforms import AUTO
from arcs.errors import SettingsError
from arcs.knowledge import Knowledge
from arcs.knowledge.files import knowledge_text
from arcs.regimes.kinds import regime_kind

__all__ = ["Choices", "Start", "command_line", "python_code"]


@dataclass(frozen=True)
class Choices:
    """Roles of columns, policies, method and settings.

    Attributes
    ----------
    roles : mapping of str to str
        For each column one of :data:`arcs.app.tables.ROLES`.
    missing, drop_constant, drop_unmeasured, control, intervention_kind, condition_policy
        As the options of ``arcs fit``.
    transform : str
        One word for all variables: a transform, or a way to cut them into levels.
    scales : mapping of str to str
        Words for single columns, instead.
    method : str
    seed : int
    settings : mapping
        Settings of the method that differ from their defaults.
    """

    roles: Mapping[str, str] = field(default_factory=dict)
    missing: str = "error"
    drop_constant: bool = False
    drop_unmeasured: bool = False
    control: str = ""
    intervention_kind: str = "hard"
    condition_policy: str = "auto"
    transform: str = "none"
    scales: Mapping[str, str] = field(default_factory=dict)
    method: str = "arcs"
    seed: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Choices:
        """From plain values; what there is no such choice for is refused."""
        unknown = set(given) - set(cls.__dataclass_fields__)
        if unknown:
            raise SettingsError(f"there is no choice {sorted(unknown)[0]!r}")
        return cls(**given)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    def with_(self, **changes: Any) -> Choices:
        """A copy with some choices replaced."""
        return replace(self, **changes)

    def columns(self, role: str) -> list[str]:
        """The columns of that role."""
        return [name for name, chosen in self.roles.items() if chosen == role]

    def reading(self) -> dict[str, Any]:
        """What is said about reading, as :func:`arcs.cli.inputs.read_data` takes it."""
        told: dict[str, Any] = {"interventions": self._one("intervention")}
        if self.columns("out"):
            told["exclude"] = self.columns("out")
        if self.missing != "error":
            told["missing"] = self.missing
        if self.drop_constant:
            told["constant"] = "isolate"
        if self.drop_unmeasured:
            told["unmeasured"] = "drop"
        if self.control:
            told["control"] = self.control
        cuts = self.cuts()
        categories = [name for name in self.columns("category") if name not in cuts]
        if categories:
            told["discrete"] = categories
        if cuts:
            told["discretize"] = cuts
        if self.columns("covariate"):
            told["adjust"] = self.columns("covariate")
        if self._one("condition") is not None:
            told["conditions"] = self._one("condition")
        if self.condition_policy == NO_CONDITIONS:
            told["conditions"] = NO_CONDITIONS
        elif self.condition_policy != "auto":
            told["condition_policy"] = self.condition_policy
        if self.transforms() is not None:
            told["transform"] = self.transforms()
        return told

    def transforms(self) -> Any:
        """Transforms as ``transform=`` takes them; single columns come before all of them."""
        variables = self.columns("variable")
        usual = "none" if is_cut(self.transform) else self.transform
        single = {name: self.scales[name] for name in variables if self.scales.get(name)}
        if not single and (usual in ("none", AUTO) or not self.columns("category")):
            return None if usual == "none" else usual
        rest = {} if usual == AUTO else dict.fromkeys(variables, usual)
        chosen = {**rest, **single}.items()
        return {name: word for name, word in chosen if word != "none" and not is_cut(word)} or None

    def cuts(self) -> dict[str, str]:
        """Columns of numbers that are cut into levels, as ``discretize=`` takes them."""
        words = dict.fromkeys(self.columns("variable"), self.transform)
        for name in (*words, *self.columns("category")):
            words[name] = self.scales.get(name) or words.get(name, "none")
        return {name: word for name, word in words.items() if is_cut(word)}

    def read(self, table: Table, **changes: Any) -> Dataset:
        """The data, as ``arcs fit`` would read them."""
        from arcs.cli.inputs import read_data

        known = regime_kind(self.intervention_kind).knows_targets
        told = {**self.reading(), "known_targets": known, **changes}
        column = told.pop("interventions")
        return read_data(table.path, column, **told)

    def learner_settings(self) -> dict[str, Any]:
        """Settings for :func:`arcs.learners.learner`."""
        settings: dict[str, Any] = {"random_state": self.seed, **self.settings}
        if self.intervention_kind != "hard":
            settings["intervention_kind"] = self.intervention_kind
        return settings

    def _one(self, role: str) -> str | None:
        found = self.columns(role)
        if len(found) > 1:
            raise SettingsError(
                f"{len(found)} columns are chosen as {role!r} ({', '.join(found[:5])}); one can be"
            )
        return found[0] if found else None


@dataclass(frozen=True)
class Start:
    """Where a fit began: the number of an earlier one in the history, whose order it took."""

    number: int | None = None
    knowledge: Knowledge | None = None


def command_line(choices: Choices, table: Table, start: Start, number: int) -> str:
    """The fit as shell commands; the first ones write what the last one reads."""
    lines, words = [], ["arcs", "fit", str(table.path), *_reading_words(choices)]
    if choices.method != "arcs":
        words += ["--method", choices.method]
    if choices.intervention_kind != "hard":
        words += ["--intervention-kind", choices.intervention_kind]
    if start.knowledge is not None:
        name = f"knowledge-{number}.toml"
        text = knowledge_text(start.knowledge)
        lines.append(f"cat > {name} <<'END_OF_KNOWLEDGE'\n{text}END_OF_KNOWLEDGE")
        words += ["--knowledge", name]
    if start.number is not None:
        words += ["--init", f"fit-{start.number}/result.json"]
    for key, value in choices.settings.items():
        words += ["--set", f"{key}={value if isinstance(value, str) else json.dumps(value)}"]
    words += ["--seed", str(choices.seed), "--out", f"fit-{number}"]
    return "\n".join([*lines, shlex.join(words)])


def _reading_words(choices: Choices) -> list[str]:
    words: list[str] = []
    told = choices.reading()
    if told["interventions"] is not None:
        words += ["--interventions", told["interventions"]]
    for name in told.get("exclude", ()):
        words += ["--exclude", name]
    if "discrete" in told:
        words += ["--discrete", _one_line(told["discrete"])]
    if "adjust" in told:
        words += ["--adjust", ",".join(told["adjust"])]
    for name in ("conditions", "condition_policy", "missing", "constant", "control"):
        if name in told:
            words += [f"--{name.replace('_', '-')}", told[name]]
    if "unmeasured" in told:
        words.append("--drop-unmeasured")
    for name in ("transform", "discretize"):
        if name in told:
            words += [f"--{name}", _words_with_columns(told[name])]
    return words


def _one_line(names: list[str]) -> str:
    """Names with commas between them; those that hold one are quoted."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def _words_with_columns(given: Any) -> str:
    """``log:raf,mek; normal-scores:akt``, or the one word."""
    if isinstance(given, str):
        return given
    groups: dict[str, list[str]] = {}
    for name, word in given.items():
        groups.setdefault(word, []).append(name)
    return "; ".join(f"{word}:{','.join(names)}" for word, names in groups.items())


def python_code(choices: Choices, table: Table, start: Start, number: int) -> str:
    """The same fit as lines of Python."""
    imports = ["from arcs import learner"]
    settings = {**choices.learner_settings()}
    words = {key: repr(value) for key, value in settings.items()}
    if start.knowledge is not None:
        imports.append("from arcs.knowledge import Knowledge")
        words["knowledge"] = f"Knowledge(**{start.knowledge.to_dict()!r})"
    if start.number is not None:
        imports.append("from arcs.results import FitResult")
        words["init"] = f"FitResult.load('fit-{start.number}/result.json').order"
    told = choices.reading()
    fit = {"interventions": told.pop("interventions"), **told}
    arguments = [repr(str(table.path)), *_keywords(fit)]
    model = ",\n    ".join([repr(choices.method), *(f"{k}={v}" for k, v in words.items())])
    return "\n".join(
        [
            *imports,
            "",
            f"model = learner(\n    {model},\n)",
            f"result = model.fit({', '.join(arguments)})",
            f"result.save('fit-{number}/result.json')",
        ]
    )


def _keywords(values: Mapping[str, Any]) -> list[str]:
    return [f"{key}={value!r}" for key, value in values.items() if value is not None]
