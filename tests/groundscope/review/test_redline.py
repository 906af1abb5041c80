"""Corrections of an answer: what is offered, and the file, of which all changes accepted or rejected give one text each."""

import io
import shutil
import subprocess
import zipfile
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from docx import Document
from docx.oxml import parse_xml
from hypothesis import given
from hypothesis import strategies as st

from groundscope.review.decisions import WHOLE, Correction, ReviewDecision, Ruling, SourcePlace, StoredDecision, fits
from groundscope.review.redline import offered, redline
from groundscope.review.redline_docx import docx_redline
from groundscope.text.sentences import context_sentences, split
from groundscope.types import Case, ErrorType, Passage
from tests.loops import each

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
SOURCE = "Rent is due. Notice is due within 30 days of the breach. It must be in **writing**."
CONTEXT = (Passage("p", SOURCE, "lease.pdf, 3. Notice", ((0, 3),)),)
UNITS = [SourcePlace(*u) for u in context_sentences(CONTEXT)]
TIME = "2026-11-25T18:37:00+00:00"


class Versions(NamedTuple):
    """Paragraphs with all changes rejected and with all accepted, and the words that come in."""

    rejected: list[str]
    accepted: list[str]
    inserted: list[str]


def _parts(file: bytes, name: str = "word/document.xml") -> Any:
    with zipfile.ZipFile(io.BytesIO(file)) as packed:
        return parse_xml(packed.read(name))


def _text(part: Any, without: str) -> str:
    """The words outside the elements of one name."""
    words = {f"{W}t": part.text or "", f"{W}delText": part.text or "", f"{W}br": "\n", f"{W}tab": "\t"}.get(part.tag, "")
    return words + "".join(_text(child, without) for child in part if child.tag not in {f"{W}{without}", f"{W}pPr"})


def versions(file: bytes) -> Versions:
    """Read a file as Word does when it accepts or rejects everything."""
    body = _parts(file).find(f"{W}body")
    assert body is not None
    rejected, accepted, open_text = [], [], ""
    for row in (r for block in body for r in (block.iter(f"{W}tr") if block.tag == f"{W}tbl" else [block])):
        cells = [row] if row.tag == f"{W}p" else row.findall(f".//{W}p")
        rejected.append(" | ".join(_text(cell, "ins") for cell in cells))
        if row.find(f"{W}trPr/{W}del") is not None:
            continue
        open_text += " | ".join(_text(cell, "del") for cell in cells)
        if row.find(f"{W}pPr/{W}rPr/{W}del") is None:
            accepted.append(open_text)
            open_text = ""
    inserted = [_text(part, "") for part in body.iter(f"{W}ins")]
    return Versions([t for t in rejected if t], [t for t in accepted if t], inserted)


def _stored(*decisions: ReviewDecision) -> dict[int, StoredDecision]:
    return {d.sentence: StoredDecision(i, "k", "Ada Byron", TIME, True, d) for i, d in enumerate(decisions)}


def _file(response: str, *decisions: ReviewDecision, context: tuple[Passage, ...] = CONTEXT) -> bytes:
    case = Case("c", "q", context, response)
    assert all(fits(d, case) for d in decisions)
    return docx_redline(redline(case, _stored(*decisions), "Ada Byron"))


def _of(response: str, i: int, place: SourcePlace | None, words: str = "", **fields: object) -> ReviewDecision:
    """A sentence, or words of it, that goes for a place of a source, or for nothing."""
    s = split(response)[i]
    start = response.index(words, s.start) if words else s.start
    correction = Correction(start, start + len(words) if words else s.end, place)
    return replace(ReviewDecision(i, Ruling.NOT_SUPPORTED, correction=correction), **fields)


def _comments(file: bytes) -> list[tuple[str, str, str]]:
    made = Document(io.BytesIO(file))
    return [(c.author, c.text, c.timestamp.isoformat() if c.timestamp else "") for c in made.comments]


RESPONSE = "Notice is due within 60 days of the breach. It must be oral. He left."


def test_the_sentence_of_the_source_is_offered_or_the_words_in_the_place_of_the_wrong_ones() -> None:
    case = Case("c", "q", CONTEXT, RESPONSE)
    s, wrong = split(RESPONSE)[0], (RESPONSE.index("60"), RESPONSE.index("60") + len("60 days"))
    decision = ReviewDecision(0, Ruling.CONTRADICTED)
    # Nothing is guessed: without a place that the reviewer chose or saw there is no offer.
    assert offered(case, decision) is None
    assert offered(case, decision, UNITS[1]) == Correction(s.start, s.end, UNITS[1])
    # A place inside a sentence gives all of it; the chosen place counts before the one that was seen.
    inside = UNITS[1]._replace(start=UNITS[1].start + 7)
    assert offered(case, replace(decision, rests_on=UNITS[2]), inside) == Correction(s.start, s.end, UNITS[2])
    assert offered(case, decision, inside) == Correction(s.start, s.end, UNITS[1])
    days = SOURCE.index("30 days")
    counterpart = Correction(*wrong, SourcePlace(0, days, days + len("30 days")))
    for span in (wrong, (wrong[0], wrong[0] + 2), (RESPONSE.index("within"), RESPONSE.index(" breach"))):
        assert offered(case, replace(decision, span=span, rests_on=UNITS[1])) == counterpart
    # Wrong words that the source does not have, or of which it has no counterpart.
    other = "Notice falls due within 60 days of the breach."
    for span in ((other.index("falls"), other.index(" of")), (0, 6)):
        asked = ReviewDecision(0, Ruling.PARTLY, span=span, rests_on=UNITS[1])
        assert offered(Case("c", "q", CONTEXT, other), asked) == Correction(0, len(other), UNITS[1])
    for ruling in (None, Ruling.SUPPORTED, Ruling.CANNOT_SAY):
        assert offered(case, replace(decision, ruling=ruling, rests_on=UNITS[1])) is None
    assert offered(case, ReviewDecision(WHOLE, Ruling.NOT_SUPPORTED, rests_on=UNITS[1])) is None


@pytest.mark.parametrize(
    ("answer", "wrong", "source", "goes", "comes"),
    [
        # A row of the source gives the words of one cell, or nothing.
        ("A search costs 50.", "50", "Service: Search; Fee, 2025 and 2026: 40", "50", "40"),
        ("A search costs 50.", "", "Service: Search; Fee, 2025 and 2026: 40", "50", "40"),
        ("The clerk sends paper deeds.", "paper deeds", "Service: Copy; Form: Paper copy", "paper deeds", "Paper copy"),
        ("The clerk sends deeds.", "deeds", "Service: Copy; Form: Paper copy", "", ""),
        ("The clerk sends deeds.", "", "Service: Copy; Form: Paper copy", "", ""),
        # A row of the answer keeps its label.
        ("| Deposit | EUR 2,500 |", "", "The deposit is EUR 1,500.", "EUR 2,500", "EUR 1,500"),
        ("| Pets | allowed |", "", "Pets are not allowed.", "allowed", "Pets are not allowed."),
        ("| Pets | allowed | yes |", "", "Pets need consent.", "", ""),
        ("| Pets | allowed | yes |", "allowed", "Pets need consent.", "allowed", "Pets need consent."),
    ],
)
def test_of_a_table_the_words_of_one_cell_are_offered(answer: str, wrong: str, source: str, goes: str, comes: str) -> None:
    response = (
        f"| A | B |{' C |' * (answer.count('|') > 3)}\n|---|---|{'---|' * (answer.count('|') > 3)}\n{answer}"
        if "|" in answer
        else answer
    )
    i, at = len(split(response)) - 1, response.index(wrong) if wrong else 0
    decision = ReviewDecision(i, Ruling.CONTRADICTED, span=(at, at + len(wrong)) if wrong else None)
    offer = offered(Case("c", "q", (Passage("p", source),), response), decision, SourcePlace(0, 0, len(source)))
    words = (response[offer.start : offer.end], source[slice(*offer.place[1:])]) if offer and offer.place else ("", "")
    assert words == (goes, comes)


def test_corrections_are_tracked_changes_by_the_reviewer_with_a_comment_each() -> None:
    days = SOURCE.index("30 days")
    file = _file(
        RESPONSE,
        _of(RESPONSE, 0, SourcePlace(0, days, days + 7), "60 days", type=ErrorType.FACTUAL_INACCURACY, note="A month."),
        _of(RESPONSE, 1, UNITS[2]),
        ReviewDecision(WHOLE, Ruling.PARTLY, note="Nearly."),
    )
    assert versions(file) == (
        [RESPONSE],
        ["Notice is due within “30 days” of the breach. “It must be in writing.” He left."],
        ["“30 days”", "“It must be in writing.”"],
    )
    assert _comments(file) == [
        (
            "Ada Byron",
            "Not supported: factual inaccuracy.\n"
            "“Notice is due within 30 days of the breach.” lease.pdf, 3. Notice, p. 3\nA month.",
            TIME,
        ),
        ("Ada Byron", "Not supported.\nlease.pdf, 3. Notice, p. 3", TIME),
        ("Ada Byron", "Whole answer: partly supported.\nNearly.\nNot decided: sentence 3.", TIME),
    ]
    changes = [part for tag in ("ins", "del") for part in _parts(file).iter(f"{W}{tag}")]
    assert {(c.get(f"{W}author"), c.get(f"{W}date")) for c in changes} == {("Ada Byron", "2026-11-25T18:37:00Z")}
    assert len({c.get(f"{W}id") for c in changes}) == len(changes) == 4
    ids = {
        tag: sorted(p.get(f"{W}id") or "" for p in _parts(file).iter(f"{W}{tag}"))
        for tag in ("commentRangeStart", "commentRangeEnd")
    }
    assert ids == {key: ["0", "1", "2"] for key in ids}


def test_a_sentence_without_a_correction_stays_and_has_its_ruling_as_a_comment() -> None:
    file = _file(
        RESPONSE,
        ReviewDecision(0, Ruling.CONTRADICTED, rests_on=UNITS[1], note="Shorter."),
        ReviewDecision(1, Ruling.CANNOT_SAY),
        ReviewDecision(2, Ruling.SUPPORTED, note="Fine."),
    )
    assert versions(file) == ([RESPONSE], [RESPONSE], [])
    assert [text for _, text, _ in _comments(file)] == [
        "Contradicted.\n“Notice is due within 30 days of the breach.” lease.pdf, 3. Notice, p. 3\nShorter.",
        "Cannot say.",
    ]
    assert _comments(_file(f"{RESPONSE} It is due in May. He paid.", ReviewDecision(1, Ruling.SUPPORTED)))[0][1] == (
        "Not decided: sentences 1 and 3 to 5."
    )


@each(
    ("response", "sentence", "place", "words", "accepted"),
    [
        # What goes without a successor leaves no second blank, no empty paragraph, item or row.
        ("One is due. Two is due. Three is due.", 1, None, "", ["One is due. Three is due."]),
        ("One is due. Two is due. Three is due.", 0, None, "", ["Two is due. Three is due."]),
        ("One is due. Two is due. Three is due.", 2, None, "", ["One is due. Two is due."]),
        ("One is due, and more.", 0, None, ", and more", ["One is due."]),
        ("One is due.\n\nTwo is due.\n\nThree is due.", 1, None, "", ["One is due.", "Three is due."]),
        ("- One is due.\n- Two is due.\n\nThree is due.", 1, None, "", ["One is due.", "Three is due."]),
        ("Here:\n\n- One is due.\n- Two is due.", 2, None, "", ["Here:", "One is due."]),
        ("| A | B |\n|---|---|\n| One | is due |\n| Two | is due |", 1, None, "", ["A | B", "Two | is due"]),
        # A mark that cites for the sentence goes with it; one inside it stays with other words.
        ("One is due.[1] Two is due.[2]", 0, UNITS[0], "", ["“Rent is due.” Two is due.[2]"]),
        ("One is due.[1] Two is due.[2]", 0, UNITS[0], "due", ["One is “Rent is due.”.[1] Two is due.[2]"]),
        ("**One** is\ndue. Two is due.", 0, UNITS[0], "", ["“Rent is due.” Two is due."]),
        # The stop of the sentence stays where the quotation has none.
        ("One is due.[1] Two is due.", 0, UNITS[0]._replace(end=UNITS[0].end - 1), "", ["“Rent is due”. Two is due."]),
        # Words that are quoted already get no second marks.
        ("He wrote “due” there.", 0, UNITS[0], "due", ["He wrote “Rent is due.” there."]),
    ],
)
def test_accepted_changes_leave_a_clean_answer(
    response: str, sentence: int, place: SourcePlace | None, words: str, accepted: list[str]
) -> None:
    made = versions(_file(response, _of(response, sentence, place, words)))
    assert made.accepted == accepted
    assert made.rejected == versions(_file(response)).rejected


MARKDOWN = """# Notice

**Notice** is due in *60 days* [1]. See [the act](https://x.org).

3. Third it is.
4. Fourth it is.
   1) Inner it is.

- Point it is.

> Quoted it is.

| Term | Days |
|---|---|
| Cure | **5** |

```
x  = 1
```

[1]: Lease, p. 3
"""


def test_markdown_is_headings_lists_and_tables_of_word() -> None:
    file = _file(MARKDOWN)
    made = Document(io.BytesIO(file))
    assert [(p.style.name, p.text) for p in made.paragraphs if p.text and p.style] == [
        ("Heading 1", "Notice"),
        ("Normal", "Notice is due in 60 days [1]. See the act."),
        ("List Number", "Third it is."),
        ("List Number", "Fourth it is."),
        ("List Number 2", "Inner it is."),
        ("List Bullet", "Point it is."),
        ("Quote", "Quoted it is."),
        ("macro", "x  = 1"),
        ("List", "1. Lease, p. 3"),
    ]
    assert [[c.text for c in row.cells] for row in made.tables[0].rows] == [["Term", "Days"], ["Cure", "5"]]
    runs = [r for p in made.paragraphs for r in p.runs]
    assert [(r.style.name, r.text) for r in runs if r.style.name != "Default Paragraph Font"] == [
        ("Strong", "Notice"),
        ("Emphasis", "60 days"),
    ]
    assert [r.text for r in runs if r.font.superscript] == ["[1]"]
    # Numbers are Word's own and begin where the answer's do: 3, 4, and 1) inside.
    numbering = _parts(file, "word/numbering.xml")
    forms = {a.get(f"{W}abstractNumId"): a.find(f"{W}lvl/{W}lvlText").get(f"{W}val") for a in numbering.iter(f"{W}abstractNum")}
    lists = {
        n.get(f"{W}numId"): (forms[n.find(f"{W}abstractNumId").get(f"{W}val")], start.get(f"{W}val"))
        for n in numbering.iter(f"{W}num")
        if (start := n.find(f"{W}lvlOverride/{W}startOverride")) is not None
    }
    counted = [n.get(f"{W}val") for n in _parts(file).iter(f"{W}numId")]
    assert [lists[n] for n in counted] == [("%1.", "3"), ("%1.", "3"), ("%1)", "1")]
    assert counted[0] == counted[1]


SENTENCES = (
    "The rent is **due** today.",
    "It is 😀 due in May.",
    "He paid [due](https://x.org) sums.",
    "يدفع المستأجر الإيجار.",
    "They are `due` then.",
)
SHOWN = ("The rent is due today.", "It is 😀 due in May.", "He paid due sums.", "يدفع المستأجر الإيجار.", "They are due then.")
PARAGRAPHS = st.lists(
    st.tuples(st.sampled_from(["", "- ", "7. ", "> "]), st.lists(st.integers(0, len(SENTENCES) - 1), min_size=1, max_size=3)),
    min_size=1,
    max_size=5,
)


@given(PARAGRAPHS, st.data())
def test_rejected_it_is_the_answer_and_accepted_the_corrected_one(
    paragraphs: list[tuple[str, list[int]]], data: st.DataObject
) -> None:
    response = "\n\n".join(sign + " ".join(SENTENCES[i] for i in own) for sign, own in paragraphs)
    assert len(split(response)) == sum(len(own) for _, own in paragraphs)
    numbers, decisions, accepted = count(), [], []
    for _, own in paragraphs:
        words = []
        for i in own:
            at, place = next(numbers), data.draw(st.sampled_from([None, *UNITS]))
            fate = data.draw(st.sampled_from(["", "goes", "words", "remark"]))
            word = "due" if fate == "words" and "due" in SENTENCES[i] else ""
            if fate:
                decision = _of(response, at, place, word)
                decisions.append(decision if fate != "remark" else replace(decision, correction=None))
            quote = f"“{SOURCE[place.start : place.end].replace('**', '')}”" if place else ""
            left = SHOWN[i].replace("due", quote, 1) if word else quote
            words.append(SHOWN[i] if fate in ("", "remark") else left)
        accepted.append(" ".join(w for w in words if w))
    file = _file(response, *decisions)
    made = versions(file)
    assert made.rejected == [" ".join(SHOWN[i] for i in own) for _, own in paragraphs]
    assert [_blanks(t) for t in made.accepted] == [_blanks(t) for t in accepted if t]
    assert len(_comments(file)) >= len(decisions)


def _blanks(text: str) -> str:
    """Where words go before a stop, the blank before them stays or goes."""
    return text.replace(" ", "")


HOSTILE = st.text(st.sampled_from('ab .\n|*#->[1]()`~<&\x00\x0b\ud800\uffff\u202eא😀\r\t"“'), max_size=60)


@given(HOSTILE, HOSTILE, st.data())
def test_any_text_can_be_corrected_and_comes_back(response: str, source: str, data: st.DataObject) -> None:
    context = (Passage("p", f"{source}. It is due.", source),)
    case = Case("c", "q", context, response)
    decisions: list[ReviewDecision] = []
    for i, s in enumerate(split(response)):
        if not s.heading and data.draw(st.booleans()):
            start = data.draw(st.integers(s.start, s.end - 1))
            low = data.draw(st.integers(0, len(context[0].text) - 1))
            place = data.draw(st.none() | st.just(SourcePlace(0, low, data.draw(st.integers(low + 1, len(context[0].text))))))
            correction = Correction(start, data.draw(st.integers(start + 1, s.end)), place)
            decisions.append(ReviewDecision(i, Ruling.PARTLY, note=source, correction=correction))
    assert all(fits(d, case) for d in decisions)
    made = versions(docx_redline(redline(case, _stored(*decisions), "Ada")))
    assert made.rejected == versions(docx_redline(redline(case, {}, "Ada"))).rejected


def test_a_very_long_answer_is_written_in_seconds() -> None:
    response = "\n\n".join(f"- {RESPONSE}" for _ in range(300))
    decisions = [_of(response, i, UNITS[1]) for i in range(0, len(split(response)), 3)]
    file = _file(response, *decisions)
    assert len(_comments(file)) == 301
    assert versions(file).rejected == [RESPONSE] * 300


def test_no_link_leads_out_of_the_file_and_right_to_left_text_runs_so() -> None:
    file = _file(f"يدفع المستأجر الإيجار.\n\n{MARKDOWN}")
    with zipfile.ZipFile(io.BytesIO(file)) as parts:
        assert [
            name for name in parts.namelist() if name.endswith(".rels") and b'TargetMode="External"' in parts.read(name)
        ] == []
    first = next(_parts(file).iter(f"{W}p"))
    assert first.find(f"{W}pPr/{W}bidi") is not None
    assert first.find(f"{W}r/{W}rPr/{W}rtl") is not None


@pytest.mark.office
def test_libreoffice_reads_the_changes_as_changes(tmp_path: Path) -> None:
    office = shutil.which("soffice")
    assert office, "install libreoffice-writer"
    (tmp_path / "redline.docx").write_bytes(_file(RESPONSE, _of(RESPONSE, 1, UNITS[2]), _of(RESPONSE, 2, None)))
    command = [office, "--headless", f"-env:UserInstallation=file://{tmp_path}/office", "--convert-to", "fodt", "redline.docx"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True)
    made = (tmp_path / "redline.fodt").read_text(encoding="utf-8")
    assert [made.count(f"<text:{kind}>") for kind in ("deletion", "insertion")] == [2, 1]
    assert made.count("<office:annotation ") == 3
    assert made.count("<dc:creator>Ada Byron</dc:creator>") == 6
