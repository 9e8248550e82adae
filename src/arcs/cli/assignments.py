"""``NAME=VALUE`` on the command line: variables of a result, with numbers."""

from __future__ import annotations

from collections.abc import Sequence

import typer

__all__ = ["levels_by_name", "numbers_by_name", "values_by_name"]


def levels_by_name(words: Sequence[str], names: Sequence[str], option: str) -> dict[str, str]:
    """``X=level``; the level may hold an equals sign (``X=<= 2``), or else the name."""
    found: dict[str, str] = {}
    for word in words:
        name, equals, text = word.partition("=")
        while equals and name not in names and "=" in text:
            more, _, text = text.partition("=")
            name = f"{name}={more}"
        if not equals or not name:
            raise typer.BadParameter(f"{word!r} is not NAME=VALUE", param_hint=option)
        refuse_unknown_name(name, names, option)
        if name in found:
            raise typer.BadParameter(f"{name!r} is given twice", param_hint=option)
        found[name] = text.strip()
    return found


def values_by_name(
    words: Sequence[str], names: Sequence[str], option: str
) -> dict[str, float | list[float]]:
    """``X=1`` or ``X=0,1,2``; a name may hold an equals sign itself."""
    found: dict[str, float | list[float]] = {}
    for word in words:
        name, equals, text = word.rpartition("=")
        if not equals or not name:
            raise typer.BadParameter(f"{word!r} is not NAME=VALUE", param_hint=option)
        refuse_unknown_name(name, names, option)
        if name in found:
            raise typer.BadParameter(f"{name!r} is given twice", param_hint=option)
        try:
            values = [float(part) for part in text.split(",")]
        except ValueError:
            raise typer.BadParameter(
                f"{word!r}: {text!r} is no number (or numbers separated by commas)",
                param_hint=option,
            ) from None
        found[name] = values[0] if len(values) == 1 else values
    return found


def numbers_by_name(words: Sequence[str], names: Sequence[str], option: str) -> dict[str, float]:
    """The same with one number each."""
    found: dict[str, float] = {}
    for name, value in values_by_name(words, names, option).items():
        if isinstance(value, list):
            raise typer.BadParameter(f"{name!r} needs one number", param_hint=option)
        found[name] = value
    return found


def refuse_unknown_name(name: str, names: Sequence[str], option: str) -> None:
    """A variable that the result does not have, refused with the nearest one that it has."""
    from arcs.errors import nearest_name

    if name not in names:
        raise typer.BadParameter(
            f"there is no variable {name!r}{nearest_name(name, names)}", param_hint=option
        )
