"""A day of reviewing: 60 answers of a new matter, keyboard only, with the server killed twice and the network cut once.

    python -m benchmarks.reviewing.day [ANSWERS]

Keys go to the page in Chromium as fast as it takes them: seconds are the page's and the server's, not those of reading.
What is in the database at the end is compared with what was to be decided: a loss is a decision, note, passage or wrong word that
is not there, or stands on another sentence, or was written twice.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from playwright.sync_api import Page, expect

from benchmarks import machine
from benchmarks.reviewing.driver import Reviewer, chromium_page
from benchmarks.reviewing.matter import ExpectedDecision, WrittenAnswer, answers, documents, pdfs
from benchmarks.reviewing.relay import Relay
from groundscope.cases.passages import from_paste
from groundscope.paths import Variable
from groundscope.review.decisions import ReviewDecision, Ruling, StoredDecision, case_key
from groundscope.review.matters import MatterStore, matter_passages
from groundscope.review.store import ReviewStore
from groundscope.storage.database import FILE, Database
from groundscope.text.sentences import context_sentences, split
from groundscope.types import Case
from tests.browser.conftest import idle
from tests.browser.site import started

_NAME = "Ada Lovelace"
_KEYS = {r: str(n) for n, r in enumerate(Ruling, 1)}
_NEAR = 4
"""Passages to walk over with arrows; what is further away is searched for."""
_AWAY = 3.0
"""Seconds for which the network is cut, or nothing listens."""


class Taken(NamedTuple):
    """Of one sentence: seconds until the next one was open and until all was saved; keys, without and with a note's letters."""

    page: float
    saved: float
    keys: int
    letters: int


class _Day:
    def __init__(self, page: Page, data: Path, log: Path) -> None:
        self.page, self.ada = page, Reviewer(page)
        self.data, self.log = data, log
        self.relay = Relay()
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("GROUNDSCOPE_")}
        self.environment |= {"GROUNDSCOPE_DATA": str(data), Variable.HOSTS: self.relay.address.removeprefix("http://")}
        self.restart()
        self.taken: list[Taken] = []
        self.openings: list[float] = []

    def restart(self) -> None:
        self.process, address = started(self.log, self.environment)
        self.relay.port = int(address.rsplit(":", 1)[1])

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def begin(self, clauses: dict[str, tuple[str, ...]], written: list[WrittenAnswer]) -> list[Case]:
        """Add the matter, its documents and the last answer on the page, the other answers by the library."""
        self.ada.name_matter(self.relay.address, "Six leases")
        self.ada.begin_matter(pdfs(clauses))
        store = MatterStore(Database.at(self.data / FILE))
        (matter,) = store.all()
        passages = matter_passages(store.sources(matter.number))
        for answer in written[:-1]:
            store.add_answer(matter, from_paste(answer.question, (), answer.text, "answer", passages))
        self.ada.write_answer(written[-1].question, written[-1].text)
        self.ada.review_answer(_NAME)
        cases = [a.case for a in store.answers(matter.number)]
        store.database.close()
        return cases

    @property
    def at(self) -> int:
        """The sentence that the page names, from 0 on; -1 for the whole answer."""
        words = self.page.locator(".reviewhead b").inner_text()
        return int(words.split()[1]) - 1 if words.startswith("Sentence") else -1

    def read(self, case: Case, answer: WrittenAnswer, trouble: str) -> None:
        """Decide every sentence of the open answer; in the middle of it, the trouble."""
        middle = len(answer.sentences) // 2
        while (at := self.at) >= 0:
            if trouble == "kill" and at == middle:
                self._through_a_kill(case, answer.sentences[at], at)
                trouble = ""
                continue
            if trouble == "cut" and at == middle:
                self.relay.cut()
            self._sentence(case, answer.sentences[at], at, timed=not trouble, saves=trouble != "cut" or at < middle)
        if trouble == "cut":
            time.sleep(_AWAY)
            self.relay.restore()
            self.ada.saved()

    def _sentence(self, case: Case, expected: ExpectedDecision, at: int, *, timed: bool, saves: bool = True) -> None:
        before, began = self.ada.keys, time.perf_counter()
        self.ada.press(_KEYS[expected.ruling])
        if expected.ruling is not Ruling.SUPPORTED:
            self._reason(case, expected)
        self._moved(at)
        page = time.perf_counter() - began
        if saves:
            self.ada.saved()
        if timed:
            keys = self.ada.keys - before
            self.taken.append(Taken(page, time.perf_counter() - began, keys - len(expected.note), keys))

    def _moved(self, at: int) -> None:
        expect(self.page.locator(".reviewhead b")).not_to_have_text(f"Sentence {at + 1}")

    def _reason(self, case: Case, expected: ExpectedDecision) -> None:
        if expected.passage:
            self._passage(case, expected.passage)
        if expected.words:
            self.ada.press("w")
            self.ada.type(expected.words)
            self.ada.press("Escape")
        self.ada.press("n")
        self.ada.type(expected.note)
        self.ada.press("Enter")

    def _passage(self, case: Case, text: str) -> None:
        """Walk to it, or search for the words that it alone has."""
        units = [" ".join(case.context[u.passage].text[u.start : u.end].split()) for u in context_sentences(case.context)]
        target = next(j for j, u in enumerate(units) if u.endswith(text))
        if target <= _NEAR:
            self.ada.press("s", "Home", *["ArrowDown"] * target, "Enter")
            return
        whole = " ".join(units).lower()
        words = text.lower().split()
        runs = (" ".join(words[i : i + n]) for n in range(1, 9) for i in range(len(words) - n + 1))
        self.ada.press("/")
        self.ada.type(next(r for r in runs if whole.count(r) == 1))
        self.ada.press("Escape", "Enter")

    def _through_a_kill(self, case: Case, expected: ExpectedDecision, at: int) -> None:
        """The server dies right behind a decision, and comes back while a note is half typed."""
        note = expected.note or "Read twice."
        self.ada.press(_KEYS[expected.ruling])
        self.kill()
        if self.at != at:
            self.ada.press("ArrowUp")
        if expected.passage:
            self._passage(case, expected.passage)
        if expected.words:
            self.ada.press("w")
            self.ada.type(expected.words)
            self.ada.press("Escape")
        self.ada.press("n")
        self.ada.type(note[:8])
        time.sleep(_AWAY)
        self.restart()
        idle(self.page)
        # From the field, which has the focus again, back to its sentence; the name needs no entering.
        self.ada.press("Escape", "Escape")
        for _ in range(2 * len(split(case.response))):
            if self.at != at:
                self.ada.press("ArrowDown" if 0 <= self.at < at else "ArrowUp")
        self.ada.press("n", "End")
        held = self.page.get_by_role("textbox", name=f"Note on sentence {at + 1}").input_value()
        self.ada.type(note.removeprefix(held) if note.startswith(held) else f" {note}")
        self.ada.press("Enter")
        self._moved(at)
        self.ada.saved()

    def next(self, question: str) -> None:
        """Go on from the whole answer."""
        began = time.perf_counter()
        self.ada.press("Enter")
        expect(self.page.locator(".st-key-casebar")).to_contain_text(question)
        expect(self.page.locator(".reviewhead b")).to_have_text("Sentence 1")
        self.openings.append(time.perf_counter() - began)


def losses(store: ReviewStore, cases: list[Case], written: list[WrittenAnswer]) -> list[str]:
    """What is not there, stands elsewhere or was written twice."""
    wrong = []
    for case, answer in zip(cases, written, strict=True):
        history = store.history(case_key(case), _NAME)
        now = store.current(case_key(case), _NAME)
        expected = dict(enumerate(answer.sentences))
        wrong += [f"{case.id}, sentence {i + 1}: {w}" for i, e in expected.items() for w in _missing(case, now.get(i), e)]
        wrong += [f"{case.id}: an extra decision on sentence {i + 1}" for i in now.keys() - expected.keys()]
        by_sentence: dict[int, list[ReviewDecision]] = {}
        for d in history:
            by_sentence.setdefault(d.decision.sentence, []).append(d.decision)
        twice = [i for i, all_of in by_sentence.items() for a, b in pairwise(all_of) if a == b]
        wrong += [f"{case.id}, sentence {i + 1}: written twice" for i in twice]
    return wrong


def _missing(case: Case, stored: StoredDecision | None, expected: ExpectedDecision) -> Iterator[str]:
    if stored is None:
        yield "no decision"
        return
    d = stored.decision
    if d.ruling is not expected.ruling:
        yield f"{d.ruling} in place of {expected.ruling}"
    if d.note not in ({expected.note} if expected.note else {"", "Read twice."}):
        yield f"the note is “{d.note}”"
    words = case.response[slice(*d.span)] if d.span else ""
    if words != expected.words:
        yield f"the wrong words are “{words}”"
    place = d.rests_on
    text = " ".join(case.context[place.passage].text[place.start : place.end].split()) if place else ""
    if not text.endswith(expected.passage) or bool(text) != bool(expected.passage):
        yield f"it rests on “{text}”"


def day(count: int = 60) -> Iterator[str]:
    """Lines of figures."""
    clauses = documents()
    written = answers(clauses, count)
    trouble = {count // 3: "kill", count // 2: "cut", 2 * count // 3: "kill"}
    with tempfile.TemporaryDirectory() as folder, chromium_page() as page:
        data = Path(folder) / "data"
        data.mkdir()
        work = _Day(page, data, Path(folder) / "log.txt")
        cases = work.begin(clauses, written)
        if [len(split(c.response)) for c in cases] != [len(a.sentences) for a in written]:
            raise RuntimeError("an answer is not cut into the sentences that it was made of")
        began = time.perf_counter()
        # The page goes on from the last answer, which was entered there, to the first one.
        order = [count - 1, *range(count - 1)]
        for turn, i in enumerate(order):
            work.read(cases[i], written[i], trouble.get(turn, ""))
            if turn + 1 < count:
                work.next(written[order[turn + 1]].question)
        whole = time.perf_counter() - began
        work.kill()
        work.relay.close()
        store = ReviewStore(Database.at(data / FILE))
        wrong = losses(store, cases, written)
        store.close()
        yield from _figures(work, written, whole, wrong)


def _figures(work: _Day, written: list[WrittenAnswer], whole: float, wrong: list[str]) -> Iterator[str]:
    sentences = sum(len(a.sentences) for a in written)
    yield f"{len(written)} answers, {sentences} sentences, {whole / 60:.1f} minutes in all; {work.ada.keys:,} keys"
    rows = {
        "seconds until the next sentence is open": [t.page for t in work.taken],
        "seconds until it is saved": [t.saved for t in work.taken],
        "seconds to the next answer": work.openings,
        "keys a sentence, without the letters of notes": [t.keys for t in work.taken],
        "keys a sentence": [t.letters for t in work.taken],
    }
    yield "| of a sentence | median | 95 % |\n|---|---:|---:|"
    for what, values in rows.items():
        yield f"| {what} | {statistics.median(values):.2f} | {np.quantile(values, 0.95):.2f} |"
    yield f"lost or doubled: {len(wrong)}"
    yield from wrong


if __name__ == "__main__":
    machine.show(day(*map(int, sys.argv[1:])))
