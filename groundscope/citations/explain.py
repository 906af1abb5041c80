"""Results of checking a response's citations, in words: for tables, exports and pages."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from groundscope.citations.quotes import Quote
from groundscope.citations.states import Checked, Layer, State, layer
from groundscope.text.humanize import plural
from groundscope.text.sentences import split
from groundscope.types import Case


def summary(checked: Layer) -> str:
    """Summarise a response: how many citations have which state, and how many quotations are verbatim."""
    parts = []
    if count := len(checked.citations):
        states = [f"{n} {state}" for state in State if (n := checked.count(state))]
        parts.append(f"{plural(count, 'citation')}: {'; '.join(states)}.")
    if checked.quotes:
        right = sum(q.verbatim for q in checked.quotes)
        of = len(checked.quotes)
        parts.append(f"{right} of {plural(of, 'quotation is', 'quotations are')} in the sources word for word.")
    return " ".join(parts)


def differing(checked: Checked) -> str:
    """Say what differs from the context: "year 1986, in the sources 1987"."""
    return "; ".join(f"{d.part} {d.ours}, in the sources {d.theirs}" for d in checked.differs)


def words(case: Case, checked: Checked) -> str:
    """Describe one citation of the response in one line: as written, its state, and in parentheses what differs or why."""
    text = " ".join(case.response[checked.citation.outer : checked.citation.end].split())
    more = differing(checked) or checked.why
    return f"{text}: {checked.state}{f' ({more})' if more else ''}"


def quote_words(case: Case, quote: Quote) -> str:
    """Describe one quotation that is not verbatim, without a full stop; its wrong words stand in parentheses."""
    wrong = ", ".join(case.response[a:b] for a, b in quote.wrong)
    return f"“{case.response[quote.start : quote.end]}” is not in the sources word for word{f' ({wrong})' if wrong else ''}"


def by_sentence(case: Case) -> tuple[tuple[str, str], ...]:
    """Describe, per response sentence, its citations with their states and its quotations that are not verbatim."""
    checked = layer(case)
    cited: dict[int, list[Checked]] = {}
    for c in checked.citations:
        cited.setdefault(c.sentence, []).append(c)
    told = []
    for i, s in enumerate(split(case.response)):
        cites = "; ".join(words(case, c) for c in cited.get(i, ()))
        wrong = "; ".join(
            quote_words(case, checked.quotes[k]) for k in _begun(checked.quotes, s.start, s.end) if not checked.quotes[k].verbatim
        )
        told.append((cites, wrong))
    return tuple(told)


def quotes_of(checked: Checked, quotes: Sequence[Quote], spans: Sequence[tuple[int, int]]) -> list[int]:
    """Find the quotations, by their index, in the sentence with a citation and in the sentence it is cited for."""
    places = {checked.sentence, checked.claim}
    return sorted(k for i in places if 0 <= i < len(spans) for k in _begun(quotes, *spans[i]))


def _begun(quotes: Sequence[Quote], start: int, end: int) -> range:
    """Places of the quotations, of many in reading order, that begin in a span."""
    return range(*(bisect_left(quotes, at, key=lambda q: q.start) for at in (start, end)))


def as_json(case: Case) -> dict[str, Any]:
    """Export everything about a response's citations and quotations: `summary`, `note`, `citations` and `quotations`.

    Offsets are half-open, in characters of the response or of a passage; passages count from 0, sentences from 1.
    """
    checked = layer(case)
    return {
        "summary": summary(checked),
        "note": checked.note,
        "citations": [_citation(case, c) for c in checked.citations],
        "quotations": [_quotation(case, q) for q in checked.quotes],
    }


def _citation(case: Case, checked: Checked) -> dict[str, Any]:
    c = checked.citation
    return {
        "start": c.outer,
        "end": c.end,
        "text": case.response[c.outer : c.end],
        "kind": c.kind,
        "form": c.form,
        "authority": c.key,
        "state": checked.state,
        "place": checked.place._asdict() if checked.place else None,
        "in_source": checked.in_source,
        "context_text": checked.theirs,
        "differs": [d._asdict() for d in checked.differs],
        "why": checked.why,
        "sentence": checked.sentence + 1,
        "cited_for_sentence": checked.claim + 1,
    }


def _quotation(case: Case, quote: Quote) -> dict[str, Any]:
    return {
        "start": quote.start,
        "end": quote.end,
        "text": case.response[quote.start : quote.end],
        "verbatim": quote.verbatim,
        "note": quote.note,
        "place": quote.place._asdict() if quote.place else None,
        "nearest": quote.nearest._asdict() if quote.nearest else None,
        "similarity": quote.similarity,
        "wrong": [list(w) for w in quote.wrong],
    }
