"""Speed of reviewing with much behind it: 10,000 decisions, a report of eight sentences, a PDF of 1,000 pages, an evidence pack.

    python -m benchmarks.reviewing.reviews

Seconds are the median of three, of this process alone; each is also shown as a share of the seconds that embedding the sentences
of ten samples takes here, so that runs of two machines can be compared.
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from textwrap import fill

import numpy as np

from components import case_sets
from groundscope.commands.terminal import say
from groundscope.findings import findings_of
from groundscope.models import embedders
from groundscope.review import ReviewDecision, ReviewStore, Ruling
from groundscope.review.decisions import SourcePlace, bare, case_key
from groundscope.review.pack import evidence_pack, verify
from groundscope.review.queues import sentences_left
from groundscope.review.ratings import agreement_rows, person_ratings
from groundscope.review.report import pdf_report, report_content
from groundscope.review.report_docx import docx_report
from groundscope.review.settling import review_differences
from groundscope.review.sources import read_source
from groundscope.storage.database import FILE, Database
from groundscope.text.sentences import split
from groundscope.types import Case, Passage
from tests.groundscope.files.document_files import pdf

_CASES, _SENTENCES = 1_000, 5


def _seconds(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def _filled(path: Path) -> tuple[ReviewStore, list[Case]]:
    """Ten thousand decisions, of two people on a thousand answers of five sentences."""
    rng, store = np.random.default_rng(0), ReviewStore(Database.at(path / FILE))
    text = " ".join(f"The tenant pays in month {n}." for n in range(_SENTENCES))
    cases = [
        Case(f"c{i}", f"Question {i}?", (Passage("p", f"Source {i}. {text}"),), f"{i} days. {text}"[:-1]) for i in range(_CASES)
    ]
    for case in cases:
        claims = [i for i, s in enumerate(split(case.response)) if not s.heading][:_SENTENCES]
        for name in ("Ada", "Bo"):
            rulings = rng.choice(list(Ruling)[:4], len(claims), p=[0.7, 0.1, 0.1, 0.1])
            store.decide(case, name, *(ReviewDecision(i, Ruling(r)) for i, r in zip(claims, rulings, strict=True)))
    return store, cases


def _pages(count: int) -> bytes:
    text = fill("The tenant pays the rent on the first day of the month. " * 40, 90)
    return pdf(*(f"{n + 1}. Rent of month {n + 1}\n{text}" for n in range(count)))


def measure() -> list[tuple[str, float]]:
    """What is done, and its seconds."""
    samples = case_sets.sets()[case_sets.SAMPLES].cases
    embedder = embedders.embedder("minilm")
    texts = [c.response[s.start : s.end] for c in samples[:10] for s in split(c.response)]
    embedder.passages(texts[:2], lambda *_: None)
    rows = [("embedding the sentences of ten samples (the measure)", _seconds(lambda: embedder.passages(texts, lambda *_: None)))]
    with tempfile.TemporaryDirectory() as folder:
        store, cases = _filled(Path(folder))
        by_key = {case_key(c): c for c in cases}
        people = {name: store.decided(name) for name in ("Ada", "Bo")}
        ratings = [person_ratings(bare(own), by_key) for own in people.values()]
        decision = ReviewDecision(1, Ruling.PARTLY)
        rows += [
            ("reading 10,000 decisions of two people", _seconds(lambda: [store.decided(n) for n in ("Ada", "Bo")])),
            (
                "the queue: what is left of 1,000 cases",
                _seconds(lambda: [sentences_left(c, people["Ada"][k]) for k, c in by_key.items()]),
            ),
            ("agreement with all intervals", _seconds(lambda: agreement_rows(ratings, lambda key: key))),
            ("the differences", _seconds(lambda: review_differences(people, {}))),
            ("a decision on the disk", _seconds(lambda: store.decide(cases[0], "Ada", decision))),
        ]
        store.close()
    case = next(c for c in samples if sum(not s.heading for s in split(c.response)) == 8)
    with tempfile.TemporaryDirectory() as folder:
        store = ReviewStore(Database.at(Path(folder) / FILE))
        place = SourcePlace(0, 0, min(200, len(case.context[0].text)))
        decisions = [
            ReviewDecision(i, Ruling.SUPPORTED, None, None, place) for i, s in enumerate(split(case.response)) if not s.heading
        ]
        store.decide(case, "Ada", *decisions)
        current = store.current(case_key(case), "Ada")
        store.close()
    content = report_content(case, current, "Ada", findings_of(case))
    pack, thousand = evidence_pack(case, [], [], content).data, _pages(1_000)
    return [
        *rows,
        ("a report of eight sentences as DOCX", _seconds(lambda: docx_report(content))),
        ("the same as PDF", _seconds(lambda: pdf_report(content))),
        ("an evidence pack", _seconds(lambda: evidence_pack(case, [], [], content))),
        ("verifying it", _seconds(lambda: verify(pack))),
        ("reading and cutting a PDF of 1,000 pages", _seconds(lambda: read_source("long.pdf", thousand))),
    ]


if __name__ == "__main__":
    rows = measure()
    for what, seconds in rows:
        say(f"{seconds:8.4f} s  {seconds / rows[0][1]:7.2f}  {what}")
