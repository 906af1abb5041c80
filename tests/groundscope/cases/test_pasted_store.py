"""Pasted cases on disk: found again by their own browser alone, closed to others, gone when they are forgotten."""

import os
import stat
import threading
import time
from pathlib import Path

import pytest

from groundscope.cases.browser_name import DAYS, new_name
from groundscope.cases.passages import from_paste, plain_passages
from groundscope.cases.pasted_store import MOST, PastedCases
from groundscope.errors import DataError, StoreError
from groundscope.files.fields import MAX_CHARACTERS
from groundscope.files.private import begin
from groundscope.paths import Variable
from groundscope.types import Case, Passage
from tests.attack.detectors import traces

CANARY = "Thrushwillow-4410"


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(Variable.DATA, str(tmp_path))
    return tmp_path


def case(number: int = 1, response: str = "  It is due\tin May. \n\nNo ‘fee’. 😀 ") -> Case:
    sources = [("Act <1>", f"One {CANARY}.\n---\nTwo."), ("", "Source: B\nThree.")]
    return from_paste(f"When? {CANARY}", sources, response, f"pasted-{number}")


def test_a_case_comes_back_as_it_was_pasted_and_only_for_its_browser() -> None:
    mine, other = new_name(), new_name()
    PastedCases(mine).add(case(1))
    PastedCases(mine).add(case(2))
    PastedCases(mine).add(case(1, "Other words."))
    assert PastedCases(mine).cases() == (case(2), case(1, "Other words."))
    assert PastedCases(other).cases() == ()


@pytest.mark.parametrize("name", ["", "x", "../../etc/passwd", "a" * 42, "a" * 44, "é" * 43, "a" * 42 + "/", "a" * 42 + "\n"])
def test_a_name_that_was_never_drawn_keeps_nothing(data: Path, name: str) -> None:
    store = PastedCases(name)
    store.add(case())
    store.keep(False)
    store.forget()
    assert (store.possible, store.on, store.cases()) == (False, False, ())
    assert list(data.rglob("*")) == []


def test_the_file_is_for_its_user_alone_and_does_not_tell_the_name_of_the_browser(data: Path) -> None:
    begin()
    name = new_name()
    PastedCases(name).add(case())
    (file,) = [p for p in data.rglob("*") if p.is_file()]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert traces(name, [data]) == []


def test_forgotten_cases_leave_no_text(data: Path) -> None:
    store = PastedCases(new_name())
    store.add(case(1))
    store.add(case(2, "Other."))
    store.forget("pasted-1")
    assert [c.id for c in store.cases()] == ["pasted-2"]
    assert traces(CANARY, [data]) != []
    store.forget()
    assert store.cases() == ()
    assert traces(CANARY, [data]) == []


def test_a_browser_that_keeps_none_forgets_the_kept_ones_and_stays_so(data: Path) -> None:
    name = new_name()
    store = PastedCases(name)
    store.add(case(1))
    store.keep(False)
    PastedCases(name).add(case(2))
    assert traces(CANARY, [data]) == []
    assert not PastedCases(name).on
    store.keep(True)
    store.add(case(3))
    assert [c.id for c in PastedCases(name).cases()] == ["pasted-3"]


def test_what_nobody_opens_for_long_is_deleted_and_a_visit_prolongs_it(data: Path) -> None:
    seen, unseen = PastedCases(new_name()), PastedCases(new_name())
    for store in (seen, unseen):
        store.add(case())
        store.keep(True)
    long_ago = time.time() - (DAYS + 1) * 86_400
    for file in data.rglob("*.jsonl"):
        os.utime(file, (long_ago, long_ago))
    assert seen.cases() == (case(),)
    assert unseen.cases() == ()
    assert len(list(data.rglob("*.jsonl"))) == 1


def test_the_oldest_cases_go_first_and_one_that_is_too_large_is_named() -> None:
    store = PastedCases(new_name())
    for number in range(MOST + 2):
        store.add(case(number))
    assert [c.id for c in store.cases()] == [f"pasted-{i}" for i in range(2, MOST + 2)]
    half = "A" * (MAX_CHARACTERS * 3 // 4)
    for number in range(3):
        store.add(case(900 + number, half))
    assert [c.id for c in store.cases()] == ["pasted-901", "pasted-902"]
    with pytest.raises(DataError, match="not saved"):
        store.add(case(1, "A" * MAX_CHARACTERS))


def test_tabs_that_paste_at_once_lose_nothing() -> None:
    name = new_name()
    threads = [threading.Thread(target=PastedCases(name).add, args=(case(i),)) for i in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {c.id for c in PastedCases(name).cases()} == {f"pasted-{i}" for i in range(24)}


def test_a_damaged_file_loses_its_bad_lines_alone(data: Path) -> None:
    store = PastedCases(new_name())
    store.add(case(1))
    (file,) = data.rglob("*.jsonl")
    file.write_bytes(b"\x00{]\n" + file.read_bytes() + b'{"query": "half')
    assert store.cases() == (case(1),)
    store.add(case(2))
    assert [c.id for c in store.cases()] == ["pasted-1", "pasted-2"]
    file.write_bytes(b"\xff\xfe\x00")
    assert store.cases() == ()


def test_a_folder_that_cannot_be_written_is_named(data: Path) -> None:
    (data / "pasted").write_text("a file, where the folder should be")
    store = PastedCases(new_name())
    assert store.cases() == ()
    for work in (lambda: store.add(case()), lambda: store.keep(False)):
        with pytest.raises(StoreError, match="pasted"):
            work()


def test_pasted_text_becomes_a_case_with_passages() -> None:
    case = from_paste(" q ", "Source: A\nOne.\n---\nTwo.", "R.", "paste-1")
    assert case.context == (Passage("p1", "One.", "A"), Passage("p2", "Two."))
    assert (case.id, case.query, case.response) == ("paste-1", "q", "R.")
    # A line that names a source begins it, without dashes too, and each box stays apart.
    assert plain_passages("Before.\nsource: A\nOne.\nSource: B\nTwo.\n") == (
        Passage("p1", "Before."),
        Passage("p2", "One.", "A"),
        Passage("p3", "Two.", "B"),
    )
    # One that nothing follows is the text's own: no word is lost.
    assert plain_passages("Source: A\nOne.\nSource: Rule 1\n\n---\nTwo.") == (
        Passage("p1", "One.\nSource: Rule 1", "A"),
        Passage("p2", "Two."),
    )
    boxes = [("Act", "One.\n---\nTwo."), (" ", "Three."), ("Rule 2", ""), ("Code", "Source: Own\nFour.")]
    found = from_paste("q", boxes, "R.", "p").context
    assert [(p.id, p.text, p.source) for p in found] == [
        ("p1", "One.", "Act"),
        ("p2", "Two.", "Act"),
        ("p3", "Three.", ""),
        ("p4", "Four.", "Own"),
    ]


@pytest.mark.parametrize(
    ("pasted", "response", "missing"), [("", "r", "sources"), ("c", " ", "response"), ("---", "", "response and the sources")]
)
def test_a_paste_without_text_says_what_is_missing(pasted: str, response: str, missing: str) -> None:
    with pytest.raises(DataError, match=f"Paste the {missing} too"):
        from_paste("q", pasted, response, "p")
