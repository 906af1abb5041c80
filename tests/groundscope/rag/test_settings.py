"""What varies of retrieval: ids, titles, and what each setting does to the passages that answers are written from."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.experiments.work import work
from groundscope.rag import experiments
from groundscope.rag.loading import retriever
from groundscope.rag.outcomes import answer_case
from groundscope.rag.planning import Answering, planned
from groundscope.rag.retrieving.bm25 import Bm25
from groundscope.rag.retrieving.second_step import POOL, Pieces, Reranked
from groundscope.rag.retrieving.settings import RetrievalSettings, crossed, given_first, settings_of, titled
from groundscope.rag.types import Benchmark, Hit, Question, found_in
from groundscope.text.embedding import Hear
from groundscope.types import Passage

LONG = Passage("lease", "Rent is due on Mondays.\n\nPets are not kept.\n\nThe roof is the lessor's.", "Lease")
OTHERS = tuple(Passage(f"other{i}", f"Clause {i} is about parking.", "") for i in range(6))
CORPUS = (*OTHERS, LONG)
ASKED = Question("q", "Which pets are kept in the house?", "None.", ("lease",))


def words(text: str) -> int:
    return len(text.split())


def silent(done: int, total: int) -> None:
    """Hear nothing."""


class Longest:
    """Scores passages by their length, and some not at all."""

    signature = "longest"

    def passage_scores(self, question: str, passages: Sequence[Passage]) -> list[float]:
        return [float("nan") if "0" in p.text else float(len(p.text)) for p in passages]


SPECS = st.sampled_from(["bm25", "embed:minilm", "embed:openai:m@https://[::1]:80/v1;at_once=2", "embed:local:/a,b|c=d"])
RERANKERS = st.sampled_from(["", "similar", "support:overlap", "support:a,b|c"])


@given(
    st.builds(RetrievalSettings, st.just("bm25"), st.integers(0, 999_999), st.integers(0, 2_048), RERANKERS, st.booleans()),
    st.sampled_from(["BM25", "text-embedding-3-large", "a, b (k = 3)", "pieces of 12 tokens", ", k = ", "x, reranked"]),
    st.sampled_from(["nearest sentences", "Cosine, legal-bert", "QUIP (n = 4)"]),
)
def test_a_title_is_read_as_it_was_written(one: RetrievalSettings, first: str, by: str) -> None:
    assert titled(one.title(first, by)) == replace(one, first=first, reranker=by if one.reranker else "")


@given(st.text(", k=0123456789pieceoftn"))
def test_any_name_is_the_title_of_an_arm(name: str) -> None:
    one = titled(name)
    assert one.title(one.first, one.reranker) == name


@given(st.builds(RetrievalSettings, SPECS, st.integers(0, 50), st.integers(0, 2_048), RERANKERS, st.booleans()))
def test_an_id_is_read_as_it_was_written(one: RetrievalSettings) -> None:
    assert settings_of(one.id) == one


def test_settings_are_crossed_and_one_k_is_the_experiments() -> None:
    assert crossed(["bm25"]) == crossed(["bm25"], [5], [0], [""]) == ["bm25"]
    found = crossed(["bm25", "embed:minilm"], [3, 5], [0, 128], ["", "similar"], oracle=True)
    assert len(found) == len(set(found)) == 2 * 2 * 2 * 2 * 2
    assert found[:3] == ["k=3|bm25", "k=5|bm25", "k=3,oracle|bm25"]
    for wrong in ({"ks": [0]}, {"sizes": [-1]}):
        with pytest.raises(ValueError, match="k must be at least 1"):
            crossed(["bm25"], **wrong)


def test_a_piece_is_found_and_keeps_the_id_of_its_passage() -> None:
    made = Pieces(Bm25(), 5, words, "words")
    ((first, *_),) = made.search(CORPUS, [ASKED.text], 3, silent)
    assert found_in(CORPUS, first) == Passage("lease", "Pets are not kept.", "Lease")
    assert first.score > 0
    assert "pieces=5 tokens of words" in made.signature
    (hits,) = made.search(CORPUS, [ASKED.text], 50, silent)
    pieces = sorted(h for h in hits if h.passage == 6)
    assert [found_in(CORPUS, h).text for h in sorted(pieces, key=lambda h: h.start)] == LONG.text.split("\n\n")
    assert all(a.end <= b.start for a, b in pairwise(sorted(pieces, key=lambda h: h.start)))


def test_what_was_found_is_ordered_again_and_what_has_no_score_comes_last() -> None:
    asked: list[int] = []

    class Counting(Bm25):
        def search(self, passages: Sequence[Passage], questions: Sequence[str], k: int, hear: Hear) -> list[list[Hit]]:
            asked.append(k)
            return Bm25().search(passages, questions, k, hear)

    (hits,) = Reranked(Counting(), Longest()).search(CORPUS, ["parking"], 7, silent)
    assert asked == [POOL]
    assert [CORPUS[h.passage].id for h in hits] == ["lease", "other1", "other2", "other3", "other4", "other5", "other0"]
    assert (hits[0].score, hits[-1].score) == (float(len(LONG.text)), 0.0)
    assert Reranked(Bm25(), Longest()).search(CORPUS, ["", "parking"], 2, silent)[0] == []


def test_relevant_passages_come_first_and_once() -> None:
    found = [Hit(4, 3.0), Hit(2, 2.0), Hit(7, 1.0, 3, 9)]
    assert given_first(found, [2, 7], 3) == [Hit(2, 3.0), Hit(7, 3.0), Hit(4, 3.0)]
    assert given_first(found, [], 3) == found
    assert given_first([], [5], 1) == [Hit(5, 1.0)]


def test_parts_that_extract_also_order_passages() -> None:
    for reranker, title in (("similar", "nearest sentences"), ("support:overlap", "Overlap")):
        made, name = retriever(RetrievalSettings("bm25", reranker=reranker).id)
        assert name == f"BM25, reranked by {title}"
        (hits,) = made.search(CORPUS, ["Which pets are kept?"], 7, silent)
        assert CORPUS[hits[0].passage].id == "lease"
    with pytest.raises(ValueError, match=r"nothing ranks sentences by 'chat:x'"):
        retriever(RetrievalSettings("bm25", reranker="chat:x").id)


def test_an_experiment_compares_arms_as_embedders() -> None:
    lost = Question("lost", "Who parks where?", "No one.", ("lease",))
    benchmark = Benchmark("Lease", CORPUS, (ASKED, lost))
    ids = [*crossed(["bm25"], [1, 2], oracle=True), *crossed(["bm25"], sizes=[8])]
    plan = planned("P", ids, ["similar"], "offline:overlap", 3)
    assert [p.title for p in plan.retrievers] == [
        "BM25, k = 1", "BM25, k = 2", "BM25, relevant passage given, k = 1", "BM25, relevant passage given, k = 2",
        "BM25, pieces of 8 tokens",
    ]  # fmt: skip
    assert len({p.signature for p in plan.retrievers}) == 5
    file = experiments.FOLDER.open(experiments.create(plan, benchmark))
    assert work(file, Answering(file)).finished
    found = {(a.embedder, a.question_id): a for a in experiments.answers(file)}
    assert len(found) == 10
    contexts = {cell: [p.id for p in a.context] for cell, a in found.items()}
    assert contexts["BM25, k = 1", "q"] == ["lease"]
    # By words alone the passage of the other question is not found; given, it comes first.
    assert [found[f"BM25{given}, k = 2", "lost"].hit for given in ("", ", relevant passage given")] == [False, True]
    assert contexts["BM25, relevant passage given, k = 2", "lost"][0] == "lease"
    assert len(contexts["BM25, relevant passage given, k = 2", "lost"]) == 2
    pieces = found["BM25, pieces of 8 tokens", "q"]
    assert pieces.hit is True
    assert pieces.context[0] == Passage("lease", "Pets are not kept.", "Lease")
    case = answer_case(pieces)
    assert len({p.id for p in case.context}) == len(case.context) == 3
