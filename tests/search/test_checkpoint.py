"""Interrupted and resumed equals uninterrupted, bit for bit; anything else is refused."""

import json
import signal

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.errors import FileFormatError, SettingsError
from arcs.learners.arcs import Arcs
from arcs.penalties import MCP, Ebic
from arcs.progress import Watch
from arcs.scores.cholesky import CholeskyScore
from arcs.search import Annealing, Chain, Checkpoint, Fixed, Pulls, fingerprint, run_chains

PENALTIES = {"l0": Ebic(0.7), "mcp": MCP(2.0, 2.0)}
STRATEGIES = {"anneal": Annealing(3000, 5.0), "pulls": Pulls(patience=3), "fixed": Fixed()}


class PowerCutError(Exception):
    """What happens when nobody can save anything any more."""


def make_chains(score, count, seed=0):
    streams = np.random.SeedSequence(seed).spawn(count)
    generators = [np.random.default_rng(stream) for stream in streams]
    return [Chain(score, rng.permutation(score.statistics.p), rng) for rng in generators]


@pytest.fixture
def score_of(experiment):
    def make(kind, seed=0):
        values, mask = experiment(100, 9, seed, density=0.4)
        return CholeskyScore(Dataset.of(values, interventions=mask).statistics(), PENALTIES[kind])

    return make


def everything(chain):
    """All that a chain says, comparable bit for bit."""
    parts = {name: array.tobytes() for name, array in chain.snapshot().items()}
    parts["rng"] = json.dumps(chain.rng.bit_generator.state)
    for name, state in (("state", chain.state), ("best", chain.best)):
        for column, values in state.columns._asdict().items():
            if values.ndim == 2:
                # beyond the counted entries arrays hold leftovers
                parts.pop(f"{name}/{column}")
                for v, k in enumerate(state.columns.count):
                    parts[f"{name}/{column} {v}"] = values[v, :k].tobytes()
    return parts


def cut_after(ticks):
    seen = [0]

    def listener(event):
        seen[0] += 1
        if seen[0] >= ticks:
            raise PowerCutError

    return listener


class StoppingWatch(Watch):
    """Asks the work to stop at the given tick."""

    def __init__(self, ticks):
        super().__init__()
        self.left = ticks

    def tick(self, stage, iteration=0, **figures):
        self.left -= 1
        return self.left > 0


@pytest.mark.parametrize("kind", PENALTIES)
@pytest.mark.parametrize("search", ["anneal", "pulls"])
@pytest.mark.parametrize("ticks", [1, 2, 4])
@pytest.mark.parametrize(("count", "workers"), [(1, 1), (3, 1), (3, 2)])
def test_resumed_after_a_stop_equals_uninterrupted(
    tmp_path, score_of, kind, search, ticks, count, workers
):
    score, strategy = score_of(kind), STRATEGIES[search]
    whole = make_chains(score, count)
    best = run_chains(whole, strategy, Watch())
    checkpoint = Checkpoint(tmp_path / "run.npz", "key", every=0.0)
    stopped = make_chains(score, count)
    run_chains(stopped, strategy, StoppingWatch(ticks), workers=workers, checkpoint=checkpoint)
    assert any(everything(a) != everything(b) for a, b in zip(stopped, whole, strict=True))
    resumed = make_chains(score, count, seed=99)
    assert checkpoint.load(resumed) > 0.0  # seconds, so that time goes on as well
    again = run_chains(resumed, strategy, Watch(), workers=workers, checkpoint=checkpoint)
    for one, other in zip(resumed, whole, strict=True):
        assert everything(one) == everything(other)
    assert resumed.index(again) == whole.index(best)
    for name, column in best.trace().items():
        np.testing.assert_array_equal(again.trace()[name], column)


@pytest.mark.parametrize("kind", PENALTIES)
@pytest.mark.parametrize("search", ["anneal", "pulls"])
@pytest.mark.parametrize("ticks", [1, 3, 7])
def test_resumed_after_a_crash_equals_uninterrupted(tmp_path, score_of, kind, search, ticks):
    score, strategy = score_of(kind), STRATEGIES[search]
    (whole,) = make_chains(score, 1)
    run_chains([whole], strategy, Watch())
    checkpoint = Checkpoint(tmp_path / "run.npz", "key", every=0.0)
    with pytest.raises(PowerCutError):
        run_chains(
            make_chains(score, 1),
            strategy,
            Watch(listener=cut_after(ticks)),
            checkpoint=checkpoint,
        )
    resumed = make_chains(score, 1, seed=5)
    checkpoint.load(resumed)
    run_chains(resumed, strategy, Watch(), checkpoint=checkpoint)
    assert everything(resumed[0]) == everything(whole)


@pytest.mark.parametrize("search", STRATEGIES)
def test_resuming_what_is_finished_changes_nothing(tmp_path, score_of, search):
    score, strategy = score_of("l0"), STRATEGIES[search]
    checkpoint = Checkpoint(tmp_path / "run.npz", "key")
    chains = make_chains(score, 2)
    best = run_chains(chains, strategy, Watch(), checkpoint=checkpoint)
    again = make_chains(score, 2, seed=1)
    checkpoint.load(again)
    found = run_chains(again, strategy, Watch(), checkpoint=checkpoint)
    assert found.best_energy == best.best_energy
    np.testing.assert_array_equal(found.best.order, best.best.order)
    np.testing.assert_array_equal(found.trace()["best"], best.trace()["best"])


# ------------------------------------------------------------------------------- the learner
SETTINGS = {
    "pulls": {"n_chains": 2, "random_state": 3},
    "anneal": {"search": "anneal", "penalty": "mcp", "n_iter": 2000, "random_state": 3},
}


def interrupt_the_search():
    """Press Ctrl-C at the first report from the search itself."""
    pressed = []

    def listener(event):
        if event.stage in ("search", "anneal") and not pressed:
            pressed.append(event)
            signal.raise_signal(signal.SIGINT)

    return listener


def same_result(one, other):
    np.testing.assert_array_equal(one.dag.coefficients, other.dag.coefficients)
    np.testing.assert_array_equal(one.order.nodes, other.order.nodes)
    assert one.score == other.score
    assert one.penalty == other.penalty
    for name in ("iteration", "score", "best", "temperature", "edges"):
        np.testing.assert_array_equal(one.trace[name], other.trace[name])


@pytest.mark.parametrize("search", SETTINGS)
def test_a_fit_stopped_by_ctrl_c_can_be_finished(tmp_path, linear_rows, search):
    values = linear_rows(120, 12, 0, density=0.3)
    settings = SETTINGS[search]
    whole = Arcs(**settings).fit(values)
    path = tmp_path / "run.npz"
    short = Arcs(**settings, checkpoint=path).fit(values, listener=interrupt_the_search())
    assert short.stopped == "interrupted"
    assert len(short.trace["iteration"]) < len(whole.trace["iteration"])
    assert path.exists()
    resumed = Arcs(**settings, checkpoint=path, resume=True).fit(values)
    same_result(resumed, whole)
    assert resumed.stopped == "finished"


@pytest.mark.filterwarnings("ignore:.* edges among:arcs.errors.DataWarning")
@pytest.mark.parametrize("search", SETTINGS)
def test_time_that_is_up_before_the_search_begins_leaves_nothing_to_resume(
    tmp_path, linear_rows, search
):
    """The tuning was cut short: a search under its penalty is not the one to go on with."""
    values, path, settings = linear_rows(120, 12, 0), tmp_path / "run.npz", SETTINGS[search]
    short = Arcs(**settings, checkpoint=path, time_limit=1e-9).fit(values)
    assert short.stopped == "time limit"
    resumed = Arcs(**settings, checkpoint=path, resume=True).fit(values)
    same_result(resumed, Arcs(**settings).fit(values))


def test_a_penalty_tuned_from_another_start_is_refused(tmp_path, linear_rows):
    """Without a seed the tuning may choose otherwise; energies of two penalties do not mix."""
    values, path = linear_rows(120, 12, 0), tmp_path / "run.npz"
    settings = {"search": "anneal", "penalty": "mcp", "n_iter": 1000}
    lam = {"lam": 3.0, "gamma": 2.0}
    Arcs(**settings, **lam, checkpoint=path).fit(values, listener=interrupt_the_search())
    with pytest.raises(SettingsError, match="belongs to other data or settings"):
        Arcs(**settings, checkpoint=path, resume=True).fit(values)


def test_a_checkpoint_does_not_change_the_answer(tmp_path, linear_rows):
    values = linear_rows(120, 8, 1)
    plain = Arcs(random_state=0).fit(values)
    same_result(Arcs(random_state=0, checkpoint=tmp_path / "run.npz").fit(values), plain)


def test_resume_without_a_file_starts_anew(tmp_path, linear_rows):
    values = linear_rows(120, 8, 1)
    plain = Arcs(random_state=0).fit(values)
    path = tmp_path / "run.npz"
    same_result(Arcs(random_state=0, checkpoint=path, resume=True).fit(values), plain)
    assert path.exists()


@pytest.fixture
def begun(tmp_path, linear_rows):
    values = linear_rows(120, 8, 2)
    path = tmp_path / "run.npz"
    Arcs(random_state=0, checkpoint=path).fit(values, listener=interrupt_the_search())
    return values, path


@pytest.mark.parametrize(
    "change",
    [
        {"random_state": 1},
        {"ebic": 0.5},
        {"patience": 7},
        {"n_chains": 2},
        {"search": "anneal"},
        {"penalty": "mcp"},
        {"max_parents": 2},
        {"init": list(range(8))},
    ],
    ids=repr,
)
def test_other_settings_are_refused(begun, change):
    values, path = begun
    settings = {"random_state": 0, **change}
    with pytest.raises(SettingsError, match="belongs to other data or settings"):
        Arcs(**settings, checkpoint=path, resume=True).fit(values)


def test_other_data_are_refused(begun, linear_rows):
    values, path = begun
    learner = Arcs(random_state=0, checkpoint=path, resume=True)
    changed = values.copy()
    changed[0, 0] += 1e-3
    mask = np.zeros(values.shape)
    mask[:10, 3] = 1
    for other, interventions in (
        (changed, None),
        (values[:-1], None),
        (linear_rows(120, 9, 2), None),
        (values, mask),
    ):
        with pytest.raises(SettingsError, match="belongs to other data or settings"):
            learner.fit(other, interventions=interventions)


def test_other_workers_and_limits_are_welcome(begun):
    values, path = begun
    settings = {"random_state": 0, "n_jobs": 2, "time_limit": 60}
    result = Arcs(**settings, checkpoint=path, resume=True).fit(values)
    same_result(result, Arcs(random_state=0).fit(values))


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: b"not an archive",
        lambda data: data[: len(data) // 2],
        lambda data: data[:200] + b"\x00\x01\x02\x03" * 20 + data[280:],
    ],
    ids=["empty", "other", "half", "garbled"],
)
def test_damaged_files_are_refused(begun, damage):
    values, path = begun
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(FileFormatError, match=r"run\.npz: .*checkpoint"):
        Arcs(random_state=0, checkpoint=path, resume=True).fit(values)


def test_archives_of_something_else_are_refused(begun):
    values, path = begun
    learner = Arcs(random_state=0, checkpoint=path, resume=True)
    np.savez(path, a=np.arange(3))
    with pytest.raises(FileFormatError, match="not an ARCS checkpoint"):
        learner.fit(values)
    np.savez(path, magic=np.array("arcs-checkpoint-999"), key=np.array("x"))
    with pytest.raises(FileFormatError, match="not an ARCS checkpoint"):
        learner.fit(values)
    np.savez(path, magic=np.array([{}], dtype=object), key=np.array("x"))
    with pytest.raises(FileFormatError, match="not an ARCS checkpoint"):
        learner.fit(values)


def test_a_checkpoint_with_missing_parts_is_refused(begun):
    values, path = begun
    with np.load(path) as archive:
        parts = {name: archive[name] for name in archive.files}
    for name in [n for n in parts if n.startswith("0/")]:
        np.savez(path, **{n: a for n, a in parts.items() if n != name})
        with pytest.raises(FileFormatError, match="do not match"):
            Arcs(random_state=0, checkpoint=path, resume=True).fit(values)


def test_resume_needs_a_checkpoint():
    with pytest.raises(SettingsError, match="resume needs a checkpoint"):
        Arcs(resume=True)


def test_fingerprints_tell_data_and_settings_apart(linear_rows):
    one, two = (Dataset.of(linear_rows(50, 4, seed)).statistics() for seed in (0, 1))
    keys = {
        fingerprint(one, {"a": 1}),
        fingerprint(one, {"a": 2}),
        fingerprint(two, {"a": 1}),
        fingerprint(one, {}),
    }
    assert len(keys) == 4
    assert fingerprint(one, {"a": 1, "b": 2}) == fingerprint(one, {"b": 2, "a": 1})


def test_long_settings_are_told_apart_to_the_end(linear_rows):
    statistics = Dataset.of(linear_rows(50, 4, 0)).statistics()
    order = np.arange(5000)
    other = order.copy()
    other[[2000, 2001]] = other[[2001, 2000]]
    assert fingerprint(statistics, {"init": order}) != fingerprint(statistics, {"init": other})
