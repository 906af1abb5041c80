"""Pairs that people labelled elsewhere: read from the user's folder, cut, and never those of test documents."""

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from groundscope.errors import DataError
from models import public
from models.data import EVIDENCE, adapter
from models.public import part_of
from tests.models.test_data import by_letters

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def _row(source: str, name: str, group: str, claim: str, context: Sequence[str], *, grounded: bool) -> dict[str, object]:
    terms = "Apache-2.0" if source.startswith("SummEdits") else "CC-BY-4.0"
    row = {"id": name, "source": source, "license": terms, "annotator": "a person", "group": group, "claim": claim}
    return {**row, "context": list(context), "grounded": grounded, "edit_types": []}


def _group(part: str) -> str:
    return next(g for i in range(99) if part_of(g := f"document {i}") == part)


def made_up(group: str) -> list[dict[str, object]]:
    """Rows of every source that is learned from and of two that are not, about one document."""
    told = ["The council met in Leeds on Monday.", "It granted the permit.", "Two members were absent."]
    first = "The council met in Leeds on Monday. It granted the permit."
    clause = ["The term is two years from signing."]
    return [
        _row("SummEdits/news", f"{group}_og-1", group, first, told, grounded=True),
        _row("SummEdits/news", f"{group}_0", group, first.replace("Leeds", "Derby"), told, grounded=False),
        _row("SummEdits/news", f"{group}_1", group, "The council sat in Leeds. The permit was given.", told, grounded=True),
        _row("SummEdits/news", f"{group}_2", group, first.replace("granted", "gave"), told, grounded=True),
        _row("SummEdits/news", "no-first_0", group, "It fits no first summary.", told, grounded=False),
        _row("CUAD (LegalBench form)", f"{group}-c1", group, "The clause limits the term.", clause, grounded=True),
        _row("CUAD (LegalBench form)", f"{group}-c2", group, "The clause names a court.", clause, grounded=False),
        _row("RAGBench/emanual", f"{group}-r1", group, "The permit was granted by the council.", told, grounded=True),
        _row("RAGBench/emanual", f"{group}-r2", group, "The permit was refused by the council.", told, grounded=False),
        _row("RAGBench/hotpotqa", f"{group}-r3", group, "The council granted the following:", told, grounded=True),
        _row("RAGBench/hotpotqa", f"{group}-r4", group, "It was granted.", told, grounded=True),
        _row("RAGBench/expertqa", f"{group}-o1", group, "The council of Leeds granted the permit.", told, grounded=True),
        {
            **_row("CUAD (shared alike)", f"{group}-o2", group, "The clause is a clause.", clause, grounded=True),
            "license": "CC-BY-SA",
        },
    ]


def written(folder: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    folder.mkdir(exist_ok=True)
    text = "".join(json.dumps(r) + "\n" for r in rows)
    (folder / public.NAME).write_bytes(gzip.compress(text.encode(), mtime=0))
    return folder


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = [r for part in ("train", "dev", "test") for r in made_up(_group(part))]
    monkeypatch.setenv(public.FOLDER, str(written(tmp_path / "data", rows)))
    return tmp_path


@pytest.mark.usefixtures("made")
@pytest.mark.parametrize("part", ["train", "dev"])
def test_of_a_summary_the_sentence_that_was_edited_is_learned_from(part: str) -> None:
    found = public.pairs(part, by_letters, EVIDENCE)
    labelled = {(p.sentence, p.label > 0.5) for p in found.labelled}
    assert labelled == {
        ("The council met in Leeds on Monday.", True),
        ("It granted the permit.", True),
        ("The council met in Derby on Monday.", False),
        ("It gave the permit.", True),
        ("The clause limits the term.", True),
        ("The clause names a court.", False),
    }
    (wrong,) = (p.sentence[slice(*p.wrong)] for p in found.labelled if p.wrong)
    assert wrong == "Derby"
    assert "The permit was granted by the council." in {p.sentence for p in found.supported}
    assert {p.sentence for p in found.supported} < {s for s, _ in labelled} | {"The permit was granted by the council."}
    assert {p.group for p in (*found.labelled, *found.supported)} == {_group(part)}
    assert all(p.evidence for p in (*found.labelled, *found.supported))


@pytest.mark.usefixtures("made")
def test_documents_for_tests_and_texts_under_other_terms_are_not_even_read() -> None:
    path = public.file()
    assert path
    rows = public._rows(path)
    assert {part_of(r["group"]) for r in rows} == {"train", "dev"}
    assert {r["license"] for r in rows} == set(public.TERMS)
    assert not any(str(r["id"]).endswith(("-o1", "-o2")) for r in rows)
    assert public.pairs("test", by_letters, EVIDENCE) == ([], [])


def test_without_a_folder_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(public.FOLDER, raising=False)
    assert public.pairs("train", by_letters, EVIDENCE) == ([], [])


@pytest.mark.parametrize("content", [None, "", "no json", "[1]\n"])
def test_a_folder_that_cannot_be_read_stops_the_training(
    content: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(public.FOLDER, str(tmp_path))
    if content is not None:
        (tmp_path / public.NAME).write_bytes(gzip.compress(content.encode()) if content else b"no gzip")
    with pytest.raises(DataError, match=public.FOLDER):
        public.pairs("train", by_letters, EVIDENCE)


def test_the_wrong_words_are_those_that_the_edit_changed() -> None:
    change = public._difference("The court in Sydney met on Monday.", "The court in Perth met on Monday.")
    assert change == (13, 18)
    assert public._difference("All of it is new.", "Nothing here was left alone!") is None


@pytest.fixture(scope="module")
def real() -> Path:
    if not (DATA / public.NAME).exists():
        pytest.skip(f"{DATA / public.NAME} is not there: the shared data folder is not part of the repository")
    return DATA


def test_with_public_pairs_both_labels_are_even(real: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(public.FOLDER, str(real))
    for pairs in adapter(by_letters, 0):
        assert 0.45 < sum(p.label > 0.5 for p in pairs) / len(pairs) < 0.52
        assert {part_of(p.group) for p in pairs if p.group.startswith("document")} <= {"train", "dev"}
