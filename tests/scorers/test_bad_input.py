"""Every scorer on texts that break careless code: a score or a named state, never an exception, never a quotation."""

import pytest

from groundscope.methods import registry
from groundscope.types import Case, Judgement, SentenceScore, Status
from tests.loops import each
from tests.scorers.conftest import Check, MakeCase

CANARY = "Zyxwvoq"
"""A word that a note would only hold if it quoted the case."""

PLAIN = (f"The court {CANARY} dismissed the appeal in 2003.", "Costs were awarded to the respondent.")

RESPONSES = {
    "one word": CANARY,
    "right to left": f"رفضت المحكمة {CANARY} الاستئناف في عام 2003. وحكمت بالتكاليف للمدعى عليه.",
    "emoji": f"👩🏽‍⚖️ The court {CANARY} dismissed 🎉🇫🇷 the appeal. 👍",
    "zero width": f"The\u200bcourt dis\u200dmissed\ufeff the\u2060 appeal {CANARY}.",
    "NUL": f"The court\x00 dismissed the appeal {CANARY}.\x00",
    "lone surrogates": f"The court \ud800 dismissed \udfff the appeal {CANARY}.",
    "html": f"<b>The court</b> <script>alert('{CANARY}')</script> &amp; <img src=x onerror=alert(1)> dismissed.",
    "one sentence of 20,000 characters": f"{CANARY} " + "and the court dismissed it " * 740,
    "one word of 20,000 characters": CANARY + "a" * 20_000,
    "20,000 full stops": f"{CANARY}{'.' * 20_000}",
    "a table": f"| Year | Costs |\n|---|---|\n| 2003 | {CANARY} |\n| 2004 | 4,500 |",
}

NOTHING = ("", " \n\t\r\n\u3000\u2028 ", '."' * 3_000, "\u200b\u200d\ufeff", "- \n* \n• \n", "\ud800")

READY = tuple(m for m in registry.names() if not registry.load(m).unavailable())

FEW = {"right to left", "NUL", "lone surrogates", "html", "a table"}
"""One of each kind for what is slow; before a release it reads all of them, too."""
SLOW = {"cascade", "grounding_classifier"}

ODD = [
    pytest.param(m, n, marks=[pytest.mark.release] if m.partition(":")[0] in SLOW and n not in FEW else [])
    for m in READY
    for n in RESPONSES
]


def _checked(method: str, example: Case, check: Check) -> Judgement:
    judgement = registry.load(method).score(example)
    check(judgement, example)
    assert judgement.status is not Status.FAILED
    assert CANARY not in judgement.note
    return judgement


def _left_to_a_model(method: str, example: Case, sentence: SentenceScore) -> bool:
    """Whether a trained model's opinion of a copied sentence counts: it has few words, and may mean something else elsewhere."""
    words = sum(any(c.isalnum() for c in word) for word in example.response[sentence.start : sentence.end].split())
    return hasattr(registry.load(method), "verbatim") and words < 4


@pytest.mark.parametrize(("method", "name"), ODD)
def test_an_odd_response_to_an_odd_passage_is_scored_or_named(method: str, name: str, case: MakeCase, check: Check) -> None:
    # Another odd text: what is copied word for word is not shown to a model by every method.
    names = [*RESPONSES]
    other = RESPONSES[names[names.index(name) - 1]]
    judgement = _checked(method, case(RESPONSES[name], *PLAIN, other, query=CANARY), check)
    assert judgement.sentences


@pytest.mark.parametrize(("method", "name"), ODD)
def test_an_odd_text_supports_itself(method: str, name: str, case: MakeCase, check: Check) -> None:
    example = case(RESPONSES[name], PLAIN[1], RESPONSES[name], query=CANARY)
    judgement = _checked(method, example, check)
    known = [s.support for s in judgement.sentences if s.support is not None and not _left_to_a_model(method, example, s)]
    assert known == pytest.approx([1.0] * len(known), abs=0.01)


@pytest.mark.parametrize("method", READY)
@each("text", NOTHING)
def test_texts_without_words_are_not_assessable(method: str, text: str, case: MakeCase, check: Check) -> None:
    answer = _checked(method, case(text, *PLAIN, query=CANARY), check)
    sources = _checked(method, case(PLAIN[0], text, text, query=CANARY), check)
    assert answer.status is sources.status is Status.NOT_ASSESSABLE
    assert "response" in answer.note
    assert "sources" in sources.note


@pytest.mark.parametrize("method", READY)
@each(
    ("response", "passages", "words"),
    [("# Background\n\n## The holding of the court\n", PLAIN, "headings only"), (PLAIN[0], (), "sources")],
)
def test_headings_alone_and_no_sources_are_not_assessable(
    method: str, response: str, passages: tuple[str, ...], words: str, case: MakeCase, check: Check
) -> None:
    judgement = _checked(method, case(response, *passages), check)
    assert judgement.status is Status.NOT_ASSESSABLE
    assert words in judgement.note


@pytest.mark.parametrize("method", READY)
def test_a_response_has_a_support_only_if_a_sentence_has_one(method: str, case: MakeCase, check: Check) -> None:
    # Long enough together for an n-gram of 21 characters, not one by one.
    judgement = _checked(method, case("It was so. It was not.", *PLAIN), check)
    assert (judgement.status is Status.SCORED) == any(s.support is not None for s in judgement.sentences)


@pytest.mark.parametrize("method", READY)
def test_blank_passages_between_others_keep_the_passage_numbers(method: str, case: MakeCase, check: Check) -> None:
    judgement = _checked(method, case(PLAIN[1], "", PLAIN[0], " \n", PLAIN[1]), check)
    assert judgement.sentences[0].matches[0].passage == 3


@pytest.mark.parametrize("method", READY)
def test_the_right_one_of_200_passages_is_found(method: str, case: MakeCase, check: Check) -> None:
    passages = [f"Regulation {i} governs the licensing of fishing vessels in zone {i * 7}." for i in range(200)]
    passages[137] = PLAIN[0]
    judgement = _checked(method, case(PLAIN[0], *passages, query=CANARY), check)
    assert judgement.sentences[0].matches[0].passage == 137
    assert judgement.support == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("method", READY)
def test_the_longest_texts_of_a_review_are_scored(method: str, case: MakeCase, check: Check) -> None:
    response = " ".join(f"Clause {i} binds the tenant for {i + 1} years." for i in range(100))
    judgement = _checked(method, case(response, *[response] * 5), check)
    assert len(judgement.sentences) == 100
