"""The bundled data sets can be read like any other file."""

import pytest

from arcs.app.choices import Choices
from arcs.app.samples import SAMPLES, write_sample
from arcs.app.tables import look_at, propose_roles
from arcs.errors import SettingsError


@pytest.mark.parametrize(
    ("name", "n", "p"), [("sachs", 7466, 11), ("asia", 500, 8), ("alarm", 1000, 37)]
)
def test_samples_are_files(name, n, p, tmp_path):
    table = look_at(write_sample(name, tmp_path))
    roles = {column: role for column, (role, _) in propose_roles(table).items()}
    data = Choices(roles=roles).read(table)
    assert (data.n, data.p) == (n, p)
    assert (data.interventions is not None) == (name == "sachs")


def test_others_are_refused(tmp_path):
    with pytest.raises(SettingsError, match="there are sachs, asia"):
        write_sample("nobody", tmp_path)
    assert next(iter(SAMPLES)) == "sachs"
