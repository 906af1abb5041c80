"""Error types that a finished run gets later: what they are matched to, what is refused, and that nothing else changes."""

import json
import shutil
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from groundscope.errors import DataError
from groundscope.experiments.store import JobFile
from groundscope.grounding.misclassified.calls import calls
from groundscope.grounding.misclassified.table import PARTS, error_table, frame
from groundscope.grounding.runs import added_types, listing
from groundscope.grounding.runs.added_types import FILE, added_words, matched, without_types
from groundscope.grounding.runs.arrays import TYPES, RunData
from groundscope.grounding.runs.folder import FILES, MANIFEST, export
from groundscope.grounding.runs.listing import RunEntry, entries, entry_of, find, keep_types, read, run_files, write_again
from groundscope.grounding.runs.store import FOLDER
from groundscope.grounding.tuning import starting_rules, verdicts
from groundscope.types import Case, ErrorSpan, ErrorType
from tests.groundscope.grounding.runs.scripted import cases_of, finished, two_methods

FACT, STEP = ErrorType.FACTUAL_INACCURACY, ErrorType.PROCEDURAL_ERROR
CASES = cases_of(20)
WRONG = [c for c in CASES if c.grounded is False]
HOSTILE = "<b>typed</b>\n\ud800.jsonl"


def typed(cases: Sequence[Case] = CASES) -> list[Case]:
    """The same cases, their ungrounded ones with a type, the first of these with a reason."""
    found = [replace(c, error_types=(FACT,)) if c.grounded is False else c for c in cases]
    return [replace(c, reasons=((FACT, "Nine, not ten."),)) if c.id == WRONG[0].id else c for c in found]


@pytest.fixture
def run() -> JobFile:
    return finished(CASES, two_methods())


def add(named: str, cases: Sequence[Case] | None = None, source: str = HOSTILE) -> RunData:
    before = find(named)
    keep_types(entry_of(named), [*before.added, matched(before, cases or typed(), source).named(source)])
    return find(named)


def test_types_come_to_the_run_and_nothing_else_of_it_changes(run: JobFile) -> None:
    before = find(run.id)
    hashes = json.loads((run_files(run.id) / MANIFEST).read_text("utf-8"))["files"]
    assert without_types(before) == len(WRONG) == 5
    found = add(run.id)
    assert without_types(found) == 0
    assert [found.ids[row] for row in np.flatnonzero(found.types[:, TYPES.index(FACT)])] == [c.id for c in WRONG]
    assert found.types.sum() == len(WRONG)
    for name in ("status", "support", "lowest", "mean", "seconds", "timed", "cost", "calls", "gold", "ids", "splits"):
        np.testing.assert_array_equal(getattr(found, name), getattr(before, name), name)
    assert (found.methods, found.data_hash, found.created) == (before.methods, before.data_hash, before.created)
    row = list(found.ids).index(WRONG[0].id)
    assert found.case(row).typed == ((FACT, "Nine, not ten."),)
    assert replace(found.case(row), error_types=(), reasons=()) == before.case(row)
    assert json.loads((run_files(run.id) / MANIFEST).read_text("utf-8"))["files"] == hashes
    # The table counts them and says where they come from.
    found = replace(found, methods=tuple(replace(m, threshold=0.5) for m in found.methods))
    rules = starting_rules(found)
    table = error_table(calls(found, rules, verdicts(found, rules), found.rows()))
    assert table.responses[PARTS.index(FACT.value)] == len(WRONG)
    assert table.responses[PARTS.index("untyped")] == 0
    day = found.added[0].added[:10]
    assert set(frame(found, rules, table)["types_added"]) == {added_words(found.added)}
    assert f"5 responses from <b>typed</b> \ufffd.jsonl ({day})." in added_words(found.added)


def test_they_outlive_a_restart_an_export_new_files_and_a_copy(run: JobFile, tmp_path: Path) -> None:
    wanted = add(run.id).added
    run.close()
    # Where the files are gone, or are written again, they come from the run's own file.
    write_again(run.id)
    assert find(run.id).added == wanted
    for folder in (FOLDER.path).glob(f"{run.id}*/"):
        shutil.rmtree(folder)
    assert read(entries()[0][0]).added == wanted
    with closing(FOLDER.open(run.id)) as file:
        out = export(file, tmp_path / "out")
    FOLDER.delete(run.id)
    copied = shutil.copytree(out, tmp_path / "elsewhere")
    found = find(str(copied))
    assert found.added == wanted
    assert without_types(found) == 0
    # There, too, they can be taken away and added again; the tables stay as they were.
    keep_types(entry_of(str(copied)), ())
    assert sorted(p.name for p in copied.iterdir()) == sorted([*FILES, MANIFEST])
    assert without_types(find(str(copied))) == len(WRONG)
    assert add(str(copied)).added[0].types == wanted[0].types


def test_a_second_source_fills_what_is_left_and_removal_gives_the_run_back(run: JobFile) -> None:
    first = [c for c in typed() if c.grounded or c.id == WRONG[0].id]
    one = add(run.id, first, "one.jsonl")
    assert without_types(one) == 4
    two = add(run.id, typed(), "two.jsonl")
    assert [(a.source, len(a.types)) for a in two.added] == [("one.jsonl", 1), ("two.jsonl", 4)]
    assert matched(two, typed(), "two.jsonl").already == 5
    keep_types(entry_of(run.id), ())
    assert find(run.id).added == ()
    assert without_types(find(run.id)) == 5


def test_cases_are_known_by_their_texts_and_of_equal_ones_by_their_id(run: JobFile) -> None:
    found = find(run.id)
    renamed = [replace(c, id=f"other-{c.id}", split=None) for c in typed()]
    assert set(matched(found, renamed, "s").types) == {c.id for c in WRONG}
    changed = [replace(c, response=f"{c.response} Well.") for c in typed()]
    with pytest.raises(DataError, match=r"^s belongs to another set: this run has none of its 5 typed cases\.$"):
        matched(found, changed, "s")
    twins = finished([*CASES, replace(WRONG[0], id="twin")], two_methods())
    only = [replace(WRONG[0], id="twin", error_types=(STEP,))]
    assert matched(find(twins.id), only, "s").types == {"twin": ((STEP, ""),)}


def test_types_of_marks_are_taken_without_the_marks(run: JobFile) -> None:
    case = WRONG[0]
    marked = replace(case, errors=(ErrorSpan(0, 3, STEP, "It was allowed."),), error_types=(FACT,))
    found = add(run.id, [marked], "s")
    now = found.case(list(found.ids).index(case.id))
    assert (now.errors, now.typed) == ((), ((FACT, ""), (STEP, "It was allowed.")))


def test_what_cannot_be_taken_gets_a_sentence_each_and_the_rest_is_taken(run: JobFile) -> None:
    found = find(run.id)
    sound, open_ = CASES[0], CASES[3]
    cases = [
        WRONG[4],
        replace(sound, error_types=(FACT,)),
        replace(open_, error_types=(FACT,)),
        replace(WRONG[0], id="nowhere", response="Another answer.", error_types=(FACT,)),
        replace(WRONG[1], error_types=(FACT,)),
        replace(WRONG[1], id="again", error_types=(FACT, STEP)),
        replace(WRONG[2], error_types=(STEP,)),
    ]
    said = matched(found, cases, "mine.jsonl")
    assert said.types == {WRONG[2].id: ((STEP, ""),)}
    assert said.problems == (
        "Case case-0: the run labels it grounded, and error types belong to ungrounded responses.",
        "Case case-3: the run has no label for it, and error types belong to ungrounded responses.",
        "Case nowhere: the run has no response with this question, these sources and this answer.",
        f"Case {WRONG[1].id}: mine.jsonl gives it two different sets of types; keep one.",
    )
    now = add(run.id, cases, "mine.jsonl")
    other = matched(now, [replace(WRONG[2], error_types=(FACT,))], "other.jsonl")
    assert other.types == {}
    assert other.problems == (f"Case {WRONG[2].id}: it already has other types in the run (procedural error); these are kept.",)
    with pytest.raises(DataError, match=r"^bare has no error types; let two models choose some"):
        matched(found, CASES, "bare")


def test_a_run_that_comes_with_the_app_or_is_not_finished_stays_as_it_is(run: JobFile, monkeypatch: pytest.MonkeyPatch) -> None:
    added = [matched(find(run.id), typed(), "s").named("s")]
    with pytest.raises(DataError, match="resume it first"):
        keep_types(RunEntry(run.id, "r", finished=False), added)
    place = run_files(run.id)
    monkeypatch.setattr(listing, "SAMPLES", place.parent)
    with pytest.raises(DataError, match="A sample run cannot be changed"):
        keep_types(entry_of(str(place)), added)
    assert not (place / FILE).exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "cannot be read (JSONDecodeError); delete this file"),
        ("[]", "cannot be read (TypeError); delete this file"),
        ("[" * 100_000, "cannot be read (RecursionError); delete this file"),
        ({"data_hash": "0" * 16}, "has error types of another run; delete this file"),
        ({"version": 2}, "cannot be read (ValueError)"),
        ({"added": [{"source": "s", "added": "2026", "types": []}]}, "cannot be read (AttributeError)"),
        ({"added": [{"source": "s", "added": "2026", "types": {"case-2": ["made_up"]}}]}, "cannot be read (ValueError)"),
        ({"added": [{"source": "s", "added": "2026", "types": {"case-0": [FACT]}}]}, "are not of this run (case case-0)"),
        ({"added": [{"source": "s", "added": "2026", "types": {"x" * 900: [FACT]}}]}, "are not of this run (case xxx"),
    ],
    ids=range(9),
)
def test_a_damaged_or_foreign_file_beside_a_run_is_named(folder: Path, content: object, words: str) -> None:
    good = {"format": "groundscope-types", "version": 1, "data_hash": find(str(folder)).data_hash, "added": []}
    text = json.dumps({**good, **content}) if isinstance(content, dict) else str(content)
    (folder / FILE).write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        find(str(folder))
    assert words in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_folder_that_cannot_be_written_is_said(run: JobFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(FOLDER.open(run.id)) as file:
        out = export(file, tmp_path / "out")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(added_types, "write", full)
    with pytest.raises(DataError, match=r"cannot be written \(No space left on device\)"):
        keep_types(entry_of(str(out)), [matched(find(str(out)), typed(), "s").named("s")])
