"""Sentences of the Legal RAG page about its figures. No streamlit."""

from collections.abc import Sequence
from unicodedata import bidirectional

from components.charts.rag import TITLES, lacking
from groundscope.rag.effects import CannotTell, Joint
from groundscope.rag.outcomes import ERRORS, Answer, AnswerOutcome, OutcomeRow, errors_in, whole
from groundscope.rag.ranking import Ranking
from groundscope.rag.report import SURE, RagReport, p_words
from groundscope.text.humanize import plural

OUTCOME_TITLES = {"both": "Correct and grounded", "correct": "Correct", "grounded": "Grounded"}
_TURNING = {"R", "AL", "LRE", "RLE", "LRO", "RLO", "LRI", "RLI", "FSI"}
_NAME = 80
"""Characters of a name that a sentence holds."""
_EXPLAINED = {
    AnswerOutcome.HALLUCINATION: "hallucinations, where the answer says what its passages do not",
    AnswerOutcome.RETRIEVAL: "retrieval errors, where the passage with the answer was not found",
    AnswerOutcome.REASONING: "reasoning errors, where the passage with the answer was found and the answer is not correct",
    AnswerOutcome.UNCLEAR: "answers that are not correct, with unknown grounding or an unknown passage",
}
BY_METHODS = (
    "Whether the answers are right was judged by two methods of the app. How often these err is not measured, so what they say "
    "stands apart, under “Errors by this judge”."
)


def retrieved(rows: Sequence[OutcomeRow]) -> str:
    """How often each embedder found the passage with the answer: known without any judge."""
    measured = [r for r in rows if r.hit.of]
    if not measured:
        return "Which passages hold the answers is not known, so nothing can be said without a judge."
    shares = [
        f"by {'words' if r.embedder.startswith('BM25') else 'meaning'} ({_isolated(r.embedder)}) for {r.hit.count:,} of "
        f"{plural(r.hit.of, 'answer')}, {r.hit.value:.0%}"
        for r in measured[:6]
    ]
    more = f"; and {len(measured) - 6} more ways" if len(measured) > 6 else ""
    return f"The passage that answers the question was found {'; '.join(shares)}{more}."


def headline(answers: Sequence[Answer], report: RagReport) -> tuple[str, str]:
    """What a stakeholder takes home: how many answers are right, what goes wrong most, and what decides it."""
    all_ = whole(answers)
    good = all_.accuracy
    if not good.of:
        return _without_accuracy(all_), ""
    worst = max(ERRORS, key=lambda e: all_.errors[e].count)
    verb = "is" if good.of == 1 else "are"
    first = f"{good.count:,} of {plural(good.of, 'answer')} ({good.value:.0%}) {verb} correct and grounded."
    if more := len(answers) - good.of:
        lack, are = ("lacks", "is") if more == 1 else ("lack", "are")
        first += f" {more:,} more {lack} a verdict that this needs and {are} not counted."
    if all_.errors[worst].count:
        first += f" What goes wrong most: {_EXPLAINED[worst]} ({all_.errors[worst].value:.0%} of answers)."
    tests = report.tests["both"]
    decides = _matters("the embedder", tests.embedder), _matters("the model", tests.model)
    return first, " ".join(filter(None, decides))


def _without_accuracy(all_: OutcomeRow) -> str:
    """Nothing says which answers are right: what can be said all the same."""
    if not all_.grounded.of:
        return "No answer has a verdict yet, so there is nothing to show."
    grounded = all_.grounded
    return (
        f"{grounded.count:,} of {plural(grounded.of, 'answer')} ({grounded.value:.0%}) {'is' if grounded.of == 1 else 'are'} "
        "grounded. Whether they are correct is not known, so there is no RAG accuracy."
    )


def _matters(what: str, test: Joint | CannotTell) -> str:
    if isinstance(test, CannotTell):
        return ""
    if test.p < SURE:
        return f"{what[0].upper()}{what[1:]} makes a difference that chance does not explain ({p_words(test.p)})."
    return f"That {what} makes a difference is not shown by these questions ({p_words(test.p)})."


def best(rows: Sequence[OutcomeRow]) -> str:
    """The combination with the highest RAG accuracy, and the lowest."""
    measured = [r for r in rows if r.accuracy.of]
    if len(measured) < 2:
        return ""
    top, low = max(measured, key=lambda r: r.accuracy.value), min(measured, key=lambda r: r.accuracy.value)
    if top.accuracy.value == low.accuracy.value:
        return ""
    return (
        f"Best: {_isolated(top.embedder)} with {_isolated(top.model)} ({top.accuracy.value:.0%} correct and grounded). "
        f"Weakest: {_isolated(low.embedder)} with {_isolated(low.model)} ({low.accuracy.value:.0%})."
    )


def _isolated(name: str) -> str:
    """A name, cut; where something in it turns the direction of text, between marks that keep it from the rest."""
    cut = name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"
    return f"\u2068{cut}\u2069" if any(bidirectional(c) in _TURNING for c in cut) else cut


def errors_alt(rows: Sequence[OutcomeRow]) -> str:
    """The stacked bars for those who do not see them."""
    shown = errors_in(rows)
    parts = []
    for r in rows:
        shares = [f"{TITLES[e].lower()} {100 * r.errors[e].value:.0f} %" for e in shown if r.errors[e].of]
        parts.append(f"{_isolated(r.embedder)} with {_isolated(r.model)}: {', '.join(filter(None, (*shares, lacking(r))))}")
    return f"Errors by combination, percent of answers. {'; '.join(parts)}."


def counted(ranked: Sequence[Ranking]) -> str:
    """How deep retrieval is known, and which questions its figures leave out; of several embedders the most."""
    depth = max(r.depth for r in ranked)
    silent, unlisted = max(r.left_out for r in ranked), max(r.unlisted for r in ranked)
    sentences = [
        f"At most {plural(depth, 'passage of each question is', 'passages of each question are')} known; MRR looks no further."
    ]
    if silent:
        does, counts = ("does", "counts") if silent == 1 else ("do", "count")
        sentences.append(
            f"{plural(silent, 'question')} {does} not say which passages are relevant and {counts} in no figure here."
        )
    if unlisted:
        counts = "it counts" if unlisted == 1 else "they count"
        sentences.append(f"It is not known what was retrieved for {plural(unlisted, 'question')}; {counts} in no figure here.")
    return " ".join(sentences)
