import numpy as np
import pytest
import typer

from arcs.cli.inputs import (
    method_completion,
    network_completion,
    parse_settings,
    read_data,
    read_structure,
)
from arcs.errors import ArcsError, FileFormatError
from arcs.graphs.formats import write_graph


@pytest.fixture
def plain(simulated, tmp_path):
    """The data without labels."""
    path = tmp_path / "plain.csv"
    np.savetxt(
        path,
        simulated.data.values,
        "%.17g",
        ",",
        header=",".join(simulated.data.names),
        comments="",
    )
    return path


def labels_of(simulated):
    design = simulated.data.interventions
    return [design.label(regime) for regime in design.regime]


def test_labels_from_a_column(csv_file, simulated):
    assert read_data(csv_file, "target").interventions == simulated.data.interventions


@pytest.mark.parametrize("heading", [[], ["label"]])
@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_labels_from_a_file(plain, simulated, tmp_path, heading, end):
    path = tmp_path / "labels.txt"
    path.write_text("\n".join([*heading, *labels_of(simulated)]) + end)
    data = read_data(plain, str(path))
    assert data.interventions == simulated.data.interventions
    assert data.source == str(plain)


def test_several_targets_in_one_line(plain, simulated, tmp_path):
    path = tmp_path / "labels.txt"
    path.write_text("\n".join(['"smoke,bronc"', *[""] * 159]) + "\n")
    design = read_data(plain, str(path)).interventions
    assert design.mask[0].tolist() == [name in ("smoke", "bronc") for name in simulated.data.names]
    assert not design.mask[1:].any()


def test_mask_from_a_file_by_name(plain, simulated, tmp_path):
    mask = simulated.data.interventions.mask
    chosen = ["bronc", "smoke", "asia"]
    columns = [simulated.data.names.index(name) for name in chosen]
    path = tmp_path / "mask.csv"
    np.savetxt(path, mask[:, columns], "%d", ",", header=",".join(chosen), comments="")
    assert read_data(plain, str(path)).interventions == simulated.data.interventions


def test_wrong_design_files_are_refused(plain, tmp_path):
    path = tmp_path / "design.txt"
    path.write_text("smoke\n" * 7)
    with pytest.raises(FileFormatError, match="7 lines of intervention labels for 160 rows"):
        read_data(plain, str(path))
    path.write_text("smoke,nobody\n" + "0,1\n" * 160)
    with pytest.raises(FileFormatError, match="'nobody'"):
        read_data(plain, str(path))
    path.write_bytes(b"\xff\xfe\x80")
    with pytest.raises(FileFormatError, match="not UTF-8"):
        read_data(plain, str(path))


def test_a_missing_column_is_named(plain):
    with pytest.raises(ArcsError, match="no column 'smok'; did you mean 'smoke'"):
        read_data(plain, "smok")


def test_settings_are_json_or_text():
    pairs = ["a=1", "b=0.5", "c=true", "d=null", "e=[1, 2]", "f=bic", "g=x=y"]
    expected = {"a": 1, "b": 0.5, "c": True, "d": None, "e": (1, 2), "f": "bic", "g": "x=y"}
    assert parse_settings(pairs) == expected
    with pytest.raises(typer.BadParameter):
        parse_settings(["=1"])


def test_structures_from_everywhere(simulated, tmp_path):
    path = tmp_path / "truth.json"
    write_graph(simulated.truth, path)
    graph, result = read_structure(str(path))
    assert graph == simulated.truth
    assert result is None
    stored, _ = read_structure("network:asia")
    assert set(stored.named_edges()) == set(simulated.truth.named_edges())
    gaussian, _ = read_structure("network:ecoli70")
    assert not np.isin(gaussian.coefficients, (0, 1)).all()
    with pytest.raises(FileFormatError, match="no such file"):
        read_structure(str(tmp_path / "absent.json"))


def test_completion():
    assert network_completion("al") == ["alarm"]
    assert "threshold" in method_completion("thr")
