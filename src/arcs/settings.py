"""What a setting may be: type, range, choice; declared beside the field, checked in one place.

A learner declares its settings as fields of a dataclass::

    max_parents: int | None = setting(None, whole(1) | NONE)

:func:`check_settings` goes through all of them before anything runs. A value that is not allowed is
a :class:`~arcs.errors.SettingsError` that names the setting, the value and what is allowed; what is
allowed is brought into its plain form, so that 1 for a number becomes 1.0, and a generator for a
seed the number that it draws. Numbers are finite, and at most 1e12 in size: beyond, squares and
exponentials overflow and nothing that is computed with them means anything.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import numbers
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from arcs.errors import SettingsError, nearest_name

__all__ = [
    "FLAG",
    "LEVEL",
    "NONE",
    "PATH",
    "SECONDS",
    "SEED",
    "Rule",
    "Setting",
    "anything",
    "check_settings",
    "choice",
    "described_settings",
    "instance",
    "is_path",
    "number",
    "numbers_of",
    "refuse_unknown",
    "setting",
    "setting_names",
    "whole",
]

_LARGEST_NUMBER = 1e12
_LARGEST_COUNT = 2**53
#: What a rule answers to a value that is not allowed.
_REFUSED = object()


@dataclass(frozen=True)
class Rule:
    """What a setting may be.

    Parameters
    ----------
    words : str
        Completes "it must be ...".
    accept : callable
        The plain form of a value, or `_REFUSED`.
    """

    words: str
    accept: Callable[[Any], Any]

    def __or__(self, other: Rule) -> Rule:
        def accept(value: Any) -> Any:
            plain = self.accept(value)
            return other.accept(value) if plain is _REFUSED else plain

        return Rule(f"{self.words}, or {other.words}", accept)

    def check(self, name: str, value: Any) -> Any:
        """The plain form of `value`; a `SettingsError` that says what `name` may be otherwise."""
        plain = self.accept(value)
        if plain is _REFUSED:
            large = _is_number(value) and math.inf > abs(value) > _LARGEST_NUMBER
            limit = f" (settings are at most {_LARGEST_NUMBER:g})" if large else ""
            raise SettingsError(f"{name} must be {self.words}, got {_shown(value)}{limit}")
        return plain


def _rule(words: str, holds: Callable[[Any], bool], plain: Callable[[Any], Any]) -> Rule:
    return Rule(words, lambda value: plain(value) if holds(value) else _REFUSED)


def _shown(value: Any) -> str:
    # Python refuses to spell integers of more than 4300 digits.
    huge = isinstance(value, int) and value.bit_length() > 128
    return "a number of more than 38 digits" if huge else f"{value!r:.80}"


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)


def whole(least: int, most: int = _LARGEST_COUNT) -> Rule:
    """Counts."""
    bound = f"of at least {least}" if most == _LARGEST_COUNT else f"from {least} to {most}"

    def holds(value: Any) -> bool:
        integral = isinstance(value, numbers.Integral) and not isinstance(value, bool | np.bool_)
        return integral and least <= value <= most

    return _rule(f"a whole number {bound}", holds, int)


def number(
    least: float | None = None,
    *,
    above: float | None = None,
    most: float | None = None,
    below: float | None = None,
) -> Rule:
    """Finite numbers in a range, whose bounds belong to it (`least`, `most`) or not."""
    low = above if least is None else least
    high = below if most is None else most
    if high is not None:
        bound = f"between {low:g} and {high:g}" if least is None else f"from {low:g} to {high:g}"
    else:
        bound = f"above {low:g}" if least is None else f"of at least {low:g}"

    def holds(value: Any) -> bool:
        if not _is_number(value) or not -_LARGEST_NUMBER <= value <= _LARGEST_NUMBER:
            return False
        inside_below = value > low if least is None else value >= low
        inside_above = high is None or (value < high if most is None else value <= high)
        return bool(math.isfinite(value) and inside_below and inside_above)

    return _rule(f"a number {bound}", holds, float)


def choice(*words: str) -> Rule:
    """One of some words."""
    said = f"one of {', '.join(words)}" if len(words) > 1 else repr(words[0])
    return _rule(said, lambda value: isinstance(value, str) and value in words, str)


def instance(kinds: type | tuple[type, ...], words: str) -> Rule:
    """Objects of some type, taken as they are."""
    return _rule(words, lambda value: isinstance(value, kinds), lambda value: value)


def anything(words: str = "anything") -> Rule:
    """What only the work itself can tell to be right."""
    return Rule(words, lambda value: value)


def numbers_of(rule: Rule) -> Rule:
    """A sequence of numbers, none of them outside of what `rule` allows."""

    def accept(value: Any) -> Any:
        if isinstance(value, str | bytes) or not isinstance(value, Sequence | np.ndarray):
            return _REFUSED
        plain = tuple(rule.accept(entry) for entry in value)
        return _REFUSED if not plain or _REFUSED in plain else plain

    return Rule(f"a sequence of numbers, each {rule.words}", accept)


def _seed(value: Any) -> Any:
    """A seed as a number, which can be written down with a result."""
    if isinstance(value, np.random.Generator):
        return int(value.integers(2**31 - 1))
    if isinstance(value, np.random.RandomState):
        return int(value.randint(2**31 - 1))
    integral = isinstance(value, numbers.Integral) and not isinstance(value, bool | np.bool_)
    return int(value) if integral and 0 <= value < 2**128 else _REFUSED


def is_path(value: Any) -> bool:
    """Whether a system could have a file of that name: NUL and half characters are in none."""
    text = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if not isinstance(text, str) or not text or "\0" in text:
        return False
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True


NONE = _rule("None", lambda value: value is None, lambda value: None)
FLAG = _rule("true or false", lambda value: isinstance(value, bool | np.bool_), bool)
LEVEL = dataclasses.replace(number(above=0, below=1), words="a level between 0 and 1")
SECONDS = dataclasses.replace(number(above=0), words="a positive number of seconds")
PATH = _rule("a path", is_path, lambda value: value)
SEED = Rule("a whole number of at least 0, a numpy Generator, a RandomState", _seed) | NONE


# --------------------------------------------------------------------------- of a dataclass
def setting(default: Any, rule: Rule, **options: Any) -> Any:
    """A field of a dataclass with what it may be; `options` are those of a dataclass field."""
    return field(default=default, metadata={"rule": rule}, **options)


def check_settings(configured: Any) -> None:
    """Check all settings of a dataclass and bring them into their plain form."""
    for entry in dataclasses.fields(configured):
        if "rule" in entry.metadata:
            plain = entry.metadata["rule"].check(entry.name, getattr(configured, entry.name))
            object.__setattr__(configured, entry.name, plain)


def setting_names(kind: type) -> tuple[str, ...]:
    """Names of the settings of a dataclass."""
    return tuple(entry.name for entry in dataclasses.fields(kind))


def refuse_unknown(kind: type, names: Sequence[str], whose: str) -> None:
    """Refuse settings that there are not, with a list of those that there are."""
    known = setting_names(kind)
    for name in names:
        if name not in known:
            raise SettingsError(
                f"{whose} has no setting {name!r}{nearest_name(name, known) or '.'} Its settings: "
                f"{', '.join(known)}"
            )


@dataclass(frozen=True)
class Setting:
    """A setting for people: name, default, what it may be, and what it is about."""

    name: str
    default: Any
    allowed: str
    about: str


def described_settings(kind: type) -> list[Setting]:
    """All settings of a dataclass; what they are about is the first sentence of its docstring."""
    about: dict[str, str] = {}
    for base in kind.__mro__[::-1]:
        about |= _sentences(inspect.cleandoc(base.__dict__.get("__doc__") or ""))
    found = []
    for entry in dataclasses.fields(kind):
        rule = entry.metadata.get("rule", anything())
        found.append(Setting(entry.name, entry.default, rule.words, about.get(entry.name, "")))
    return found


def _sentences(docstring: str) -> dict[str, str]:
    """First sentences of the parameters that a numpydoc docstring describes."""
    _, _, text = docstring.partition("Parameters\n----------\n")
    text = re.split(r"\n\n\S+\n-{3,}\n", text)[0]
    found: dict[str, str] = {}
    for entry in re.split(r"\n(?=\S)", text):
        head, _, body = entry.partition("\n")
        names, colon, _ = head.partition(" :")
        sentence = re.split(r"(?<=\.)\s", " ".join(body.split()), maxsplit=1)[0]
        if colon and sentence:
            found |= dict.fromkeys((name.strip() for name in names.split(",")), sentence)
    return found
