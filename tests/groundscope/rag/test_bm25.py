"""BM25 against its formula worked out by hand, and what its words are."""

import math
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.errors import Cancelled
from groundscope.rag.retrieving.bm25 import Bm25, words
from groundscope.rag.types import Hit
from groundscope.types import Passage
from tests.loops import each

ROOT = Path(__file__).resolve().parents[3]


def corpus(texts: Sequence[str]) -> list[Passage]:
    return [Passage(f"p{i}", text, "deposit") for i, text in enumerate(texts)]


def search(texts: Sequence[str], question: str, k: int = 10) -> list[Hit]:
    [hits] = Bm25().search(corpus(texts), [question], k, lambda *_: None)
    return hits


def formula(texts: Sequence[str], question: str) -> list[float]:
    read = [words(t) for t in texts]
    mean = sum(map(len, read)) / len(read)
    scores = []
    for document in read:
        counts, score = Counter(document), 0.0
        for word in words(question):
            having = sum(word in d for d in read)
            idf = math.log(1 + (len(read) - having + 0.5) / (having + 0.5))
            if counts[word]:
                score += idf * counts[word] / (counts[word] + 1.5 * (0.25 + 0.75 * len(document) / mean))
        scores.append(score)
    return scores


def test_scores_are_those_worked_out_by_hand() -> None:
    texts = ["deposit kept", "deposit deposit returned tenant", "rent due monthly"]
    # N = 3, mean length 3; "deposit" in 2 passages: idf = ln(1 + 1.5 / 2.5) = ln 1.6; "tenant" in 1: ln(1 + 2.5 / 1.5).
    # Passage 0: f = 1, n = 2: 1 / (1 + 1.5 * (0.25 + 0.75 * 2 / 3)) = 1 / 2.125.
    # Passage 1: n = 4: deposit f = 2: 2 / (2 + 1.5 * 1.25) = 2 / 3.875; tenant f = 1: 1 / 2.875.
    hits = search(texts, "tenant deposit")
    assert [h.passage for h in hits] == [1, 0, 2]
    assert hits[0].score == pytest.approx(math.log(1.6) * 2 / 3.875 + math.log(1 + 2.5 / 1.5) / 2.875, abs=1e-12)
    assert hits[1].score == pytest.approx(math.log(1.6) / 2.125, abs=1e-12)
    assert hits[2].score == 0.0


vocabulary = st.lists(st.sampled_from("rent lease deposit tenant notice clause 12(3) breach".split()), max_size=8).map(" ".join)


@given(st.lists(vocabulary, min_size=1, max_size=12), vocabulary, st.integers(1, 14))
def test_scores_are_the_formulas_and_ties_come_in_the_order_of_the_corpus(texts: list[str], question: str, k: int) -> None:
    hits = search(texts, question, k)
    if not question:
        assert hits == []
        return
    scores = formula(texts, question) if any(texts) else [0.0] * len(texts)
    assert len(hits) == min(k, len(texts))
    assert [h.score for h in hits] == pytest.approx(sorted(scores, reverse=True)[:k], abs=1e-12)
    assert all(h.score == pytest.approx(scores[h.passage], abs=1e-12) for h in hits)
    assert hits == sorted(hits, key=lambda h: (-h.score, h.passage))


def test_a_question_of_unknown_words_has_zeros_and_one_without_text_nothing() -> None:
    assert search(["rent", "lease"], "estoppel", 1) == [Hit(0, 0.0)]
    assert search(["rent", "lease"], "!?", 3) == [Hit(0, 0.0), Hit(1, 0.0)]
    assert search(["rent", "lease"], " \n", 3) == []


def test_a_corpus_without_words_and_an_empty_one() -> None:
    assert search(["!", "...", "the"], "rent", 2) == [Hit(0, 0.0), Hit(1, 0.0)]
    assert Bm25().search([], ["rent", "lease"], 2, lambda *_: None) == [[], []]


def test_only_the_text_is_read_and_no_stop_word() -> None:
    assert search(["rent"], "deposit p0")[0].score == 0.0
    texts = ["the rent", "rent of a flat"]
    assert search(texts, "the", 1)[0].score == 0.0


def test_the_signature_is_that_of_earlier_runs() -> None:
    assert Bm25().signature == "bm25|lucene|words 1|k1=1.5|b=0.75|stop words=english"


def test_k_below_1_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        search(["rent"], "rent", 0)


def test_progress_is_reported_and_may_cancel() -> None:
    told: list[tuple[int, int]] = []
    Bm25().search(corpus(["rent"] * 600), ["rent"], 1, lambda done, total: told.append((done, total)))
    assert told == [(0, 600), (256, 600), (512, 600), (600, 600)]

    def cancel(done: int, total: int) -> None:
        if done:
            raise Cancelled

    with pytest.raises(Cancelled):
        Bm25().search(corpus(["rent"] * 600), ["rent"], 1, cancel)


SILENT = """
import logging
logging.basicConfig(level=logging.DEBUG)
from groundscope.rag.retrieving.bm25 import Bm25
from groundscope.types import Passage
passages = [Passage(str(i), t) for i, t in enumerate("rent,lease rent,notice,rent rent term,lease".split(","))]
print(Bm25().search(passages, ["rent lease notice", "term"], 4, lambda *_: None))
"""


def test_it_is_silent_and_the_same_in_every_process(capsys: pytest.CaptureFixture[str]) -> None:
    exec(SILENT, {})  # noqa: S102 - as the child runs it
    # Hashes of texts are others there.
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    command = [sys.executable, "-c", SILENT]
    child = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment, check=True)
    assert child.stderr == ""
    assert child.stdout == capsys.readouterr().out


WORDS = {
    "The Tenant shall PAY": "the tenant shall pay",
    "section 12(3)(a)": "section 12 12(3) 12(3)(a)",
    "s 12(3), s. 12 and s12A": "section 12 12(3) section 12 and section 12a",
    "§ 12, §12 and §§ 3-4": "section 12 section 12 and section 3 4",
    "Sections 3,4 and ss 5": "section 3 4 and section 5",
    "this section and sections apply": "this section and sections apply",
    "the tenant's 12 months": "the tenant 12 months",
    "the tenant’s and the parties' own": "the tenant and the parties own",
    "don’t": "don't",
    "$1,000.50 or 1,250,000": "1000.50 or 1250000",
    "2.5.1-c1-s1": "2.5.1 c1 s1",
    "clause 4(iv) and 4(xviii)": "clause 4 4(iv) and 4 4(xviii)",
    "five 5(five) (a) 12 (3)": "five 5 five a 12 3",
    "the 2nd of May 1980s": "the 2nd of may 1980s",
    "non-disclosure_agreement": "non disclosure agreement",
    "ﬁnal oﬃce, cafe\u0301 ＡＢＣ": "final office café abc",
    "co\xadoperate": "cooperate",
    "Straße Ünïcode право 契約": "straße ünïcode право 契約",
    "3rdparty 2fa4b class": "3rdparty 2fa4b class",
    "12. The rent is 5.": "12 the rent is 5",
    "<b>rent</b>\0due": "b rent b due",
    "\ud800": "",
    "": "",
}


@each("text", WORDS)
def test_words_are_what_a_lawyer_would_look_up(text: str) -> None:
    assert words(text) == WORDS[text].split()


@given(st.text(st.characters(), max_size=60))
def test_any_text_gives_words_that_are_the_same_in_capitals_of_ascii(text: str) -> None:
    found = words(text)
    assert all(found)
    plain = text.encode("ascii", "ignore").decode()
    assert words(plain) == words(plain.upper())


@each("piece", ["1,1", "1(1)", "1.", "(", "12(3", "a'", "§", "s ", "é\u0328\u0301", "\u0301\u0328", "a", "1", "\u202e", "1a"])
def test_a_long_run_of_anything_takes_linear_time(piece: str) -> None:
    # Quadratic time would be minutes here.
    words(piece * (100_000 // len(piece)))
    words("x" + piece * (100_000 // len(piece)) + "x")
