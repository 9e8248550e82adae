"""Every promise of docs/promises.md names tests that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")


def test_every_promise_names_a_test():
    body = TEXT.replace("\n  ", " ")
    promises = [line for line in body.splitlines() if line.startswith("- ")]
    assert len(promises) > 25
    assert [line for line in promises if "`tests/" not in line] == []


def test_every_test_that_is_named_exists():
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", TEXT)
    assert len(named) > 45
    missing = []
    for path, name in named:
        file = ROOT / path
        source = file.read_text(encoding="utf-8") if file.exists() else ""
        if not source or (name and f"def {name}(" not in source):
            missing.append(f"{path}::{name}")
    assert missing == []
