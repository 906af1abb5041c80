"""One case's results as JSON and as CSV, for other programs."""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from groundscope.cases.gold import GoldSentence, gold_sentences
from groundscope.citations.explain import as_json as citations_json
from groundscope.citations.explain import by_sentence
from groundscope.findings.exact import compared_in_words
from groundscope.findings.finding import Certainty, Finding, FindingKind
from groundscope.findings.listing import FindingList, MethodReading, listed
from groundscope.statistics.decision import verdict
from groundscope.text.sentences import context_sentences, sentence_id, split
from groundscope.types import Case, Claim, Judgement, Match, SentenceScore

_FORMULA = tuple("=+-@\t\r＝＋－＠")

COLUMNS = (
    "case", "method", "signature", "status", "threshold", "sentence", "start", "end", "text", "support", "flagged",
    "match_source", "match_passage", "match_start", "match_end", "match_text", "match_support", "seconds",
    "context_seen", "note", "not_in_context", "gold_label", "gold_evidence", "cached", "calls", "tokens", "cost", "claims",
    "citations", "quotations_not_verbatim", "record", "contradiction", "words_not_supported",
    "promise", "findings",
)  # fmt: skip

_ELSEWHERE = frozenset({FindingKind.SOURCE, FindingKind.COURT, FindingKind.MARK})
"""Findings of what is in the context, and named for something else."""
_EFFORT = ("seconds", "context_seen", "cached", "calls", "tokens", "cost", "note", "raw")
"""What of a judgement goes into JSON as it is."""


def to_json(case: Case, results: Sequence[MethodReading], findings: FindingList | None = None) -> str:
    """Write everything: the case, per method the signature, verdict, sentences and matches with their texts.

    The document has the format `groundscope-result`; offsets are half-open, in characters. `headline` and `findings` are those
    that a reader was shown, else those of `groundscope.findings.listing.listed`, in the order to read them; their sentences count
    from 1. `compared` says what exact checks looked up.
    """
    document = {
        "format": "groundscope-result",
        "version": 1,
        "case": asdict(case),
        "compared": compared_in_words(case.response),
        **findings_json(findings or listed(case, results)),
        "citations": citations_json(case),
        "results": [_result(case, r) for r in results],
    }
    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)


def findings_json(findings: FindingList) -> dict[str, Any]:
    """Lay out a list of findings for JSON."""
    places = [f.place._asdict() if f.place else None for f in findings.findings]
    entries = [{**asdict(f), "sentence": f.sentence + 1, "place": p} for f, p in zip(findings.findings, places, strict=True)]
    return {"headline": findings.headline, "findings": entries}


def _result(case: Case, result: MethodReading) -> dict[str, Any]:
    judgement = result.judgement
    reading = verdict(judgement, result.threshold)
    return {
        "method": result.method,
        "signature": result.signature,
        "status": judgement.status,
        "support": judgement.support,
        "threshold": result.threshold,
        "grounded": reading.grounded,
        "verdict": reading.words,
        "record": result.record,
        "promise": result.promise,
        **{name: getattr(judgement, name) for name in _EFFORT},
        "claims": [asdict(c) for c in judgement.claims],
        "sentences": [
            {
                "start": s.start,
                "end": s.end,
                "text": case.response[s.start : s.end],
                "support": s.support,
                "flagged": _flag(i, s, result.threshold, reading.flagged),
                "verbatim": s.verbatim,
                "contradiction": s.contradiction,
                "unsupported": s.unsupported,
                "matches": [{**asdict(m), "text": _text(case, m)} for m in s.matches],
            }
            for i, s in enumerate(judgement.sentences)
        ],
    }


def to_csv(case: Case, results: Sequence[MethodReading]) -> str:
    """Write one line a method and sentence, with the best match; a method without sentences has one line with its state.

    That line has the citations and quotations of all sentences, which do not depend on a method. Sentences and passages count
    from 1; offsets are half-open, in characters of the response or of the passage. `findings` says why of all findings of a
    sentence, `not_in_context` has the words that no source has. Cells that a spreadsheet would run as a formula get a leading
    apostrophe.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for cells in lines(case, results):
        writer.writerow([guarded(c) if isinstance(c, str) else c for c in cells])
    return out.getvalue()


def lines(case: Case, results: Sequence[MethodReading]) -> Iterator[tuple[Any, ...]]:
    """Make the lines of `to_csv`, for other tables."""
    sentences, findings = split(case.response), listed(case, results)
    named = {s.start: _named(findings.of(i)) for i, s in enumerate(sentences)}
    gold = {s.start: _gold(case, s) for s in gold_sentences(case)}
    cites = {s.start: told for s, told in zip(sentences, by_sentence(case), strict=True)}
    for result in results:
        yield from _lines(case, result, named, gold, cites)


def _named(findings: Sequence[Finding]) -> tuple[str, str]:
    """The words that no source has, and why of all findings."""
    missing = [f.text for f in findings if f.certainty is Certainty.EXACT and f.kind not in _ELSEWHERE]
    return "; ".join(missing), " ".join(f.why for f in findings)


def _gold(case: Case, sentence: GoldSentence) -> tuple[str, str]:
    """The error types, or "unsupported", or "supported" where the set says so; and the ids of the gold context sentences."""
    units = context_sentences(case.context)
    words = [e.type.value for e in sentence.errors] + ["unsupported"] * bool(sentence.unsupported)
    # A response called ungrounded without a span may be wrong anywhere.
    located = case.grounded is not False or bool(case.errors or case.unsupported)
    sound = case.grounded is True or (located and bool(sentence.evidence))
    label = "; ".join(words) or ("supported" if sound else "")
    return label, " ".join(sentence_id(case.context, units[j].passage, units[j].start) for j in sentence.evidence)


def _lines(
    case: Case,
    result: MethodReading,
    named: dict[int, tuple[str, str]],
    gold: dict[int, tuple[str, str]],
    cites: dict[int, tuple[str, str]],
) -> Iterator[tuple[Any, ...]]:
    j = result.judgement
    head = (case.id, result.method, result.signature, str(j.status), result.threshold)
    tail = (round(j.seconds, 6), j.context_seen, j.note)
    # A cost that is not known is an empty cell.
    asked = (j.cached, j.calls, j.tokens, "" if j.cost is None else j.cost)
    flagged = verdict(j, result.threshold).flagged
    if not j.sentences:
        joined = ("; ".join(filter(None, column)) for column in zip(("", ""), *cites.values(), strict=True))
        why = " ".join(filter(None, (why for _, why in named.values())))
        yield *head, *("",) * 12, *tail, "", "", "", *asked, "", *joined, result.record, "", "", result.promise, why
    for i, s in enumerate(j.sentences):
        missing, why = named.get(s.start, ("", ""))
        place = (i + 1, s.start, s.end, case.response[s.start : s.end], s.support, _flag(i, s, result.threshold, flagged))
        claims = "; ".join(f"{c.text} [{c.reason}]" for c in claims_of(j, s))
        against = "" if s.contradiction is None else s.contradiction
        lacking = "; ".join(case.response[start:end].strip() for start, end in s.unsupported)
        labels, citations = gold.get(s.start, ("", "")), cites.get(s.start, ("", ""))
        more = (*asked, claims, *citations, result.record, against, lacking, result.promise, why)
        yield *head, *place, *_match(case, s), *tail, missing, *labels, *more


def claims_of(judgement: Judgement, sentence: SentenceScore) -> list[Claim]:
    """Find the claims that begin in a sentence."""
    return [c for c in judgement.claims if sentence.start <= c.start < sentence.end]


def _flag(index: int, sentence: SentenceScore, threshold: float | None, flagged: tuple[int, ...]) -> bool | None:
    """Whether a sentence is flagged; None where there is nothing to compare."""
    return None if sentence.support is None or threshold is None else index in flagged


def _match(case: Case, sentence: SentenceScore) -> tuple[Any, ...]:
    if not sentence.matches:
        return ("",) * 6
    m = sentence.matches[0]
    return (case.context[m.passage].source, m.passage + 1, m.start, m.end, _text(case, m), m.support)


def _text(case: Case, match: Match) -> str:
    return case.context[match.passage].text[match.start : match.end]


def guarded(cell: str) -> str:
    """Keep a spreadsheet from running a cell as a formula."""
    risky = cell.lstrip(" \u00a0\u3000").startswith(_FORMULA) or cell.lstrip().startswith(_FORMULA)
    return f"'{cell}" if risky else cell
