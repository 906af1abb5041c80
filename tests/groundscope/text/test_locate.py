"""A quote is found where it stands: exactly, with other signs and letters, or nearly; and spans always lie in the text."""

from collections.abc import Callable

from hypothesis import assume, given
from hypothesis import strategies as st

from groundscope.text.locate import locate, nearest, sentences_of
from tests.loops import each

TEXT = (
    "The tenants’ claim fails – in part. Under § 12(b) the “reasonable time” is thirty days;\nnotice on day 31 is late. "
    "The parties agree. The parties' deed is void… The court wrote: 'No waiver.' 😀 "
    "İstanbul is the seat. Straße 5 is the address."
)


@each(
    ("quote", "found"),
    [
        ("The parties agree.", "The parties agree."),
        ("  The parties agree.\n", "The parties agree."),
        ('"The parties agree."', "The parties agree."),
        ("“The parties agree.”", "The parties agree."),
        ("...notice on day 31 is late...", "notice on day 31 is late"),
        ("'No waiver.'", "'No waiver.'"),
        ("No waiver.", "No waiver."),
        ('the "reasonable time" is thirty days; notice', "the “reasonable time” is thirty days;\nnotice"),
        ("THE PARTIES AGREE", "The parties agree"),
        ("deed is void...", "deed is void"),
        ("deed is void... The court", "deed is void… The court"),
        ("i̇stanbul is the seat", "İstanbul is the seat"),
        ("STRASSE 5 IS", "Straße 5 is"),
        ("😀", "😀"),
    ],
)
def test_a_quote_is_found(quote: str, found: str) -> None:
    span = locate(quote, TEXT)
    assert span is not None
    assert TEXT[slice(*span)] == found


@each(
    "quote",
    ["", "  ", '"', "''", "...", "…", "day 32", "xyzzy", "The Supreme Court of Ohio affirmed the judgment of the court below."],
)
def test_what_is_not_there_is_not_found(quote: str) -> None:
    assert locate(quote, TEXT) is None
    assert locate(quote, " \n ") is None


def test_a_short_quote_is_not_guessed() -> None:
    assert locate("day 13 is", "day 31 is") is None
    assert locate("on the thirtieth day of its term", "by the thirtieth day of its term") is not None


def test_a_long_text_is_searched_exactly_only() -> None:
    text = "lorem ipsum " * 3_000 + "The notice was served on the ninth of May."
    span = locate("the notice was served on the NINTH of May", text)
    assert span is not None
    assert text[slice(*span)] == "The notice was served on the ninth of May"
    assert locate("the notice had been served on the ninth of May", text) is None


def test_a_quote_that_is_nearly_there_ends_with_whole_words() -> None:
    text = "It is settled that the limitation periods were suspended by the parties in writing, and no more."
    span = locate("the limitation period was suspended by the party in writing", text)
    assert span is not None
    start, end = span
    assert start == 0 or not (text[start - 1].isalnum() and text[start].isalnum())
    assert end == len(text) or not (text[end - 1].isalnum() and text[end].isalnum())
    assert "suspended" in text[start:end]


letters = st.sampled_from("abcdefgh XYZİßŉΣς😀é\u0301“”\"'’–-—… .,;\n\t\u00a012")
texts = st.text(letters, max_size=80) | st.text(max_size=80)


@st.composite
def quoted(draw: st.DrawFn) -> tuple[str, int, int]:
    text = draw(texts)
    assume(text)
    start = draw(st.integers(0, len(text) - 1))
    return text, start, draw(st.integers(start + 1, len(text)))


@given(texts, texts)
def test_a_span_lies_in_the_text(quote: str, text: str) -> None:
    span = locate(quote, text)
    assert span is None or 0 <= span[0] < span[1] <= len(text)


@given(quoted())
def test_an_exact_quote_is_found_at_itself(drawn: tuple[str, int, int]) -> None:
    text, start, end = drawn
    quote = text[start:end].strip()
    assume(any(c.isalnum() for c in quote))
    span = locate(quote, text)
    assert span is not None
    assert text[slice(*span)] == quote
    assert span[0] == text.find(quote)


words = st.lists(st.text(st.sampled_from("abcdeißŉéΣ"), min_size=1, max_size=6), min_size=1, max_size=6)
CHANGES: dict[str, Callable[[str], str]] = {
    "case": str.upper,
    "lower case": str.lower,
    "quotation marks": lambda s: s.replace("“", '"').replace("”", '"').replace("’", "'"),
    "dashes": lambda s: s.replace("–", "-").replace("—", "-").replace("‑", "-"),
    "spaces": lambda s: s.replace(" ", "\u00a0\n "),
    "everything": lambda s: s.replace("“", "„").replace("”", '"').replace("’", "'").replace("–", "—").replace(" ", "  ").upper(),
}


@given(
    before=words, quote=words, after=words,
    gap=st.sampled_from([" ", " – ", " “", "” ", "’", "‑", " İ ", " 😀 ", "\n"]),
    change=st.sampled_from(sorted(CHANGES)),
)  # fmt: skip
def test_a_quote_with_other_signs_is_found_at_the_original(
    before: list[str], quote: list[str], after: list[str], gap: str, change: str
) -> None:
    # The fence makes the quote's place the only one.
    inner = f"Qq{gap.join(quote)}qQ"
    lead = " ".join(before) + " İ😀 “ "
    text = f"{lead}{inner} {' '.join(after)}"
    span = locate(CHANGES[change](inner), text)
    assert span == (len(lead), len(lead) + len(inner))


@given(st.lists(st.integers(1, 6), max_size=12), st.integers(0, 60), st.integers(1, 20))
def test_sentences_of_a_span_are_those_that_share_a_character(steps: list[int], start: int, size: int) -> None:
    at, sentences = 0, []
    for i, step in enumerate(steps):
        if i % 3 != 2:
            sentences.append((at, at + step))
        at += step
    expected = [i for i, (a, b) in enumerate(sentences) if set(range(a, b)) & set(range(start, start + size))]
    assert sentences_of((start, start + size), sentences) == expected


def test_the_nearest_texts_come_best_first() -> None:
    found = nearest("The notice was late.", ["Rent is due.", "Late was the notice", "notice of rent", "zzz"], 3)
    assert [i for i, _ in found] == [1, 2, 0]
    assert found[0] == (1, 1.0)
    assert all(0.0 < near <= 1.0 for _, near in found)
    assert nearest("", ["a"]) == []
    assert nearest("a", []) == []
