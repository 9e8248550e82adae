"""What fits return is what they returned when the record was made (tests/reference/fits.py)."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent / "reference"))
import fits

RECORD = json.loads(fits.RECORD.read_text(encoding="utf-8"))
CASES = dict(fits.cases())


def test_the_record_has_every_case():
    assert list(RECORD) == list(CASES)
    assert len(CASES) >= 60


@pytest.mark.parametrize("name", CASES)
def test_answers_are_what_they_were(name):
    expected, found = RECORD[name], fits.run(CASES[name])
    for exact in ("edges", "undirected", "order", "changes"):
        assert found[exact] == expected[exact], exact
    for rounded in ("score", "coefficients", "noise_variances"):
        np.testing.assert_allclose(found[rounded], expected[rounded], rtol=1e-7, atol=1e-9)
