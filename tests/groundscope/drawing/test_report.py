"""The printable page: complete, without scripts or addresses, whatever the texts hold."""

from dataclasses import replace

from groundscope.drawing.report import page
from groundscope.findings.listing import MethodReading
from groundscope.text.differences import BLIND_SPOTS
from groundscope.types import Case, ErrorSpan, ErrorType, Judgement, Match, Passage, SentenceScore, Status
from tests.groundscope.drawing.parsed import HOSTILE, Parsed
from tests.loops import each

TAGS = {
    *("html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "table", "thead", "tbody", "tr"),
    *("th", "td", "mark", "blockquote", "ul", "ol", "li", "br", "span", "ins", "b"),
    *("sup", "details", "summary", "section", "div"),
}


def result(judgement: Judgement, threshold: float | None = 0.5) -> MethodReading:
    return MethodReading("quip", "quip|n=21", judgement, threshold)


def one_sentence(text: str, support: float = 0.25) -> tuple[Case, Judgement]:
    case = Case(text, text, (Passage(text, f"{text} 12 days", text),), f"{text} 13 days", area=text)
    size = len(case.response)
    sentence = SentenceScore(0, size, support, (Match(0, 0, size, support),), ((0, size),))
    return case, Judgement(Status.SCORED, support=support, sentences=(sentence,), note=text)


@each("hostile", HOSTILE)
def test_hostile_text_is_shown_and_never_run(hostile: str) -> None:
    case, judgement = one_sentence(hostile)
    labelled = replace(case, errors=(ErrorSpan(0, 4, ErrorType.MISATTRIBUTION, hostile, contradicted=True),))
    results = [MethodReading(hostile, hostile, judgement, 0.5), result(Judgement(Status.FAILED, note=hostile))]
    read = Parsed(page(labelled, results))
    assert read.names <= TAGS
    assert read.attributes <= {"lang", "scope", "charset", "http-equiv", "name", "content", "class", "title", "dir"}
    assert len(read.texts("style")) == 1
    # Query twice (title and heading), area, method, signature, note and reason, each as it was written.
    assert read.text.count(hostile) >= 7
    assert all(words in read.text for words in ("Gold labels", "Misattribution", "the sources say otherwise"))
    assert "Gold labels" not in Parsed(page(case, results)).text


def test_the_page_needs_nothing_from_outside() -> None:
    case, judgement = one_sentence("The fact holds")
    html = page(case, [result(judgement)])
    assert not any(word in html.lower() for word in ("http:", "https:", "<script", "<link", "src=", "href=", "@import"))
    assert "url(" not in "".join(Parsed(html).texts("style"))
    assert "default-src 'none'" in html


def test_the_page_says_verdict_supports_what_differs_on_both_sides_and_what_it_cannot_see() -> None:
    case, judgement = one_sentence("The fact holds")
    html = page(case, [result(judgement)])
    assert all(words in Parsed(html).text for words in ("1 of 1 sentence flagged", "1. flagged, 0.25", BLIND_SPOTS))
    assert all(f'differs">{number} days</mark>' in html for number in (12, 13))


def test_the_promise_of_a_threshold_stands_beside_it_and_only_where_one_was_made() -> None:
    case, judgement = one_sentence("The fact holds")
    promised = replace(result(judgement), promise=f"misses few {HOSTILE[0]}")
    html = page(case, [promised, result(judgement)])
    read = Parsed(html)
    assert "ThresholdPromiseSupport" in read.text
    assert f"0.50misses few {HOSTILE[0]}0.25" in read.text
    assert "0.50none0.25" in read.text
    assert "Promise" not in Parsed(page(case, [result(judgement)])).text


def test_without_a_threshold_no_sentence_is_above_it() -> None:
    case, judgement = one_sentence("The fact holds", support=0.75)
    text = Parsed(page(case, [result(judgement, None)])).text
    assert "no threshold is set" in text
    assert "above the threshold" not in text
    html = page(case, [result(judgement)])
    assert "1. above the threshold, 0.75" in Parsed(html).text
    assert '<mark class="verbatim">' in html


@each("status", [s for s in Status if s is not Status.SCORED])
def test_a_state_is_reported_in_words_with_its_note(status: Status) -> None:
    case, _ = one_sentence("The fact holds")
    read = Parsed(page(case, [result(Judgement(status, note="The reason why."))]))
    assert "The reason why." in read.text
    assert "The other" not in read.text
    # Its cells for threshold, support: the threshold was set, a support is not there.
    assert read.text.count("–") == 1


def test_a_sentence_without_support_or_match_is_listed() -> None:
    case = Case("c", "q", (Passage("p", "Text."),), "Rule\n\nIt is.")
    sentences = (SentenceScore(0, 4, None), SentenceScore(6, 12, 0.0))
    text = Parsed(page(case, [result(Judgement(Status.SCORED, support=0.0, sentences=sentences))])).text
    assert "1. not assessed, –" in text
    assert "2. flagged, 0.00" in text


def test_all_of_the_context_is_printed_under_its_source() -> None:
    case = Case("c", "", (Passage("a", "One.", "Source A"), Passage("b", "Two\nlines.")), "It is.")
    text = Parsed(page(case, [])).text
    assert all(part in text for part in ("Source A", "One.", "Passage 2", "Two\nlines."))
    # Without a query the case's id is the title.
    assert text.startswith("c · Groundscope")
