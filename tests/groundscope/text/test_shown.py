"""How a text is shown: Markdown as a chat tool draws it, and nothing of it lost, moved or run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.text.sentences import split
from groundscope.text.shown import BlockKind, Style, shown, shown_words
from tests.loops import each

TEXTS = st.text(alphabet="aB1. \n#-*_`|[]()<>&\\~:\u200b😀é¹", max_size=120)
SIGNS = (Style.SIGN, Style.SPACE, Style.BORDER)


def styled(text: str, style: Style) -> list[str]:
    return [text[p.start : p.end] for p in shown(text).pieces if style in p.styles]


def words(text: str) -> str:
    return shown_words(text, 0, len(text))


@each(
    ("text", "read"),
    [
        ("Rent is **due on *May* 1**.", "Rent is due on May 1."),
        ("**Notice.** It is ***final***.", "Notice. It is final."),
        ("It is __final__ and _binding_, ~~not~~ so.", "It is final and binding, not so."),
        ("Use `a * b` or ``c`` here.", "Use a * b or c here."),
        ('See [the lease](https://example.org/a_b_c "Lease").', "See the lease."),
        ("![the plan](plan.png) is annexed.", "the plan is annexed."),
        ("It is due [1][2].", "It is due [1][2]."),
        ("It is due [[1]](https://example.org/1).", "It is due [1]."),
        ("It is due.[^3] It is.", "It is due.[3] It is."),
        ("It is due【4†source】.", "It is due【4】."),
        ("It is due<sup>5</sup>.", "It is due5."),
        ("### Rent ###", "Rent"),
        ("* one\n+ two\n  - three\n3) four", "• one • two ◦ three 3) four"),
        ("- [x] paid\n- [ ] sent", "☑ paid ☐ sent"),
        ("> It is\n>\n> due.", "It is due."),
        ("| A | B |\n|---|:-:|\n| 1 \\| 2 | 3 |", "A | B 1 | 2 | 3"),
        ("A | B\n--|--\n1 | 2", "A | B 1 | 2"),
        ("```py\na = **b**\n```\nIt is.", "a = **b** It is."),
        ("above\n\n---\n\nbelow", "above below"),
        ("R&amp;D costs &lt; 5, \\*not\\* more.", "R&D costs < 5, *not* more."),
        ("The rent: 900 \\u20ac&nbsp;&mdash; \\u00a7 4 of \\u201cA\\u201d", "The rent: 900 € — § 4 of “A”"),
        ("one<br>two, <b>three</b>", "one two, three"),
        # No Markdown: signs of other kinds stay.
        ("5 * 3 and 2 * 4, snake_case_name, a_b, *12 text *13", "5 * 3 and 2 * 4, snake_case_name, a_b, *12 text *13"),
        ("It costs $5 > $4 and 3 | 4; x[i](j).", "It costs $5 > $4 and 3 | 4; xi."),
        ("#1 of 2\n-5 degrees\n1986. The year", "#1 of 2 -5 degrees 1986. The year"),
        (">", ">"),
    ],
)
def test_a_text_reads_as_a_chat_tool_shows_it(text: str, read: str) -> None:
    assert words(text) == read


def test_styles_reach_over_each_other() -> None:
    text = "**a *b* c** `d` ~~e~~ [f](u) [1]"
    assert {s: styled(text, s) for s in (Style.BOLD, Style.ITALIC, Style.CODE, Style.STRUCK, Style.LINK, Style.MARK)} == {
        Style.BOLD: ["a ", "b", " c"],
        Style.ITALIC: ["b"],
        Style.CODE: ["d"],
        Style.STRUCK: ["e"],
        Style.LINK: ["f"],
        Style.MARK: ["[1]"],
    }


def test_lines_make_blocks() -> None:
    text = (
        "Intro.\n\n## Rent\n\n- one\n  1. two\n     more of two\n- three\n\nAfter.\n\n> quoted\n> on\n\n| A |\n|---|\n| 1 |\n\n"
        "```\ncode\n\n- code\n```\n---\nEnd [1].\n\nSources:\n[1] Lease\n"
    )
    at = [(b.kind, b.level, b.note, text[b.start :].split("\n")[0]) for b in shown(text).blocks]
    assert at == [
        (BlockKind.PARAGRAPH, 0, False, "Intro."),
        (BlockKind.HEADING, 2, False, "## Rent"),
        (BlockKind.ITEM, 0, False, "- one"),
        (BlockKind.ITEM, 1, False, "  1. two"),
        (BlockKind.ITEM, 0, False, "- three"),
        (BlockKind.PARAGRAPH, 0, False, "After."),
        (BlockKind.QUOTE, 0, False, "> quoted"),
        (BlockKind.TABLE, 0, False, "| A |"),
        (BlockKind.CODE, 0, False, "```"),
        (BlockKind.RULE, 0, False, "---"),
        (BlockKind.PARAGRAPH, 0, False, "End [1]."),
        (BlockKind.PARAGRAPH, 0, True, "Sources:"),
        (BlockKind.ITEM, 0, True, "[1] Lease"),
    ]
    # The footnotes of a source are its words.
    assert not any(b.note for b in shown(text, source=True).blocks)


def test_lines_without_markdown_are_no_blocks() -> None:
    assert shown("It is due.\n\nIt was due.\n(a) Rent; (b) costs.") == ((), ())


@pytest.mark.parametrize(
    "text",
    [
        "[x](javascript:alert(1))",
        "<img src=x onerror=alert(1)>",
        "<script>alert(1)</script>",
        "<a href='javascript:alert(1)'>x</a>",
        "![x](data:text/html,<script>)",
        "[x]: javascript:alert(1)",
    ],
)
def test_what_could_run_is_words_or_left_out_and_never_changed(text: str) -> None:
    pieces = shown(text).pieces
    assert all(p.words in (None, "") for p in pieces)
    assert words(text) in (text, "x")


@given(TEXTS, st.booleans())
def test_pieces_are_in_order_lie_in_the_text_and_lose_no_letter(text: str, source: bool) -> None:
    pieces, blocks = shown(text, source=source)
    ends = [0, *(p.end for p in pieces)]
    assert all(last <= p.start < p.end <= len(text) for last, p in zip(ends, pieces, strict=False))
    starts = [b.start for b in blocks]
    assert starts == sorted(set(starts))
    assert all(s == 0 or text[s - 1] == "\n" for s in starts)
    if "](" not in text and "```" not in text and "<" not in text and "&" not in text and not shown(text).blocks:
        letters = "".join(text[p.start : p.end] for p in pieces if p.styles[0] in SIGNS)
        assert not any(c.isalnum() for c in letters)


@given(TEXTS)
def test_every_letter_of_a_sentence_is_drawn_but_addresses_of_links(text: str) -> None:
    if "](" in text or "<" in text or "&" in text or "†" in text:
        return
    hidden = {i for p in shown(text).pieces if p.styles[0] in SIGNS for i in range(p.start, p.end)}
    lost = [text[i] for s in split(text) for i in range(s.start, s.end) if i in hidden and text[i].isalnum()]
    assert lost == []


@given(st.text(alphabet="aB., \n", max_size=80))
def test_words_without_signs_are_shown_as_they_are(text: str) -> None:
    assert shown(text).pieces == ()
    assert words(text) == " ".join(text.split())
