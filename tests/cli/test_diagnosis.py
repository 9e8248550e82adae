"""A newcomer's table: everything that is wrong in one go, and a command that works."""

import shlex

import numpy as np
import pytest

from arcs.results import FitResult


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(120, 4))
    values[:, 1] += values[:, 0]
    values[:, 2] -= values[:, 1]
    return values


@pytest.fixture
def ugly(rows, tmp_path):
    labels = ["control"] * 60 + ["AKT_KO"] * 30 + ["mek_KO"] * 30
    lines = ["id,date,target,akt,mek,erk,raf,flat"]
    for i, row in enumerate(rows):
        cells = [f"{value:.4f}" for value in row]
        cells[2] = "NA" if i == 5 else cells[2]
        lines.append(f"cell{i},2020-01-{i % 28 + 1:02},{labels[i]},{','.join(cells)},1")
    (tmp_path / "ko.csv").write_text("\n".join(lines) + "\n")
    return tmp_path / "ko.csv"


def test_all_problems_and_a_command_that_works(run, ugly, quick_learners):
    refused = run("fit", "ko.csv", "-m", "hc")
    assert refused.exit_code == 1
    for problem in (
        "column 'target' names columns",
        "column 'id' holds text ('cell0')",
        "column 'date' holds text",
        "values are missing in 1 column: 'erk' (1)",
        "column 'flat' does not vary",
    ):
        assert problem in refused.stderr
    command = shlex.split(refused.stderr.splitlines()[-1])
    assert command[:3] == ["arcs", "fit", "ko.csv"]
    assert command[command.index("-i") + 1] == "target"
    assert "target" not in command[command.index("--exclude") + 1].split(",")
    worked = run(*command[1:], "-m", "hc")
    assert worked.exit_code == 0, worked.output
    result = FitResult.load(ugly.parent / "ko-arcs" / "result.json")
    assert result.names == ("akt", "mek", "erk", "raf", "flat")
    assert result.intervened == ("akt", "mek")
    assert "'AKT' is taken for 'akt'" in worked.stderr


def test_audit_is_offered_only_what_it_takes(run, ugly):
    refused = run("audit", "ko.csv")
    command = shlex.split(refused.stderr.splitlines()[-1])
    assert command[:3] == ["arcs", "audit", "ko.csv"]
    assert not {"--missing", "--constant", "--drop-unmeasured", "--target-suffix"} & set(command)
    looked = run(*command[1:])
    assert looked.exit_code == 0, looked.output


def test_what_was_said_already_is_said_again(run, ugly):
    refused = run("compare", "ko.csv", "-i", "target", "--target-suffix", "_KO", "-m", "hc,ges")
    command = refused.stderr.splitlines()[-1]
    assert command.split()[:3] == ["arcs", "compare", "ko.csv"]
    assert "-i target --target-suffix _KO --exclude id,date" in command
    assert run(*shlex.split(command)[1:], "-m", "hc").exit_code == 0


@pytest.mark.parametrize(
    ("said", "control", "offered"),
    [
        ("", "WT", "-i target --target-suffix _KO --control WT"),
        ("-i target", "WT", "-i target --target-suffix _KO --control WT"),
        ("-i target --control WT", "WT", "-i target --control WT --target-suffix _KO"),
        ("", "Tuesday", "-i target --target-suffix _KO --control Tuesday"),
        ("", "DMSO,JUN_KO", "-i target --target-suffix _KO --control DMSO --drop-unmeasured"),
    ],
)
def test_labels_that_name_no_column(said, control, offered, run, rows, tmp_path):
    """Untreated rows have many names, and the command that is offered must work."""
    labels = [*control.split(","), "AKT_KO", "MEK_KO", "ERK_KO"]
    lines = ["akt,mek,erk,raf,target"]
    for i, row in enumerate(rows):
        lines.append(",".join([*(f"{value:.4f}" for value in row), labels[i % len(labels)]]))
    (tmp_path / "ko.csv").write_text("\n".join(lines) + "\n")
    command = run("fit", "ko.csv", *said.split()).stderr.splitlines()[-1]
    assert command.strip() == f"arcs fit ko.csv {offered}"
    assert run(*shlex.split(command)[1:], "-m", "hc").exit_code == 0


def test_a_column_that_is_not_there_is_no_problem_of_the_others(run, ugly):
    refused = run("fit", "ko.csv", "-i", "tarjet")
    assert "there is no column 'tarjet'; did you mean 'target'?" in refused.stderr
    assert "This would work" not in refused.stderr


def test_batches_are_adjusted_for(run, rows, tmp_path):
    """The command that is offered must not be the way to a thicket."""
    rows = rows + np.repeat(np.random.default_rng(1).normal(0, 3, (4, 4)), 30, axis=0)
    lines = ["akt,mek,erk,raf,batch,note"]
    for i, row in enumerate(rows):
        lines.append(",".join([*(f"{value:.4f}" for value in row), f"b{i // 30}", f"n{i}"]))
    (tmp_path / "b.csv").write_text("\n".join(lines) + "\n")
    refused = run("fit", "b.csv", "-m", "hc")
    assert "a batch? then --adjust" in refused.stderr
    command = shlex.split(refused.stderr.splitlines()[-1])
    assert command[3:] == ["--exclude", "note", "--adjust", "batch"]
    assert run(*command[1:], "-m", "hc").exit_code == 0
    result = FitResult.load(tmp_path / "b-arcs" / "result.json")
    assert result.preparation["adjust"]["terms"] == ["batch"]
    assert result.n_edges == 2


def test_a_covariate_by_its_name_is_adjusted_for(run, rows, tmp_path):
    ages = np.random.default_rng(1).uniform(20, 80, 120)
    rows = rows + np.outer((ages - 50) / 10, [1, -1, 2, 1])
    lines = ["akt,mek,age,erk,lane,raf,note"]
    for i, row in enumerate(rows):
        a, b, c, d = (f"{value:.4f}" for value in row)
        lines.append(f"{a},{b},{ages[i]:.1f},{c},{i % 3},{d},n{i}")
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n")
    refused = run("fit", "a.csv", "-m", "hc")
    assert "column 'age' is a covariate by its name" in refused.stderr
    command = shlex.split(refused.stderr.splitlines()[-1])
    assert command[3:] == ["--exclude", "note", "--adjust", "age,C(lane)"]
    assert run(*command[1:], "-m", "hc").exit_code == 0
    result = FitResult.load(tmp_path / "a-arcs" / "result.json")
    assert result.names == ("akt", "mek", "erk", "raf")
    assert result.n_edges == 2
    said = run("fit", "a.csv", "-m", "hc", "--adjust", "lane")
    assert "--adjust lane" in said.stderr.splitlines()[-1]  # who said what to adjust for knows


def test_with_interventions_only_what_they_allow_is_offered(run, ugly):
    words = ("--target-suffix", "_KO", "--exclude", "id,date", "--constant", "isolate")
    refused = run("fit", "ko.csv", "-i", "target", *words)
    assert "'erk' (1) (--missing drop)" in refused.stderr
    assert " em" not in refused.stderr
    ugly.write_text(ugly.read_text().replace("_KO", ""))
    looked = run("audit", "ko.csv", "-i", "target", "--exclude", "id,date")
    assert looked.exit_code == 0, looked.output
    assert looked.stderr.startswith("note: ")
    assert "'AKT' is taken for 'akt'" in looked.stderr
    assert "or choose --missing drop.\n" in looked.stdout


def test_variables_in_rows(run, rows, tmp_path):
    lines = ["gene\t" + "\t".join(f"GSM{i}" for i in range(40))]
    for name, column in zip(("akt", "mek", "erk", "raf"), rows[:40].T, strict=True):
        lines.append(name + "\t" + "\t".join(f"{value:.3f}" for value in column))
    (tmp_path / "genes.tsv").write_text("\n".join(lines) + "\n")
    refused = run("fit", "genes.tsv", "-m", "hc")
    assert refused.exit_code == 1
    assert "arcs fit genes.tsv --transpose" in refused.stderr
    assert run("fit", "genes.tsv", "-m", "hc", "--transpose").exit_code == 0
    result = FitResult.load(tmp_path / "genes-arcs" / "result.json")
    assert result.names == ("akt", "mek", "erk", "raf")
    assert result.n_rows == 40
    assert result.source == "genes.tsv (transposed)"


def test_wide_tables_of_samples_are_doubted(run, tmp_path):
    values = np.random.default_rng(0).normal(size=(12, 100))
    header = ",".join(f"sample{i}" for i in range(100))
    np.savetxt(tmp_path / "wide.csv", values, delimiter=",", header=header, comments="")
    outcome = run("fit", "wide.csv", "-m", "hc", "--set", "penalty=20")
    assert outcome.exit_code == 0
    assert "use --transpose" in outcome.stderr


def test_lists_of_columns(run, rows, tmp_path):
    np.savetxt(tmp_path / "d.csv", rows, delimiter=",", header='a,b,"c,d",e', comments="")
    for words, left in (
        (["--exclude", "a,b"], ("c,d", "e")),
        (["--exclude", "c,d"], ("a", "b", "e")),
        (["--exclude", '"c,d",e'], ("a", "b")),
        (["--exclude", "a", "--exclude", "e"], ("b", "c,d")),
    ):
        assert run("fit", "d.csv", "-m", "hc", *words).exit_code == 0
        assert FitResult.load(tmp_path / "d-arcs" / "result.json").names == left


def test_other_errors_stay_as_they_are(run, ugly):
    refused = run("fit", "ko.csv", "--exclude", "nothing")
    assert "cannot be used as it is" in refused.stderr or "no column 'nothing'" in refused.stderr
    assert "no such file" in run("fit", "absent.csv").stderr


def test_arcs_alone_prints_help(run):
    alone = run()
    assert alone.exit_code == 0
    assert "Usage: arcs" in alone.stdout
    assert alone.stdout == run("--help").stdout
