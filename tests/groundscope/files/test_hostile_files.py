"""Files made to hold or fill the server: each is refused in one sentence, by a child process, one at a time."""

import resource
import time
from collections.abc import Callable
from threading import Event, Thread, get_ident

import pytest

from groundscope.cases.dataset import LoadedDataset, read_many
from groundscope.errors import Cancelled, DataError
from groundscope.files import document_text, sandbox
from groundscope.files.document_text import document
from groundscope.files.sandbox import FILES, sandboxed
from groundscope.runtime.progress import listening
from tests.groundscope.files import hostile_files as hostile
from tests.groundscope.files.document_files import docx, pdf, read_here

_TEXT = b"<w:r><w:t>a</w:t></w:r>"
_MANY = "has more than 500,000 paragraphs, 1,000,000 pieces of formatted text or 10,000 pictures and other parts; split it"
_SLOW = "could not be read within 30 seconds; save it again as PDF, or split it into smaller files."
_KEYS = "It has an object of more than 10,000 fields; leave out those that are not needed."
_COLUMNS = "The table has more than 10,000 columns; leave out those that are not needed."

HOSTILE: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "100,000 parts": ("a.docx", lambda: hostile.docx_of_parts(100_000), _MANY),
    "2,000,000 paragraphs": ("a.docx", lambda: hostile.docx_of_paragraphs(2_000_000), _MANY),
    "pieces of text": ("a.docx", lambda: hostile.docx_of_paragraphs(1, _TEXT * 1_000_001), _MANY),
    "junk": ("a.pdf", lambda: hostile.pdf_of_junk(400_000), _SLOW),
    "1.5 million keys": ("a.jsonl", lambda: hostile.wide("jsonl", 1_500_000), _KEYS),
    "1.5 million keys in one document": ("a.json", lambda: hostile.wide("json", 1_500_000), _KEYS),
    "a million columns": ("a.csv", lambda: hostile.wide("csv", 1_000_000), _COLUMNS),
    "30,000 columns": ("a.parquet", lambda: hostile.wide("parquet", 30_000), _COLUMNS),
}


def _children() -> float:
    """Processor time of the child processes that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _said(name: str, data: bytes) -> str:
    try:
        if name.endswith((".docx", ".pdf")):
            return document(name, data).text
        (found,) = sandboxed(FILES, read_many, [(name, data)])
    except DataError as error:
        return str(error)
    return found.rejected[0].reason


@pytest.mark.release
@pytest.mark.parametrize("why", HOSTILE)
def test_a_hostile_file_is_refused_and_costs_the_server_nothing(why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, make, sentence = HOSTILE[why]
    if sentence == _SLOW:
        monkeypatch.setattr(document_text, "_SECONDS", 3)
    data = make()
    own, theirs, memory = time.process_time(), _children(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert _said(name, data).startswith(sentence)
    assert time.process_time() - own < 0.2 * (_children() - theirs)
    # In kB: no more than the file itself, which goes to the child once more.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 30_000 + len(data) // 1000


@pytest.mark.parametrize(
    "data", [hostile.docx_of_parts(60), hostile.docx_of_paragraphs(60), hostile.docx_of_paragraphs(1, _TEXT * 101)]
)
def test_a_document_has_at_most_so_many_parts_and_pieces(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_text, "in_child", read_here)
    monkeypatch.setattr(document_text, "MAX_PARTS", 50)
    monkeypatch.setattr(document_text, "MAX_PARAGRAPHS", 50)
    assert _said("a.docx", data).startswith(_MANY)


def test_a_document_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_text, "_SECONDS", 0.01)
    assert _said("a.pdf", pdf("One.")) == _SLOW


@pytest.mark.parametrize("ending", ["jsonl", "json", "csv", pytest.param("parquet", marks=pytest.mark.release)])
def test_as_many_fields_as_are_read_are_read(ending: str) -> None:
    assert _said(f"a.{ending}", hostile.wide(ending, 10_000)).startswith("The format is not recognised.")
    assert "10,000" in _said(f"a.{ending}", hostile.wide(ending, 10_001))


@pytest.mark.release
def test_a_child_gets_all_of_a_large_file_however_late_it_reads() -> None:
    # The child first imports Arrow, which takes longer than the parent waits between two looks.
    data = hostile.wide("parquet", 9_000)
    assert len(data) > 1_000_000
    assert _said("a.parquet", data).startswith("The format is not recognised.")


def test_a_large_file_gives_the_same_in_a_child_as_here() -> None:
    rows = b'{"query":"q","context":["c"],"response":"The rent is due."}\n' * 100
    files = [("a.jsonl", rows), ("b.csv", b"query,context,response\nq,c,r\n")]
    theirs = _children()
    found: tuple[LoadedDataset, ...] = sandboxed(len(files[0][1]), read_many, files)
    assert _children() > theirs
    assert found == read_many(files)


def test_files_are_read_one_at_a_time_in_the_order_in_which_they_came() -> None:
    said: list[tuple[str, int]] = []
    texts: list[str] = []
    all_came = Event()

    def read(name: str) -> None:
        def heard(done: int, total: int) -> None:
            said.append((name, _ahead()))
            if name == "first":
                # It stays in its place until the last one has come, however fast it is read.
                all_came.wait(60)

        with listening(heard):
            texts.append(document(f"{name}.docx", docx(f"{name}.", *["Rent."] * 30)).text.partition("\n")[0])

    threads = []
    for name in ("first", "second", "third"):
        threads.append(Thread(target=read, args=(name,)))
        threads[-1].start()
        while not any(who == name for who, _ in said):
            time.sleep(0.001)
    all_came.set()
    for thread in threads:
        thread.join()
    assert texts == ["first.", "second.", "third."]
    assert [said[[who for who, _ in said].index(name)][1] for name in ("first", "second", "third")] == [0, 1, 2]
    works = [name for name, others in said if not others]
    assert works == sorted(works, key=["first", "second", "third"].index)


@pytest.mark.parametrize("waits", [False, True])
def test_a_file_that_is_read_or_waits_can_be_cancelled(waits: bool) -> None:
    begun, enough = Event(), Event()
    ends: list[str] = []

    def stop(done: int, total: int) -> None:
        begun.set()
        if enough.is_set():
            raise Cancelled("stopped")

    def read() -> None:
        try:
            with listening(stop):
                document("a.pdf", hostile_pdf)
        except Cancelled:
            ends.append("cancelled")

    hostile_pdf = hostile.pdf_of_junk(100_000)
    thread = Thread(target=read)
    thread.start()
    begun.wait()
    if waits:
        with listening(_refuse), pytest.raises(Cancelled):
            document("b.docx", docx("One."))
    enough.set()
    thread.join()
    assert ends == ["cancelled"]
    assert document("c.docx", docx("Two.")).text == "Two."


def _ahead() -> int:
    """How many children work before that of this thread."""
    line = list(sandbox._line)
    return line.index(get_ident()) if get_ident() in line else 0


def _refuse(done: int, total: int) -> None:
    if _ahead():
        raise Cancelled("stopped")
