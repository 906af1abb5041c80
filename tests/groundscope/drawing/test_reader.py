"""The reader's HTML: the text and nothing but the text, gold marks where they belong, hostile words escaped."""

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.cases.error_types import TITLES
from groundscope.drawing.reader import context_html, errors_html, passage_name, response_html
from groundscope.types import Case, ErrorSpan, ErrorType, EvidenceSpan, Passage
from tests.groundscope.drawing.parsed import HOSTILE, Parsed
from tests.loops import each

TEXTS = st.one_of(st.text(max_size=60), st.text(alphabet="aA1. \n#-<>&\"'😀𝕬é", max_size=60))
WITHOUT_MARKDOWN = TEXTS.map(lambda text: re.sub(r"[#>*_`|\[\]\\~&+=•\d-]", "a", text))
FACT = ErrorType.FACTUAL_INACCURACY
TAGS = {"p", "mark", "sup", "ul", "li", "ins", "del", "b", "span", "table", "caption", "thead", "tbody", "tr", "th", "td", "abbr"}
ATTRIBUTES = {"class", "dir", "title", "scope"}


def read(html: str) -> Parsed:
    page = Parsed(html)
    assert page.names <= TAGS
    assert page.attributes <= ATTRIBUTES
    return page


def marks(page: Parsed) -> list[tuple[str, str]]:
    return [(element.attributes["class"], element.text) for element in page.elements if element.name == "mark"]


def plain(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", html))


# Sentences 0 to 6, 7 to 14; "One holds." 0 to 10, "Two holds." 11 to 21.
RESPONSE = "It is. It was."
CONTEXT = (Passage("p1", "One holds. Two holds.", "Act"), Passage("p2", "Three holds."))


def case(response: str = RESPONSE, context: tuple[Passage, ...] = CONTEXT, **labels: object) -> Case:
    return Case("c", "q", context, response, **labels)  # type: ignore[arg-type]


def one_error(response: str, why: str = "why", contradicted: bool | None = None) -> Case:
    return case(response, errors=(ErrorSpan(0, len(response), FACT, why, contradicted),))


@each("hostile", HOSTILE)
def test_hostile_words_are_shown_as_words_wherever_they_stand(hostile: str) -> None:
    # One sentence a text, so that no sentence ends inside the hostile words.
    response = f"It says {hostile}"
    context = (Passage(hostile, f"One {hostile}", hostile), Passage("p", "Two."))
    size = len(response)
    judged = case(
        response,
        context,
        errors=(ErrorSpan(0, size, FACT, hostile, contradicted=True),),
        unsupported=((3, size),),
        evidence=(EvidenceSpan(0, size, 0, 0, len(context[0].text)),),
    )
    # As a chat tool shows it, without signs of Markdown; entities are the characters that they stand for, and no tags.
    bare = unescape(hostile.replace("`", "").replace("**", ""))
    assert read(response_html(judged)).texts("p") == [f"It says {bare}"]
    assert f"{TITLES[FACT]}: {hostile}" in "; ".join(read(response_html(judged)).values("title"))
    # Reasons of errors may name a passage by its id, where that is short.
    named = f"{hostile} · {hostile}" if len(hostile) <= 12 else hostile
    assert read(context_html(judged)).texts("p") == [named, f"One {bare}", "p · Passage 2", "Two."]
    listed = read(errors_html(judged, (hostile,))).text
    assert f"{response} for {hostile}: Factual inaccuracy. {hostile} (the sources say otherwise)" in listed


@given(
    WITHOUT_MARKDOWN.filter(bool), st.lists(st.tuples(st.integers(0, 59), st.integers(1, 60), TEXTS), max_size=4), st.booleans()
)
def test_whatever_is_marked_the_response_is_the_text(response: str, spans: list[tuple[int, int, str]], numbered: bool) -> None:
    inside = [(min(a, len(response) - 1), why, size) for a, size, why in spans]
    clipped = [(a, min(len(response), a + size), why) for a, why, size in inside]
    judged = case(
        response,
        errors=tuple(ErrorSpan(a, b, FACT, why) for a, b, why in clipped[::2]),
        unsupported=tuple((a, b) for a, b, _ in clipped[1::2]),
        evidence=(EvidenceSpan(0, len(response), 0, 0, 21),) if numbered else (),
    )
    html = response_html(judged)
    # A browser's parser makes line feeds of other line ends, so the text is read from the source.
    assert plain(re.sub(r"<sup class='gs-number'>\d+</sup>", "", html)) == response
    covered = {i for a, b, _ in clipped for i in range(a, b)}
    marked = "".join(plain(m) for m in re.findall(r"<mark [^>]*>[^<]*</mark>", html))
    assert marked == "".join(response[i] for i in sorted(covered))
    read(errors_html(judged))


@given(st.lists(WITHOUT_MARKDOWN, min_size=1, max_size=3), st.data())
def test_whatever_is_gold_the_passages_are_the_texts(texts: list[str], data: st.DataObject) -> None:
    context = tuple(Passage(f"p{i}", t) for i, t in enumerate(texts))
    evidence = []
    for i, text in enumerate(texts):
        if text:
            start = data.draw(st.integers(0, len(text) - 1))
            evidence.append(EvidenceSpan(0, 6, i, start, data.draw(st.integers(start + 1, len(text)))))
    html = context_html(case(RESPONSE, context, evidence=tuple(evidence)))
    read(html)
    shown = re.sub(r"<sup class='gs-number'>[\d, ]+</sup>", "", html)
    assert [plain(t) for t in re.findall(r'<p class="gs-text" dir="auto">(.*?)</p>', shown, re.DOTALL)] == texts


def test_wrong_words_are_marked_with_type_and_reason() -> None:
    page = read(response_html(case(errors=(ErrorSpan(3, 5, FACT, "It was."),), unsupported=((10, 13),))))
    assert marks(page) == [("gs-mark", "is"), ("gs-mark", "was")]
    assert page.values("title") == ["Factual inaccuracy: It was.", "labelled as not supported"]
    assert page.texts("sup") == []


def test_a_mark_over_two_sentences_is_drawn_in_both() -> None:
    page = read(response_html(case(errors=(ErrorSpan(3, 9, FACT, "w"),))))
    assert page.texts("mark") == ["is.", " ", "It"]


def test_offsets_behind_astral_characters_are_those_of_the_text() -> None:
    # "𝕬 holds." is 0 to 8, "So 😀 it goes." 9 to 22.
    judged = case(RESPONSE, (Passage("p", "𝕬 holds. So 😀 it goes."),), evidence=(EvidenceSpan(7, 14, 0, 9, 22),))
    assert read(context_html(judged)).texts("mark") == ["So 😀 it goes."]


def test_gold_sentences_carry_the_numbers_of_the_response_sentences_they_bear_on() -> None:
    evidence = (EvidenceSpan(8, 14, 0, 11, 21), EvidenceSpan(15, 22, 0, 11, 21), EvidenceSpan(15, 22, 1, 0, 12))
    judged = case("# Rule\n\nIt is. It was.", evidence=evidence)
    context = read(context_html(judged))
    assert marks(context) == [("gs-gold", "Two holds."), ("gs-gold", "Three holds.")]
    # As in the heatmap, a heading counts and shows no number.
    assert context.texts("sup") == ["2, 3", "3"]
    assert context.values("title") == ["Gold evidence for sentence 2, 3", "Gold evidence for sentence 3"]
    assert re.findall(r">(\d)</sup>(\w+ \w+)", response_html(judged)) == [("2", "It is"), ("3", "It was")]


def test_errors_are_listed_in_reading_order_with_what_the_parent_says() -> None:
    errors = (ErrorSpan(10, 13, ErrorType.MISATTRIBUTION, "So.", contradicted=False), ErrorSpan(3, 5, FACT, "Why."))
    html = errors_html(case(errors=errors, unsupported=((0, 2),)), ("may be", "will be"))
    assert [plain(line) for line in re.findall(r"<li>.*?</li>", html)] == [
        "is for may be: Factual inaccuracy. Why.",
        "was for will be: Misattribution. So. (the sources do not say it)",
        "It: labelled as not supported",
    ]


@pytest.mark.parametrize("before", [(), ("",), (" ",)])
def test_an_error_that_stands_for_nothing_names_nothing(before: tuple[str, ...]) -> None:
    assert "<del>" not in errors_html(one_error("It is."), before)


def test_a_long_passage_is_cut_and_says_so() -> None:
    # 21,000 characters; the evidence stands behind the cut at 20,000.
    text = "It holds so. " * 1615 + "Ends."
    page = read(context_html(case(RESPONSE, (Passage("p", text),), evidence=(EvidenceSpan(0, 6, 0, 20_995, 21_000),))))
    assert page.texts("p") == ["Passage 1", text[:20_000], "… 1,000 more characters"]
    assert page.texts("mark") == []


@each(
    ("passage", "name"),
    [
        (Passage("p2", "t", "Lease Act"), "p2 · Lease Act"),
        (Passage("p2", "t"), "p2 · Passage 3"),
        (Passage("x" * 12, "t", "Act"), f"{'x' * 12} · Act"),
        (Passage("x" * 13, "t", "Act"), "Act"),
        (Passage("", "t", "Act"), "Act"),
    ],
)
def test_a_passage_is_called_by_its_short_id_and_source_where_reasons_may_name_it(passage: Passage, name: str) -> None:
    context = (*CONTEXT, passage)
    assert passage_name(case(RESPONSE, context, errors=(ErrorSpan(0, 2, FACT),)), 2) == name
    # A sound answer is called the same: which sources have an id says nothing of its label.
    assert passage_name(case(RESPONSE, context, grounded=True), 2) == name
    assert passage_name(case(RESPONSE, context), 2) == (passage.source or "Passage 3")


def test_types_without_a_span_are_named_after_the_spans() -> None:
    case = Case("c", "q", (), "Sixty days.", errors=(ErrorSpan(0, 5, FACT, "why"),), error_types=(ErrorType.MISATTRIBUTION,))
    first, second = errors_html(case).split("<li>")[1:]
    assert "<ins>Sixty</ins>: <b>Factual inaccuracy</b>" in first
    assert "Somewhere in this answer: <b>misattribution</b>, without a marked span" in second
    assert errors_html(Case("c", "q", (), "Sixty days.")) == ""
