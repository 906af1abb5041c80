"""Answers of traces are judged once, by chance, within the day's budget, and no text stays unless it is asked for."""

import json
import shutil
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest

import groundscope
from groundscope.errors import StoreError
from groundscope.grounding.chosen_parts import parts_here
from groundscope.traces import watching
from groundscope.traces.answers import AnswerState
from groundscope.traces.store import LiveStore
from groundscope.traces.watching import Seen, Watched, chosen, watch
from groundscope.types import Case
from scorers._chat.model import chat
from tests.groundscope.traces import systems
from tests.llm_server import LLMServer, Said
from tests.scorers.llm.scripts import CLAUDE, KEY

GOOD, BAD = "Rent is due on May 1.", "The deposit is lost at once."
METHODS = ("overlap", "quip")


@pytest.fixture
def feed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LiveStore]:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    with closing(LiveStore("rent", new=True)) as made, made.working():
        yield made


def _cases(count: int, answer: str = GOOD) -> list[Case]:
    return [systems.case(f"tenant {i}", answer) for i in range(count)]


def _file(folder: Path, cases: list[Case], name: str = "spans.jsonl", **how: bool) -> Path:
    return systems.write(folder / name, systems.hexadecimal(systems.spans_of(cases, **how)))


def _once(feed: LiveStore, how: Watched) -> Seen:
    return watch(feed, how, parts_here(METHODS), follow=False, stop=Event())


def test_judgements_are_those_of_the_python_interface(feed: LiveStore, tmp_path: Path) -> None:
    cases = [*_cases(2), systems.case("Bob", BAD)]
    seen = _once(feed, Watched(_file(tmp_path, cases)))
    assert seen.states == {AnswerState.JUDGED: 3}
    expected = groundscope.score(cases, list(METHODS)).frame("response")
    for method, signature in feed.methods():
        own = expected[expected["method"] == method]
        ((day, version, _, verdicts, grounded, undecided),) = feed.shares(method, signature)
        assert (day, version, undecided) == ("2026-03-02", "1.0", 0)
        assert (verdicts, grounded) == (len(own), int(own["grounded"].sum()))
        worst = feed.worst(method, signature, 10)
        assert [one.support for one in worst] == sorted(own[own["grounded"] == False]["support"])  # noqa: E712
        assert own["signature"].iloc[0] == signature


def test_nothing_of_the_texts_is_kept_unless_asked(feed: LiveStore, tmp_path: Path) -> None:
    secret = systems.case("Zebulon", "Zebulon pays on May 1.", "Zebulon is the tenant of the mill.")
    path = _file(tmp_path, [secret])
    _once(feed, Watched(path))
    feed.close()
    kept = b"".join(p.read_bytes() for p in (tmp_path / "data").rglob("*") if p.is_file())
    assert b"Zebulon" not in kept
    assert b"mill" not in kept
    ((trace, root),) = feed._all("SELECT trace, root FROM answers")
    assert feed.case(trace, root) is None


def test_texts_that_are_kept_come_back_whole_and_can_be_forgotten(feed: LiveStore, tmp_path: Path) -> None:
    (one,) = _cases(1, BAD)
    _once(feed, Watched(_file(tmp_path, [one]), texts=True))
    (worst,) = feed.worst(*feed.methods()[0], 10)
    case = feed.case(worst.trace, worst.root)
    assert case is not None
    assert (case.query, case.response, [p.text for p in case.context], [p.source for p in case.context]) == (
        one.query, one.response, [p.text for p in one.context], [p.source for p in one.context],
    )  # fmt: skip
    assert worst.kept
    feed.forget_texts()
    assert feed.case(worst.trace, worst.root) is None
    assert not feed.worst(*feed.methods()[0], 10)[0].kept


def test_no_answer_is_judged_twice_and_a_new_start_goes_on(feed: LiveStore, tmp_path: Path) -> None:
    path, more = _file(tmp_path, _cases(3)), systems.hexadecimal(systems.spans_of(_cases(2)))
    assert _once(feed, Watched(path)).judged == 3
    assert _once(feed, Watched(path)).records == 0
    with path.open("a") as file:
        file.write(more)
    assert _once(feed, Watched(path)).judged == 2
    # The same lines in another file are known.
    again = tmp_path / "copy.jsonl"
    shutil.copy(path, again)
    seen = _once(feed, Watched(again))
    assert (seen.judged, seen.known) == (0, 5)
    assert sum(n for *_, n, _ in feed.states()) == 5


def test_a_step_that_comes_too_late_is_no_answer_of_its_own(feed: LiveStore, tmp_path: Path) -> None:
    retrieved, called, root = systems.spans_of(_cases(1))
    path = systems.write(tmp_path / "spans.jsonl", systems.hexadecimal([retrieved, root]))
    assert _once(feed, Watched(path)).judged == 1
    systems.write(tmp_path / "late.jsonl", systems.hexadecimal([called]))
    seen = _once(feed, Watched(tmp_path / "late.jsonl"))
    assert (seen.known, seen.states) == (1, None)


def test_what_cannot_be_judged_is_counted_with_its_reason(feed: LiveStore, tmp_path: Path) -> None:
    _file(tmp_path, _cases(2), "a.jsonl", sources=False)
    _file(tmp_path, _cases(1, ""), "b.jsonl")
    systems.write(tmp_path / "c.jsonl", "broken\n")
    seen = _once(feed, Watched(tmp_path))
    assert seen.states == {AnswerState.NO_SOURCES: 2, AnswerState.NO_ANSWER: 1}
    ((file, line, why),) = feed.unread()
    assert (Path(file).name, line) == ("c.jsonl", 1)
    assert "JSON" in why


def test_the_rate_chooses_that_share_and_the_rest_is_counted(feed: LiveStore, tmp_path: Path) -> None:
    seen = _once(feed, Watched(_file(tmp_path, _cases(40)), rate=0.25))
    states = seen.states or {}
    assert sum(states.values()) == 40
    traces = [t for (t,) in feed._all("SELECT trace FROM answers WHERE state = 'judged'")]
    assert all(chosen(t, 0.25) for t in traces)
    assert states.get(AnswerState.JUDGED, 0) == len(traces)
    many = [f"{i:032x}" for i in range(20_000)]
    assert abs(sum(chosen(t, 0.1) for t in many) / len(many) - 0.1) < 0.01
    assert all(chosen(t, 1.0) for t in many[:100])
    # A smaller rate chooses among those of a larger one.
    assert {t for t in many if chosen(t, 0.1)} < {t for t in many if chosen(t, 0.3)}


def test_the_answers_of_a_day_have_a_limit_over_all_starts(feed: LiveStore, tmp_path: Path) -> None:
    first = _once(feed, Watched(_file(tmp_path, _cases(3), "a.jsonl"), answers=5))
    second = _once(feed, Watched(_file(tmp_path, _cases(4), "b.jsonl"), answers=5))
    assert first.states == {AnswerState.JUDGED: 3}
    assert second.states == {AnswerState.JUDGED: 2, AnswerState.NO_BUDGET: 2}
    assert feed.spent_today()[1] == 5


def test_the_dollars_of_a_day_are_never_exceeded_over_all_starts(
    feed: LiveStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = json.dumps({"reasons": ["So it is."], "unsupported": [], "verdict": "PASS"})
    limit = 0.02
    with LLMServer(lambda call: Said(good, output_tokens=2_000)) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.anthropic)
        chat.cache_clear()
        parts = parts_here(["direct"], model=CLAUDE)
        seen = []
        for name in ("a.jsonl", "b.jsonl"):
            cases = [systems.case(f"{name} {i}", GOOD, f"{GOOD} {name} {i}") for i in range(40)]
            how = Watched(_file(tmp_path, cases, name), dollars=limit)
            seen.append(watch(feed, how, parts, follow=False, stop=Event()))
        asked = len(server.answered)
    dollars, judged = feed.spent_today()
    assert 0 < dollars <= limit
    assert asked == judged == sum(one.judged for one in seen)
    assert 0 < judged < 80
    left = sum(n for *_, state, n, _ in feed.states() if state == AnswerState.NO_BUDGET)
    assert judged + left == 80


def test_a_folder_that_grows_is_followed_until_it_is_stopped(
    feed: LiveStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "POLL", 0.05)
    monkeypatch.setattr("groundscope.traces.gathering.QUIET", 0.1)
    folder, stop = tmp_path / "traces", Event()
    folder.mkdir()
    _file(folder, _cases(2), "a.jsonl")
    steps: list[int] = []

    def hear(seen: Seen) -> None:
        steps.append(seen.judged)
        if seen.judged == 2 and not (folder / "b.jsonl").exists():
            _file(folder, _cases(3), "b.jsonl")
        if seen.judged == 5:
            stop.set()

    worker = threading.Timer(60, stop.set)
    worker.start()
    seen = watch(feed, Watched(folder), parts_here(METHODS), follow=True, stop=stop, hear=hear)
    worker.cancel()
    assert seen.judged == 5
    assert steps == sorted(steps)


def test_a_stop_loses_nothing(feed: LiveStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "_TOGETHER", 2)
    path, stop = _file(tmp_path, _cases(7)), Event()
    first = watch(feed, Watched(path), parts_here(METHODS), follow=False, stop=stop, hear=lambda seen: stop.set())
    assert first.judged < 7
    assert first.judged + _once(feed, Watched(path)).judged == 7
    assert sum(n for *_, n, _ in feed.states()) == 7


def test_one_process_reads_for_a_feed(feed: LiveStore) -> None:
    other = LiveStore("rent", new=True)
    assert other.busy()
    with pytest.raises(StoreError, match="Another process works on this feed"), other.working():
        pass
