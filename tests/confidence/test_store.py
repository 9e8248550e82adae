"""The checkpoint of replicates: bound to all settings, and damage is called damage."""

import struct
import zlib

import numpy as np
import pytest

from arcs.confidence import bootstrap
from arcs.confidence.replicates import Outcome
from arcs.confidence.store import OutcomeStore, fingerprint
from arcs.data import Dataset
from arcs.errors import FileFormatError, SettingsError
from arcs.learners import learner


@pytest.fixture
def dataset():
    return Dataset.of(np.random.default_rng(0).normal(size=(40, 60)))


def outcomes():
    bits = np.packbits(np.eye(3, dtype=bool))
    return {0: Outcome(0, bits, bits, bits, 1.5), 2: Outcome(2, failure="no rows")}


def test_matrices_whose_texts_are_abridged_alike_are_told_apart(dataset):
    """NumPy writes only the corners of a large matrix."""
    one, other = np.zeros((60, 60), bool), np.zeros((60, 60), bool)
    one[20, 30] = True
    assert str(one) == str(other)
    keys = [fingerprint(dataset, {"init": matrix}) for matrix in (one, other)]
    assert keys[0] != keys[1]


def test_resamples_of_another_start_are_refused(dataset, tmp_path):
    starts = np.zeros((2, 60, 60), bool)
    starts[0, 20, 30] = True
    path = tmp_path / "resamples.npz"
    models = [learner("arcs", init=start, search="none") for start in starts]
    bootstrap(dataset, models[0], 1, checkpoint=path)
    with pytest.raises(SettingsError, match="other data or settings"):
        bootstrap(dataset, models[1], 1, checkpoint=path, resume=True)


def test_resamples_with_other_edges_allowed_are_refused(dataset, tmp_path):
    path, allowed = tmp_path / "resamples.npz", np.ones((60, 60), bool)
    bootstrap(dataset, learner("hc", allowed=allowed), 1, checkpoint=path)
    other = learner("hc", allowed=np.triu(allowed))
    with pytest.raises(SettingsError, match="other data or settings"):
        bootstrap(dataset, other, 1, checkpoint=path, resume=True)


def test_the_key_of_plain_settings_is_that_of_the_first_version():
    """Otherwise nobody could go on with what an older version has begun."""
    data = Dataset.from_array(np.arange(8.0).reshape(4, 2) ** 2, ["a", "b"])
    key = ["bootstrap", "hc", {"penalty": 1.0, "max_parents": None}, 0]
    expected = "7f9b51176a5d8ef65297bbcf11f61c4284e8b13a96bcfc8ac84cac28f89e40b8"
    assert fingerprint(data, key) == expected


def test_outcomes_come_back(tmp_path):
    store = OutcomeStore(tmp_path / "a.npz", "key")
    store.save(outcomes())
    found = store.load()
    assert sorted(found) == [0, 2]
    assert found[2].failure == "no rows"
    np.testing.assert_array_equal(found[0].dag, outcomes()[0].dag)
    assert found[0].score == 1.5
    store.save({})
    assert store.load() == {}


def damaged_places(content):
    """Every byte of the zip file's own records, and some of the rest."""
    yield from range(0, len(content), 7)
    for mark in (b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"):
        at = content.find(mark)
        yield from range(at, at + 22)


def test_whatever_is_damaged_is_called_damage(tmp_path):
    """Among what escaped: zlib.error, NotImplementedError, RuntimeError (encrypted)."""
    store = OutcomeStore(tmp_path / "a.npz", "key")
    store.save(outcomes())
    content = store.path.read_bytes()
    refused = 0
    for at in damaged_places(content):
        for value in (0, 1, 99, 255):
            other = bytearray(content)
            other[at] = value
            store.path.write_bytes(bytes(other))
            try:
                found = store.load()
            except (FileFormatError, SettingsError):
                refused += 1
            else:
                assert sorted(found) == [0, 2]
    assert refused > 500


@pytest.mark.parametrize(
    ("offset", "value", "cause"),
    [(6, 1, RuntimeError), (8, 99, NotImplementedError), (None, None, zlib.error)],
)
def test_the_errors_that_escaped(tmp_path, offset, value, cause):
    store = OutcomeStore(tmp_path / "a.npz", "key")
    store.save(outcomes())
    content = bytearray(store.path.read_bytes())
    central = content.find(b"PK\x01\x02")
    if offset is None:
        name, extra = struct.unpack("<HH", content[26:30])
        content[30 + name + extra] = 0xFF
    else:
        content[offset], content[central + offset + 2] = value, value
    store.path.write_bytes(bytes(content))
    with pytest.raises(FileFormatError, match="damaged") as caught:
        store.load()
    assert isinstance(caught.value.__cause__, cause)
