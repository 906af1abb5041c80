"""Every reader of what users and models write, the pieces that a text may repeat to hold it, and how long a text it is given."""

import json
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from groundscope.arguments import asking
from groundscope.arguments.catalogue import TRADE_SECRETS, read_catalogue
from groundscope.arguments.extraction import exact
from groundscope.arguments.mentions import keys_of
from groundscope.arguments.parsing import read_argument
from groundscope.cases.dataset import read as read_cases
from groundscope.cases.edits.by_model import changes
from groundscope.cases.edits.variants import adapt
from groundscope.cases.injections import instructions_in
from groundscope.cases.mapping.field_mapping import fields_of
from groundscope.cases.passages import from_paste, passages
from groundscope.cases.validation import validate
from groundscope.chat.clients.faults import ErrorInAnswer, TransientError, fault
from groundscope.chat.clients.openai_api import reply_of
from groundscope.chat.conversation import Quoted, choice_field
from groundscope.chat.json_reply import json_of, object_of
from groundscope.chat.messages import Prompt, Reply
from groundscope.chat.prices import read as read_prices
from groundscope.citations import decomposing
from groundscope.citations.batch import read_batch
from groundscope.citations.claims import document
from groundscope.citations.explain import as_json, by_sentence
from groundscope.citations.points import key_points
from groundscope.citations.quotes import plain_quotes
from groundscope.citations.reader.reading import read
from groundscope.citations.states import layer
from groundscope.drawing.board import read_case
from groundscope.drawing.model_card import card_html
from groundscope.errors import DataError
from groundscope.findings.differs import differing, left_out
from groundscope.findings.exact import exact_findings, exact_findings_of
from groundscope.grounding.imported.scores import read_scores
from groundscope.methods.asking import published
from groundscope.methods.asking.evidence import ClaimFinding, EvidencePlacer
from groundscope.rag import asking as answering
from groundscope.rag.corpora.documents import cut
from groundscope.rag.records import read_results
from groundscope.rag.retrieving.bm25 import words
from groundscope.text.context_names import ContextNames, definitions
from groundscope.text.differences import differences
from groundscope.text.facts import items
from groundscope.text.locate import locate
from groundscope.text.named_sources import NamedSources
from groundscope.text.names import read_names
from groundscope.text.plain import PlainCase, plain
from groundscope.text.sentences import split
from groundscope.text.shown import shown
from groundscope.text.values.grammar import read_values, values_of
from groundscope.text.values.lookup import ContextValues
from groundscope.text.verbatim import verbatim
from groundscope.types import Case, Passage
from scorers import refchecker

LANGUAGES = ("de", "fr", "es", "ja")
FULL = "Roe v. Wade, 410 U.S. 113 (1973). "
CONTEXT = (Passage("p1", f"The landlord shall give written notice to the tenant. {FULL}"),)

_PIECES = (
    " ", "\t", "\n", "\r\n", "\u00a0", "\u2028", "\u3000", "\u200b", "\x00", "\ud800", "\u0301",
    "\u0130", "法。", "😀", "א ", "\u202e",
    "'", '"', "“", "‘", "``", "(", "[", "{", '{"a":', "<b>", "<think>", "http://", "\\a",
    '\\"', "**", "_", "# ", "| ", "- ", "-", "—",
    ".", ". ", ", ", "§ ", "1", "1,", ",000", "A", "a", "A.", "Aa-", "a'", "A''", "'a b ", "“a b ", "“a b” ", '"a",', "“a … b” ",
    "v. ", "Aa v. ", "Id. ", "1 A --", "a\n\n", "\n \n", "1. a\n",
)  # fmt: skip
"""What anything a person pastes or a model gets stuck on may repeat."""
_CITED = (
    "Id. at 5, 6, ", "supra, at 1 ", "1 U.S. 1 ", "1 U.S. 1; ", FULL, "42 U.S.C. § 1983. ", "§ 1.", "§ 1(a)(a)(a)(a)", "[2019] ",
    "Act Act ", "Section 1 of the Aa Bb Cc ", "No. 1-1 (A. ", "Title 1, ", "§§ 1, 2, ", "Cal. Cal. ", "U.S. –– ", "U . S . ",
    "Lujan at 5, 6, ", "Aa Act of 1990, ", "Roe v. Wade ", "Under Roe, ",
)  # fmt: skip
_WRITTEN = (
    "[1]", "[1, ", "[^1]", "[^1]: a\n", "¹", "²,", "a.1 ", ".1 A", "【1†", "【1†source】", "(Source 1) ", "Source 1, ",
    "[Doc 1", "Sources:\n", "<sup>1", "[a](", "[a](b)", "![", "](", "*", "***a", "__a ", "~~", "`", "```\n", "|---",
    "| a |\n", "> ", ">>", "1. ", "---\n", "Step 1: ", "a-\n", "-\n", "a\xad", "e\u0301\u0301", "ﬁ", "*12 ", "[*12] ",
    "&amp;", "<br>", "\\", "\u3099",
)  # fmt: skip
_VALUED = (
    "$1,", "$1.5 million ", "1,000,", "1.000.", "1 000 ", "1'000", "1/2 ", "½", "5 % ", "50 basis points of ",
    "one hundred ", "twenty-", "and ", "half a ", "one-half of one ", "a dozen ", "May ", "May 1, ", "1 May ", "the 1st of ",
    "2020-01-", "1/2/", "01.02.", "30 days ", "thirty (30) ", "an hour and a half ", "9:30 ", "§ ", "§§ 1-", "Section 1(a)(",
    "Rule 1, ", "Article IV", "XIV", "Ex. A", "No. 1:20-cv-", "Dkt. 1 ", "21st ", "Fifth ", "from 1 to ", "between 1 and ",
    "EUR ", "万", "2021年4月", "百", "Mio. ", "quatre-vingt-", "million ",
)  # fmt: skip
_NAMED = (
    "Aa Bb ", "A. B. ", "A.B.", "AB ", "Aa & ", "Aa, Inc. ", "Aa of the ", "(“Aa”) ", "(the “AB”)", "Mr. Aa ", "Aa-Bb-",
    "O’Aa ", "AA ", "d’Aa ", "Class A ", "ß", "É",
)  # fmt: skip
_ARGUED = (
    "F4 ", "TSC1 had F4, ", "factors 1, 2, 3, ", "F4, 6, ", "F4-F5", "Aa-b (P) ", "which not ",
    "neither ", "no common ", "TSC1, which ",
    "the latter ", "TSC1 (", "not have F4 in here, ", "F4 (present ", "as in TSC1, ",
    "common: none; TSC1 F4 ", "Ply 1 ", "plaintiff ",
    "Plaintiff's argument:\n", "no shared factors, ,F4 ", "which is also in TSC1 ", "¤", "[{",
)  # fmt: skip
_REPLIED = (
    "SCORE: ", '"SCORE": "PASS" ', "REASONING: [", "REASONING: ['a' ", "('a', 'b', 'c')\n", "### ", "you are ", "base64 ", "AAAA",
    "</think>", '</think>{"a":1}', "<|channel|>final<|message|>", "<|end|>", "</s>", "assistantfinal", "data: {}\n\n", ": a\n",
    "null,", "None,", "PASS ", "model ", "stream ",
)  # fmt: skip


def _case(text: str) -> Case:
    return Case("c", "", (Passage("p1", text),), text)


def _jsonl(text: str) -> bytes:
    return json.dumps({"query": text, "context": [text], "response": text}).encode()


def _spans(text: str) -> bytes:
    documents = {"retrieval.documents": [{"document.content": text, "document.metadata": text}]}
    attributes = {"input.value": text, "output.value": text, text: text, **documents}
    return json.dumps({"trace_id": "t", "attributes": attributes}).encode()


def _csv(text: str) -> bytes:
    quoted = text.replace('"', '""')
    return f'query,context,response\n"{quoted}","{quoted}",x\n'.encode(errors="replace")


def _deepeval(text: str) -> bytes:
    mark = {"name": text, "score": 0.5, "reason": text}
    return json.dumps([{"input": text, "actualOutput": text, "name": text, "metricsData": [mark]}]).encode()


def _phoenix(text: str) -> bytes:
    return json.dumps([{"span_id": text, "input.value": text, "output.value": text, f"eval.{text}.score": 1}]).encode()


def _named_by_all(text: str) -> NamedSources:
    return NamedSources(tuple(Passage(f"p{i}", "Zed.", text[:40]) for i in range(len(text) // 40)))


def _refusing(read: Callable[[str], Any], text: str) -> None:
    """Read what may be refused: that must be quick, too."""
    with suppress(ValueError, DataError, TransientError, ErrorInAnswer):
        read(text)


_TEXTS: dict[str, tuple[Callable[[str], Any], int]] = {
    "sentences": (split, 100_000),
    "Markdown": (lambda t: (shown(t), shown(t, source=True)), 40_000),
    "facts": (items, 16_000),
    "names": (lambda t: [*read_names(t)], 40_000),
    "names of sources": (lambda t: [ContextNames.of([t]).look_up_item(t, i) for i in read_names(t)], 24_000),
    "names in brackets": (definitions, 40_000),
    "values": (values_of, 40_000),
    "values of sources": (lambda t: ContextValues((t,), "en").steps, 24_000),
    "differences": (lambda t: differences(t, "Zed 7 may not." + t[1:]), 16_000),
    "sources of one name": (lambda t: _named_by_all(t).misplaced(t), 12_000),
    "sources that a sentence names": (
        lambda t: NamedSources((Passage("p", t, t),)).misplaced(t),
        24_000,
    ),
    "copied sentences": (lambda t: verbatim(_case(t)), 40_000),
    "places of quotes": (lambda t: locate("landlord shall give 12 written notice", t), 40_000),
    "citations": (read, 16_000),
    "claims": (document, 8_000),
    "key points": (key_points, 24_000),
    "quotations": (lambda t: plain_quotes(plain(t), CONTEXT), 24_000),
    "quoted contexts": (lambda t: plain_quotes(plain("It says “the landlord … notice” here."), (Passage("p1", t),)), 24_000),
    "injections": (instructions_in, 60_000),
    "words of BM25": (words, 40_000),
    "model cards": (card_html, 6_000),
    "pasted cases": (partial(_refusing, lambda t: from_paste(t, [(t, t), ("", f"Source: {t}")], t, "c")), 100_000),
    "JSONL": (partial(_refusing, lambda t: read_cases("a.jsonl", _jsonl(t))), 60_000),
    "spans": (partial(_refusing, lambda t: read_cases("a.jsonl", _spans(t))), 60_000),
    "bare JSONL": (partial(_refusing, lambda t: read_cases("a.jsonl", t.encode(errors="replace"))), 60_000),
    "bare JSON": (partial(_refusing, lambda t: read_cases("a.json", t.encode(errors="replace"))), 60_000),
    "printed lists": (partial(_refusing, lambda t: (passages(f"[{t}]"), passages(f"['{t}']"))), 60_000),
    "fields of a file": (partial(_refusing, lambda t: fields_of("a.jsonl", _jsonl(t))), 60_000),
    "CSV": (partial(_refusing, lambda t: read_cases("a.csv", _csv(t))), 60_000),
    "bare CSV": (partial(_refusing, lambda t: read_cases("a.csv", t.encode(errors="replace"))), 60_000),
    "variants": (lambda t: adapt(_case(t)), 6_000),
    "changes of a version": (lambda t: changes(t, f"Zed {t[1:]}"), 12_000),
    "checks of a set": (lambda t: validate([_case(t)]), 12_000),
    "documents": (lambda t: cut(t, len, 500), 24_000),
    "catalogues": (partial(_refusing, lambda t: read_catalogue("a.csv", t.encode(errors="replace"))), 40_000),
    "prices": (partial(_refusing, lambda t: read_prices(t, "a.csv")), 40_000),
    "analyses": (partial(_refusing, lambda t: read_batch("a.csv", t.encode(errors="replace"))), 40_000),
    "answers": (partial(_refusing, lambda t: read_results("a.csv", t.encode(errors="replace"))), 60_000),
    "scores of DeepEval": (partial(_refusing, lambda t: read_scores("a.json", _deepeval(t))), 60_000),
    "scores of Phoenix": (partial(_refusing, lambda t: read_scores("a.json", _phoenix(t))), 60_000),
    "scores": (partial(_refusing, lambda t: read_scores("a.csv", t.encode(errors="replace"))), 60_000),
}
_PLAIN: dict[str, tuple[Callable[[str], Any], int]] = {
    "plain answers": (plain, 40_000),
    "plain sources": (lambda t: plain(t, source=True), 40_000),
    "plain cases": (lambda t: PlainCase.of(_case(t)), 24_000),
}
_EXACT: dict[str, tuple[Callable[[str], Any], int]] = {
    "figures": (values_of, 40_000),
    "figures in other languages": (lambda t: [read_values(t, language) for language in LANGUAGES], 6_000),
    "steps between figures": (lambda t: ContextValues((t,), "en").steps, 24_000),
    "figures of sources": (lambda t: [ContextValues.of([t]).look_up(v) for v in read_values(t)], 12_000),
    "names": (lambda t: [*read_names(t)], 40_000),
    "names of sources": (lambda t: [ContextNames.of([t]).look_up_item(t, i) for i in read_names(t)], 24_000),
    "names in brackets": (definitions, 40_000),
    "exact findings": (lambda t: exact_findings_of(_case(t)), 6_000),
    "differences from the nearest passages": (lambda t: [differing(_case(t)), left_out(_case(t))], 6_000),
    "exact findings in one source": (lambda t: exact_findings([FULL], t), 12_000),
    "exact findings in long sources": (lambda t: exact_findings([t], "Aaa saw 7 of Bbb on May 5, 2020 [2]."), 24_000),
}
_CITING: dict[str, tuple[Callable[[str], Any], int]] = {
    "citations after one": (lambda t: read(FULL + t), 16_000),
    "citation layer": (lambda t: layer(_case(t)), 6_000),
    "names of cases that the sources know": (lambda t: layer(Case("c", "", CONTEXT, t)), 6_000),
    "exported citations": (lambda t: (as_json(_case(t)), by_sentence(_case(t))), 6_000),
    "heatmap": (lambda t: read_case(_case(t)), 6_000),
}
_ARGUING: dict[str, tuple[Callable[[str], Any], int]] = {
    "arguments": (read_argument, 60_000),
    "factors": (lambda t: exact((t,), TRADE_SECRETS), 16_000),
    "listed factors": (lambda t: keys_of(t, TRADE_SECRETS), 16_000),
}
_REPLIES: dict[str, tuple[Callable[[str], Any], int]] = {
    "Lynx": (partial(_refusing, published.parsed), 100_000),
    "reasons of Lynx": (partial(_refusing, lambda t: published.parsed(f'{{"REASONING": [{t}], "SCORE": PASS}}')), 100_000),
    "triplets": (partial(_refusing, refchecker.parsed), 100_000),
    "lines of triplets": (partial(_refusing, refchecker.only_lines), 100_000),
    "one triplet": (partial(_refusing, lambda t: refchecker.parsed(f'("a", "b", "{t}")')), 100_000),
    "objects": (partial(_refusing, lambda t: object_of(f"{{{t}}}")), 100_000),
    "values": (partial(_refusing, lambda t: object_of(f'{{"a": "{t}"}}')), 100_000),
    "replies": (partial(_refusing, lambda t: json_of(Reply(t))), 100_000),
    "fenced replies": (partial(_refusing, lambda t: json_of(Reply(f"```{t}```"))), 100_000),
    "RefChecker": (partial(_refusing, lambda t: refchecker._triplets(Reply(t), 3)), 100_000),
    "claims of a model": (lambda t: EvidencePlacer(_case(CONTEXT[0].text)).by_claims([ClaimFinding(t, 0.0, "no", t)]), 100_000),
    "quotes of a model": (lambda t: EvidencePlacer(_case(CONTEXT[0].text)).by_quotes([Quoted(t, t)], passed=False), 100_000),
    "quotes in an answer": (lambda t: EvidencePlacer(_case(t)).by_quotes([Quoted("landlord shall", "")], passed=False), 6_000),
    "answers of Legal RAG": (lambda t: answering._written(Reply(t), Prompt("", "")), 100_000),
    "factors of a model": (partial(_refusing, lambda t: asking._lists(Reply(t))), 100_000),
    "thinking": (partial(_refusing, lambda t: json_of(Reply(f"<think>{t}"))), 100_000),
    "thinking that ends": (partial(_refusing, lambda t: json_of(Reply(f"{t}</think>{{}}"))), 100_000),
    "texts with a comma too many": (partial(_refusing, lambda t: object_of(f'{{"a": "{t}",}}')), 100_000),
    "verdicts": (partial(_refusing, lambda t: choice_field({"a": t}, "a", ("PASS", "FAIL"))), 100_000),
    "citations of a claim": (
        partial(_refusing, lambda t: decomposing._claims({"claims": [{"claim": t, "citations": t}]}, 9)),
        40_000,
    ),
    "answers of a server": (partial(_refusing, reply_of), 100_000),
    "streams of a server": (partial(_refusing, lambda t: reply_of(f"data: {{}}\n\n{t}")), 100_000),
    "faults of a server": (lambda t: fault(ErrorInAnswer({"error": t}), "it", forced=True, unstreamed=True), 40_000),
}


class Reader(NamedTuple):
    """A reader of texts.

    Attributes:
        read: it; what it refuses it refuses quickly.
        pieces: what a text may repeat to hold it.
        characters: of a text that shows how its time grows, in a test of a second.
    """

    read: Callable[[str], Any]
    pieces: tuple[str, ...]
    characters: int


READERS = {
    name: Reader(read, (*_PIECES, *own), characters)
    for table, own in (
        (_TEXTS, _CITED),
        (_PLAIN, _WRITTEN),
        (_EXACT, (*_VALUED, *_NAMED)),
        (_CITING, _CITED),
        (_ARGUING, _ARGUED),
        (_REPLIES, _REPLIED),
    )
    for name, (read, characters) in table.items()
}
