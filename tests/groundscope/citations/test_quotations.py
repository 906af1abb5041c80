"""Quotations: every kind of marks, and what ellipses and brackets may do to the words between them."""

from groundscope.citations.quotes import Quote
from groundscope.citations.states import layer
from groundscope.types import Case, Passage
from tests.loops import each

CONTEXT = (
    Passage(
        "p",
        "The landlord shall give written notice to the tenant within thirty days. An apple of the tenants' is no abandonment. "
        "He shall not notice terminated leases.",
    ),
)
WORDS = "shall give written notice"


def _quotes(response: str, context: tuple[Passage, ...] = CONTEXT) -> tuple[Quote, ...]:
    return layer(Case("c", "", context, response)).quotes


def _one(response: str) -> Quote:
    (found,) = _quotes(response)
    return found


@each("marks", ["“{}”", '"{}"', "‘{}’", "'{}'", "``{}''", "„{}“", "«{}»", "« {} »", "»{}«", "‹{}›", "›{}‹", "「{}」", "『{}』"])
@each("words", [WORDS, "shall give\nwritten notice", "shall give oral notice", "shall give", "oral notice.", "thirty days"])
def test_quotations_are_seen_between_all_marks(marks: str, words: str) -> None:
    response = f"It says {marks.format(words)} there."
    found = _one(response)
    assert response[found.start : found.end].strip() == words
    assert found.verbatim is ("oral" not in words)


@each(
    "response",
    [
        "The tenants' and the landlords' notice is due.",
        "It's the tenant's right, isn't it, and the '90s and the '80s were so.",
        "They eat 'n' drink at the landlord's and the tenant's.",
        "It is 5' 6\" high and the tenants' door 6' 7\".",
        "He has a 'notice' here, 'til tenants' leases end, and 'tis so' they say.",
        'One "notice\n\nand another" ends.',
        'A tag <th title="two words" class=\'left side\'> or <a href="/x y/" lang="en us"> is shown.',
    ],
)
def test_apostrophes_and_marks_across_paragraphs_are_no_quotations(response: str) -> None:
    assert _quotes(response) == ()


OF_TENANTS = "An apple of the tenants' is no abandonment"


@each("between", [", ", "; ", " - ", " and ", " ("])
@each("marks", ["'{}'", "‘{}’"])
def test_two_short_quotations_in_a_line_are_two(between: str, marks: str) -> None:
    response = f"It says {marks.format('shall give')}{between}{marks.format('written notice')} there."
    assert [response[q.start : q.end] for q in _quotes(response)] == ["shall give", "written notice"]


@each("marks", ["'{}'", "‘{}’", "“{}”"])
@each(
    "words",
    [
        OF_TENANTS,
        OF_TENANTS.replace("'", "’"),
        "the landlord's shall give notice",
        "the “landlord” shall give",
        "30 of the days",
        "… shall give written notice",
    ],
)
def test_neither_apostrophes_nor_marks_inside_end_a_quotation(marks: str, words: str) -> None:
    if "“" in words and "“" in marks:
        return
    response = f"It says {marks.format(words)} there."
    found = _one(response)
    assert response[found.start : found.end] == words
    assert found.verbatim is (words not in ("the landlord's shall give notice", "30 of the days"))


TWO = "The landlord shall give written notice to the tenant within thirty days."


@each(
    ("response", "words", "verbatim"),
    [
        (f"> {TWO}", TWO, True),
        (f"It says:\n\n> Landlord {WORDS[:18]}\n> notice.\n\nSo.", f"Landlord {WORDS[:18]}\n> notice.", True),
        ("> The landlord shall give oral\n> notice", "The landlord shall give oral\n> notice", False),
        (f"> “{TWO}”\n> — Lease § 4", TWO, True),
        (f"> {TWO} — Lease § 4", TWO, True),
        (f"> {TWO}\n> -- Lease § 4", TWO, True),
        (f"> {TWO} Roe v. Wade, 410 U.S. 113 (1973).", TWO, True),
        (f"> **{TWO}**[1]", TWO, True),
        (f"“{TWO}\n\n“An apple” it is.", f"{TWO}\n\n“An apple", True),
        (f'"{TWO}\n\n"An apple" it is.', f'{TWO}\n\n"An apple', True),
        (f'> "{TWO}\n>\n> "An apple"', f'{TWO}\n>\n> "An apple', True),
        (f"“{TWO}”[2] So.", TWO, True),
        (f"“{TWO}”¹ So.", TWO, True),
        (f'"{TWO}"1 So.', TWO, True),
        ("It says “shall give\" there.", "shall give", True),
        ("The rule holds.[1]\n\n[1] The lease: “shall give oral notice”.", "shall give oral notice", False),
    ],
)  # fmt: skip
def test_blocks_paragraphs_and_footnotes_are_quotations(response: str, words: str, verbatim: bool) -> None:
    found = _one(response)
    assert (response[found.start : found.end], found.verbatim) == (words, verbatim)


@each(
    "response",
    [
        "> **Note:** This is no advice.",
        "> [!TIP]\n> Ask a lawyer first.",
        "> 💡 Key point: Ask a lawyer first.",
        "> ℹ️ Ask first.",
        ">\n> \n",
    ],
)
def test_a_block_of_the_writers_own_is_no_quotation(response: str) -> None:
    assert _quotes(response) == ()


BROKEN = (
    Passage(
        "p",
        "The \ufb01ne print shall bind the par-\nties in all circum-\nstances, see [*12] and the rule[3] is void \u2013 always. "
        "Zu\u0308rich  pays\u00a0$5.50 at 2.5 %, 1,200 in \u201c[t]he\u201d year; the rule\u00b9 is notic[ed], so *13 they say.",
    ),
)


@each(
    ("words", "verbatim"),
    [
        ("The fine print shall bind the parties in all circumstances", True),
        ("the rule is void — always. Zürich pays $5.50 at 2.5%", True),
        ("the rule[2] is **void** - always", True),
        ("Zu\u0308rich pays", True),
        ("1,200 in “the” year", True),
        ("the rule is noticed, so they say", True),
        ("the rule is notic[ed], so they say", True),
        ("pays $5 at", False),
        ("pays $5.5 at", False),
        ("pays €5.50 at", False),
        ("pays $5.50 at 5 %", False),
        ("pays $5.50 at 2.5", True),
        ("200 in [t]he year", False),
        ("the rule is not void", False),
    ],
)
def test_how_a_source_is_written_makes_no_difference_and_another_figure_does(words: str, verbatim: bool) -> None:
    (found,) = _quotes(f"Parties: 「{words}」 in all circumstances.", BROKEN)
    assert found.verbatim is verbatim


def test_in_a_script_without_blanks_part_of_a_sentence_is_verbatim() -> None:
    source = (Passage("p", "賃貸人は書面で通知する義務を負う。"),)
    assert [q.verbatim for q in _quotes("『書面で通知する』、『口頭で通知する』、「通知」", source)] == [True, False]


@each(
    ("words", "note"),
    [
        ("shall give written notice", ""),
        ("[the owner] shall give written notice", "words in brackets are the writer's: [the owner]"),
        ("shall give [clear] notice to [her]", "words in brackets are the writer's: [clear], [her]"),
        ("[t]he landlord", "capitals or punctuation differ"),
        ("shall give written notice [sic] to", "capitals or punctuation differ"),
        ("the tenant[s] within thirty days", ""),
        ("He shall [not] notice", ""),
        ("The landlord shall … notice", "leaves out 2 words"),
        ("… shall give written notice …", ""),
        *((f"shall {dots} notice", "leaves out 2 words") for dots in ("...", ". . .", "[...]", "[. . .]", "[…]", "* * *")),
        ("[N]otice to the tenant", "capitals or punctuation differ"),
        ("landlord[] shall give", ""),
        ("shall give (emphasis added) written notice [internal citations omitted] to", ""),
        ("notic[ing] terminated leases", ""),
        ("writ[t]en noti[]ce to the ten[e]nt", ""),
        ("wri[t]en noti[s]e", ""),
    ],
)
def test_what_brackets_and_ellipses_did_is_reported(words: str, note: str) -> None:
    found = _one(f"It says “{words}” there.")
    assert (found.verbatim, found.note) == (True, note), words
    assert found.remark == ""


@each(
    ("words", "wrong"),
    [
        ("shall [not] give written notice", ["not"]),
        ("landlord shall [never again] give written notice", ["never again"]),
        ("[no] landlord shall give written notice", ["no"]),
        ("The landlord shall[n't] give written notice", ["n't"]),
        ("landlord [won’t] give written notice to the tenant", ["won’t"]),
        ("terminat[ing] notice to the tenant", ["terminat[ing"]),
        ("landlord shall give oral[ly] notice to the tenant", ["oral[ly"]),
        ("The landlord shall give oral notice", ["oral"]),
        ("The landlord may give written notice", ["may"]),
        ("written notice to the tenant within sixty days", ["sixty"]),
        ("the landlord . . . within thirty days to the tenant", ["landlord . . . within", "to the tenant"]),
        ("He shall . . . notice terminated", ["shall . . . notice"]),
        ("He shall [] notice terminated", ["shall [] notice"]),
        ("He shall [also] notice terminated", ["also"]),
        ("shall give wri[t]ing notice", ["wri[t]ing"]),
    ],
)
def test_another_word_is_a_difference_in_brackets_too(words: str, wrong: list[str]) -> None:
    response = f"It says “{words}” there."
    found = _one(response)
    assert not found.verbatim
    assert [response[a:b] for a, b in found.wrong] == wrong


def test_neither_half_a_word_nor_a_short_stem_is_a_word_and_one_word_is_no_quotation() -> None:
    assert not _one("It says “shall give writ” there.").verbatim
    assert not _one("It says “is no a[n]” there.").verbatim
    assert _quotes("“notice” and “terminated”") == ()


def test_the_nearest_passage_is_shown_where_there_is_one() -> None:
    nearest = _one("“The landlord shall give oral notice”").nearest
    assert nearest is not None
    assert "landlord shall give" in CONTEXT[0].text[nearest.start : nearest.end]
    like_nothing = _one("“zzz qqq xxx vvv”")
    assert (like_nothing.verbatim, like_nothing.nearest) == (False, None)


LEASE = (
    Passage(
        "p",
        "The tenant shall pay. The tenant shall not, without consent, assign the lease. The guest shall, no later than noon, "
        "leave. No pet is allowed.",
    ),
)


@each(
    ("words", "without"),
    [
        ("The tenant shall … assign the lease", "is quoted without “not”, “without”, which stands there"),
        ("The guest shall [promptly] leave", "is quoted without “no”, which stands there"),
        ("The tenant shall pay … The tenant shall not", ""),
        ("shall pay … assign the lease", ""),
        ("The tenant … assign the lease", "is quoted without “not”, “without”, which stands there"),
    ],
)
def test_a_negation_that_is_left_out_of_a_sentence_is_remarked(words: str, without: str) -> None:
    (quote,) = _quotes(f"It says “{words}”.", LEASE)
    assert (quote.verbatim, quote.remark) == (True, without)
    assert without in quote.note


@each(
    ("response", "writers"),
    [
        ("The term “gross abuse” does not appear in the lease.", True),
        ("The words “gross abuse” are nowhere in it.", True),
        ("A “gross abuse” exception isn't in the documents.", True),
        ("The lease never uses the phrase “gross abuse”.", True),
        ("It does not mention “gross abuse” or “fair wear”.", True),
        ("There is no clause about “gross abuse”.", True),
        ("Nothing in the lease states “gross abuse”.", True),
        ("A clearer clause could read: “No dogs or cats.”", True),
        ("Possible wording:\n\n> No dogs or cats.", True),
        ("**Example:** “Dear landlord, I leave.”", True),
        ("You asked if “any dog” may stay.", True),
        ("Your question mentions “any dog”.", True),
        ("The lease says “any dog”.", False),
        ("The lease does not allow it: “any dog”.", False),
        ("It does not end there. The lease says “any dog”.", False),
        ("It not only says “any dog”.", False),
        ("For example, the lease says “any dog”.", False),
        ("The lease says “any dog”, so this one is not in.", False),
        ("The proposed order provides: “any dog”.", False),
        ("The text you sent says “any dog”.", False),
    ],
)
def test_a_quotation_of_the_writers_own_is_no_error(response: str, writers: bool) -> None:
    for quote in _quotes(response, LEASE):
        assert not quote.verbatim
        assert bool(quote.remark) is writers
