"""Matters: what is kept, what is refused, what is left of what is deleted, and a file that cannot be used."""

from dataclasses import replace
from pathlib import Path

import pytest

from groundscope.errors import DataError, StoreError
from groundscope.review import matters
from groundscope.review.matters import MatterStore, matter_passages, replaced_by
from groundscope.review.sources import SourceFile, read_source
from groundscope.storage.database import Database
from groundscope.types import Case, Passage
from tests.groundscope.files.document_files import pdf

LEASE = read_source("lease.pdf", pdf("The rent is $913.", "Notice is due within one month."))
CASE = Case("x", "When?", LEASE.passages, "In a month.", note="1 of 2 passages were read.")


@pytest.fixture
def store(database: Database) -> MatterStore:
    return MatterStore(database)


def test_a_matter_keeps_sources_with_pages_and_answers(store: MatterStore) -> None:
    matter = store.create("  Doe v.\nRoe <b> ")
    assert matter.name == "Doe v. Roe <b>"
    store.add_source(matter.number, LEASE)
    other = store.add_source(
        matter.number, SourceFile("b.txt", (Passage("1", "The tenant pays.", "b.txt"),), ("b.txt is short.",))
    )
    answer = store.add_answer(matter, CASE)
    again = MatterStore(Database(store.database.url))
    assert again.all() == (matter,)
    assert [s.file for s in again.sources(matter.number)] == [LEASE, other.file]
    assert [p.id for p in matter_passages(again.sources(matter.number))] == ["p1", "p2"]
    assert matter_passages(again.sources(matter.number))[0].pages == ((0, 1), (19, 2))
    (found,) = again.answers(matter.number)
    assert found == answer
    assert (found.case.id, found.case.group, found.case.note) == ("Doe v. Roe <b> 1", "When?", CASE.note)
    assert found.case.context == CASE.context
    again.database.close()


def test_a_matter_has_a_client_who_can_be_named_later_and_an_answer_finds_its_matter(store: MatterStore) -> None:
    first, second = store.create("Doe v. Roe", " Jane\n Doe "), store.create("Other")
    assert (first.client, second.client) == ("Jane Doe", "")
    answer = store.add_answer(first, CASE).case
    other = store.add_answer(second, CASE).case
    store.name_client(second.number, "Bo Ltd")
    assert [m.client for m in store.all()] == ["Bo Ltd", "Jane Doe"]
    # Both answers say the same: their ids tell them apart.
    matters = [store.of(case) for case in (answer, other, CASE, replace(answer, response="Another answer."))]
    assert [m and (m.name, m.client) for m in matters] == [("Doe v. Roe", "Jane Doe"), ("Other", "Bo Ltd"), None, None]
    store.name_client(second.number, "")
    assert store.all()[0].client == ""
    with pytest.raises(DataError, match="at most 80 characters"):
        store.name_client(second.number, "x" * 81)
    with pytest.raises(StoreError, match="was deleted"):
        store.name_client(99, "Jane")


def test_a_document_that_comes_again_takes_the_place_of_the_older(store: MatterStore) -> None:
    number = store.create("A").number
    store.add_source(number, LEASE)
    newer = LEASE._replace(passages=(Passage("1", "The rent is $950.", "lease.pdf"),))
    store.add_source(number, newer)
    assert [s.file for s in store.sources(number)] == [newer]
    # The same text is the same document, whatever its name; a name is the same in letters of any size.
    renamed = newer._replace(name="Copy of lease.pdf", passages=(Passage("1", "The rent is $950.", "Copy of lease.pdf"),))
    store.add_source(number, renamed)
    assert [s.file for s in store.sources(number)] == [renamed]
    other = LEASE._replace(name="COPY OF LEASE.PDF")
    store.add_source(number, LEASE._replace(name="act.txt", passages=(Passage("1", "Rent is due."),)))
    assert [s.file.name for s in replaced_by(other, store.sources(number))] == ["Copy of lease.pdf"]
    store.add_source(number, other)
    assert [s.file.name for s in store.sources(number)] == ["act.txt", "COPY OF LEASE.PDF"]


def test_names_and_sizes_are_checked(store: MatterStore, monkeypatch: pytest.MonkeyPatch) -> None:
    number = store.create("A").number
    for name in ("", " \n", "x" * 81):
        with pytest.raises(DataError, match="1 to 80"):
            store.create(name)
    with pytest.raises(DataError, match="of this name"):
        store.create(" A ")
    monkeypatch.setattr(matters, "MOST_CHARACTERS", 60)
    store.add_source(number, LEASE)
    store.add_source(number, LEASE)
    with pytest.raises(DataError, match=r"more\.txt does not fit in"):
        store.add_source(number, LEASE._replace(name="more.txt", passages=(Passage("1", "x" * 40),)))


def test_what_is_deleted_leaves_nothing(store: MatterStore, tmp_path: Path) -> None:
    matter, kept = store.create("Secret matter"), store.create("Other")
    store.add_source(matter.number, LEASE)
    store.add_answer(matter, CASE)
    text = Case("y", "q", (Passage("p", "Stays."),), "Stays here.")
    dropped = store.add_answer(kept, Case("z", "q", (Passage("p", "Goes."),), "Goes away."))
    store.add_answer(kept, text)
    store.drop_answer(dropped.number)
    store.delete(matter.number)
    assert [a.case.response for a in store.answers(kept.number)] == ["Stays here."]
    assert store.sources(matter.number) == store.answers(matter.number) == ()
    with pytest.raises(StoreError, match="was deleted"):
        store.add_source(matter.number, LEASE)
    with pytest.raises(StoreError, match="was deleted"):
        store.add_answer(matter, CASE)
    if not store.database.path:
        return
    store.database.close()
    bytes_left = b"".join(p.read_bytes() for p in tmp_path.iterdir())
    assert [word for word in (b"Secret matter", b"$913", b"In a month", b"Goes away") if word in bytes_left] == []
    assert b"Stays here" in bytes_left
