"""Tables and matrices with names: what people get to look at.

Where pandas is installed, tables are its data frames. It is no requirement of the package, so there
is a small table with the same columns for everybody else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from markupsafe import escape
from numpy.typing import NDArray

from arcs.graphs.names import node_index

__all__ = ["LabelledMatrix", "Table", "printable"]

_MOST_ROWS = 20


class Table:
    """Columns of equal length, by name.

    Examples
    --------
    >>> table = Table({"from": ["a", "b"], "coefficient": [0.5, -1.25]})
    >>> table["coefficient"]
    [0.5, -1.25]
    >>> table
    from  coefficient
    a             0.5
    b           -1.25
    """

    __slots__ = ("_columns",)

    def __init__(self, columns: Mapping[str, Sequence[Any] | NDArray[Any]]):
        self._columns = {
            name: values.tolist() if isinstance(values, np.ndarray) else list(values)
            for name, values in columns.items()
        }

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self._columns)

    def __getitem__(self, column: str) -> list[Any]:
        return self._columns[column]

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def rows(self) -> list[dict[str, Any]]:
        """One mapping from column to value for each row."""
        return [
            dict(zip(self._columns, row, strict=True))
            for row in zip(*self._columns.values(), strict=True)
        ]

    def to_frame(self) -> Any:
        """A ``pandas.DataFrame`` if pandas is installed, otherwise this table itself."""
        try:
            import pandas as pd
        except ImportError:
            return self
        return pd.DataFrame(self._columns)

    def __repr__(self) -> str:
        return self.to_text()

    def to_text(self, most: int = _MOST_ROWS) -> str:
        """The first rows as aligned text: numbers to the right, everything else to the left."""
        parts = []
        for name, values in self._columns.items():
            cells = [name, *(_cell(value) for value in values[:most])]
            width = max(map(len, cells))
            right = any(isinstance(value, int | float) for value in values[:most])
            parts.append([cell.rjust(width) if right else cell.ljust(width) for cell in cells])
        lines = ["  ".join(row).rstrip() for row in zip(*parts, strict=True)]
        more = [f"... and {len(self) - most:,} more"] if len(self) > most else []
        return "\n".join([*lines, *more])

    def _repr_html_(self) -> str:
        heads = "".join(f"<th>{escape(name)}</th>" for name in self._columns)
        body = "".join(
            f"<tr>{''.join(f'<td>{escape(_cell(value))}</td>' for value in row.values())}</tr>"
            for row in self.rows()[:_MOST_ROWS]
        )
        left = len(self) - _MOST_ROWS
        more = f"<p>... and {left:,} more</p>" if left > 0 else ""
        return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{more}"


class LabelledMatrix:
    """A square matrix whose rows and columns are nodes, by position or by name.

    Anything that takes an array takes it: ``numpy.asarray(matrix)`` is :attr:`values`.

    Examples
    --------
    >>> effects = LabelledMatrix(np.array([[1.0, 0.5], [0.0, 1.0]]), ("rain", "wet"))
    >>> float(effects["rain", "wet"]), float(effects[0, 1])
    (0.5, 0.5)
    """

    __slots__ = ("names", "values")

    def __init__(self, values: NDArray[Any], names: tuple[str, ...]):
        self.values = values
        self.names = names

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, tuple):
            return self.values[tuple(self._position(part) for part in at)]
        return self.values[self._position(at)]

    def _position(self, part: Any) -> Any:
        return node_index(part, self.names) if isinstance(part, str) else part

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return len(self.names)

    def to_frame(self) -> Any:
        """A data frame with names on both sides; without pandas a table with a column "from"."""
        try:
            import pandas as pd
        except ImportError:
            return Table({"from": self.names, **dict(zip(self.names, self.values.T, strict=True))})
        return pd.DataFrame(self.values, index=list(self.names), columns=list(self.names))

    def __repr__(self) -> str:
        return repr(self.to_frame())

    def _repr_html_(self) -> str:
        return str(self.to_frame()._repr_html_())


def printable(text: str) -> str:
    """The text without control characters and others that show nothing."""
    return "".join(c if c.isprintable() else " " for c in text)


def _cell(value: Any) -> str:
    """A value for reading: three digits, nothing that would upset a terminal."""
    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:.3g}"
    return printable(str(value))
