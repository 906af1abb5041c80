"""What `check` ends with: 0 where all promises hold, 1 where one is broken or cannot be checked, 2 where the gate cannot run."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from tests.groundscope.commands.conftest import Shell, narrow
from tests.groundscope.gate.answers import CITED, LEASE, NOT_THERE, RULING, SOUND, WRONG_FIGURE

Row = dict[str, Any]
SOURCES = [{"text": p.text, "source": p.source} for p in (LEASE, RULING)]
FACTS, CITATIONS, INVALID = "[facts]\nat_most = 0\n", "[citations]\nat_most = 0\n", "[invalid]\nat_most = %s\n"
OVERLAP = '[unsupported]\nmethod = "overlap"\nat_most = 0\n'
QUIP = '[unsupported]\nmethod = "quip"\nat_most = 1\n'
GERMAN = "Die Miete ist nicht von Herrn Müller, und der Vertrag gilt für ihn."


def rows(*responses: str, **more: object) -> list[Row]:
    """An answer a response, each to a question of its own, without an id."""
    return [{"query": f"Question {i}?", "context": SOURCES, "response": r, **more} for i, r in enumerate(responses)]


def with_ids(answers: Sequence[Row]) -> list[Row]:
    return [{"id": f"row-{i}", **a} for i, a in enumerate(answers)]


def asked(answers: Sequence[Row], changed: int) -> list[Row]:
    """The same answers, so many of them to other questions."""
    return [{**a, "query": f"Another one, number {i}?"} if i < changed else a for i, a in enumerate(answers)]


class Situation(NamedTuple):
    """A check.

    Attributes:
        content: rows of the file, or its text; None = there is no file.
        rules: their text; None = there is no file.
        phrase: what must be written, on one of the two streams.
        before: answers of the baseline; None = there is none.
    """

    name: str
    content: list[Row] | str | None
    rules: str | None
    code: int
    phrase: str
    before: list[Row] | None = None
    options: tuple[str, ...] = ()
    file: str = "cases.jsonl"


BOTH, FIGURES = f"{SOUND} {CITED}", f"{SOUND} The rent is $900 a month."
TEN, TEN_CITED = rows(*[FIGURES] * 10), rows(*[BOTH] * 10)
SOURCELESS = [{"query": "Question?", "context": [], "response": SOUND}]
SUMMARIES = [{"query": "", "context": [f"Rent {i} is ${900 + i}."], "response": f"The rent is ${900 + i}."} for i in range(4)]
MAPPED = [{"q": "When?", "c": SOUND, "a": SOUND}]
NONE = "No promise had anything to check."

HELD = [
    Situation("sound answers", TEN, FACTS, 0, "All 3 promises held."),
    Situation("sound citations", TEN_CITED, CITATIONS, 0, "0 of 10 citations"),
    Situation("values that are spelt otherwise", rows("The rent is 900 dollars a month."), FACTS, 0, "All 3 promises held."),
    Situation("a share at its limit", rows(FIGURES, WRONG_FIGURE, SOUND), "[facts]\nat_most = 0.25", 0, "1 of 4 sentences"),
    Situation("a method that finds nothing", TEN, OVERLAP, 0, "Overlap: 10 of 10 answers, 20 of 20 sentences"),
    Situation("no citation, where facts are read", TEN, FACTS + CITATIONS, 0, "citations: 0 of 10 answers"),
    Situation("[invalid] alone", TEN, INVALID % 0, 0, "10 of 10 answers"),
    Situation("seconds within their limit", rows(SOUND, s=1), '[latency]\nat_most = 1\nfield = "s"', 0, "1 s over 1 answers"),
    Situation("seconds as a text", rows(SOUND, s="1.0"), '[latency]\nat_most = 1\nfield = "s"', 0, "1 s over 1 answers"),
    Situation("seconds of a table", f"query,context,response,s\nWhen?,{SOUND},{SOUND},0.5\n",
              '[latency]\nat_most = 1\nfield = "s"', 0, "0.5 s over 1 answers", None, (), "cases.csv"),
    Situation("a worse share that is allowed", rows(*[WRONG_FIGURE] * 4, *[SOUND] * 6), "[facts]\nworse_by = 0.5", 0,
              "at most 50 points more", TEN),
    Situation("an answer without sources that is allowed", [*TEN, *SOURCELESS], FACTS + INVALID % 0.5, 0, "0 of 20 sentences"),
    Situation("other fields, mapped", MAPPED, FACTS, 0, "All 3 promises held.", None, ("--map", "question=q,context=c,answer=a")),
    Situation("an empty answer that is allowed", rows(SOUND, ""), FACTS + INVALID % 0.5, 0, "1 of 2 answers, 50.0 %"),
    Situation("no citation, as is allowed", rows(BOTH, SOUND), CITATIONS + "[coverage]\nat_least = 0.5", 0, "1 of 2 answers"),
    Situation("an abstention that is allowed", rows(FIGURES, "Indeed."), QUIP + INVALID % 0.5, 0, "1 of 2 rows, 50.0 %"),
    Situation("the first answers, to be a baseline", TEN, "[facts]", 0, "from the next time on", None, ("--out", "first")),
    Situation("as before", TEN, "[facts]", 0, "+0.0 points", TEN),
    Situation("as before, in another order and without ids", TEN[::-1], "[facts]", 0, "10 questions", with_ids(TEN)),
    Situation("as before, without questions", SUMMARIES[::-1], "[facts]", 0, "4 questions", SUMMARIES),
    Situation("worse by chance", rows(WRONG_FIGURE, *[FIGURES] * 9), "[facts]", 0, "Too few answers differ", TEN),
    Situation("right citations, and none before", TEN_CITED, "[citations]", 0, "so that the count alone decides", TEN),
    Situation("no citation any more", TEN, "[facts]\n[citations]", 0, "have no citations to compare", TEN_CITED),
    Situation("a wrong citation that is allowed, and none before", rows(NOT_THERE, *[CITED] * 9), "[citations]\nat_most = 0.1", 0,
              "1 of 10 citations, 10.0 %", TEN),
    Situation("one reworded question of ten", asked(with_ids(TEN), 1), "[facts]", 0, "1 of 10 questions (row-0)", with_ids(TEN)),
]  # fmt: skip
BROKEN = [
    Situation("a wrong figure", rows(WRONG_FIGURE), FACTS, 1, "“$950” is not in the sources"),
    Situation("a part of a figure", [{"query": "q", "context": ["The toll is $5.50."], "response": "The toll is $5."}], FACTS, 1,
              "“$5” is not in the sources"),
    Situation("a wrong citation", rows(NOT_THERE), CITATIONS, 1, "1 of 1 citations, 100.0 %"),
    Situation("a sentence without support", rows("Bananas grow in the tropics."), OVERLAP, 1, "1 of 1 sentences, 100.0 %"),
    Situation("60 empty answers", rows(*[""] * 60), "[citations]\n" + INVALID % 0, 1, "60 of 60 rows, 100.0 %"),
    Situation("blank answers", rows(SOUND, " \n\t"), FACTS, 1, "The response is empty, so there is nothing to assess."),
    Situation("marks alone", rows(SOUND, "[1] [2]"), FACTS, 1, "The response holds no words to assess."),
    Situation("headings alone", rows(SOUND, "# One\n\n# Two"), FACTS, 1, "The response holds headings only"),
    Situation("no sources", [*TEN, *SOURCELESS], FACTS, 1, "There are no sources, so nothing can support the response."),
    Situation("a method that abstains", rows(FIGURES, "Indeed."), QUIP, 1, "QUIP gave no judgement"),
    Situation("empty answers alone, all allowed", rows("", ""), FACTS + INVALID % 1, 1, NONE),
    Situation("answers without sources alone, all allowed", SOURCELESS, FACTS + INVALID % 1, 1, NONE),
    Situation("seconds that are a word", rows(SOUND, s="slow"), '[latency]\nat_most = 1\nfield = "s"', 1, "1 of 1 rows have no"),
    Situation("no citation anywhere", TEN, CITATIONS, 1, NONE),
    Situation("an answer without a citation", rows(BOTH, SOUND), CITATIONS, 1, "it has no citations that are read"),
    Situation("names of another language", rows(GERMAN), '[facts]\nkinds = ["names"]\nat_most = 0', 1, NONE),
    Situation("sentences that a method leaves out", rows(f"{FIGURES} Indeed it is."), QUIP + "[coverage]\nsentences = 1", 1,
              "QUIP: 1 of 1 answers, 2 of 3 sentences"),
    Situation("a row that is no JSON", json.dumps(TEN[0]) + "\n{", FACTS, 1, "1 of 2 rows, 50.0 %"),
    Situation("an id that comes twice", [{"id": "a", **one} for one in TEN[:2]], FACTS, 1, "ids must be unique"),
    Situation("seconds above their limit", rows(SOUND, s=2), '[latency]\nat_most = 1\nfield = "s"', 1, "2 s over 1 answers"),
    Situation("rows without seconds", TEN, '[latency]\nat_most = 1\nfield = "s"', 1, "10 of 10 rows have no number"),
    Situation("a baseline that is not named", TEN, "[facts]", 1, "It is about a baseline, and none is named"),
    Situation("worse than before", rows(*[WRONG_FIGURE] * 10), "[facts]", 1, "p = 0.001, 10 questions", TEN),
    Situation("a wrong citation, and none before", rows(NOT_THERE, *[CITED] * 9), "[citations]", 1, "count alone decides", TEN),
    Situation("empty, and sound before", rows(*[""] * 10), "[facts]", 1, "10 of 10 rows, 100.0 %", TEN),
]  # fmt: skip
REFUSED = [
    Situation("no file", None, FACTS, 2, "cases.jsonl cannot be read"),
    Situation("an empty file", "", FACTS, 2, "The file is empty."),
    Situation("no row that can be used", '{"a": 1}\n', FACTS, 2, "No row of the files can be used."),
    Situation("no rules", TEN, None, 2, "rules.toml cannot be read"),
    Situation("rules that are no TOML", TEN, "[facts", 2, "rules.toml is not TOML"),
    Situation("rules without a promise", TEN, "[coverage]\nat_least = 1", 2, "it holds no promise"),
    Situation("a promise of another name", TEN, "[Fact]\nat_most = 0", 2, "unknown key 'Fact'; write 'facts'"),
    Situation("a share above 1", TEN, "[coverage]\nat_least = 90\n[facts]", 2, "write 0.9 for 90 %"),
    Situation("a method that there is not", TEN, '[unsupported]\nmethod = "none"', 2, "no method 'none'"),
    Situation("a method without its key", TEN, '[unsupported]\nmethod = "direct"', 2, "Set ANTHROPIC_API_KEY", None,
              ("--model", "anthropic:claude-haiku-5-5")),
    Situation("thresholds that there are not", TEN, QUIP + 'thresholds = "none"', 2, "no frozen thresholds named 'none'"),
    Situation("a baseline that there is not", TEN, FACTS, 2, "There is no run 'none'", None, ("--baseline", "none")),
    Situation("60 other questions without ids", asked(rows(*[SOUND] * 60), 60), FACTS, 2, "60 questions are only in the file",
              rows(*[SOUND] * 60)),
    Situation("a reworded question without ids", asked(TEN, 1), FACTS, 2, "Rows without an id pair by the words", TEN),
    Situation("a reworded question, ids before alone", asked(TEN, 1), FACTS, 2, "1 question is only in the file", with_ids(TEN)),
    Situation("other questions under the ids of the file", asked(with_ids(TEN), 10), FACTS, 2, "10 of 10 questions",
              with_ids(TEN)),
    Situation("two reworded questions of ten", asked(with_ids(TEN), 2), FACTS, 2, "At most 10 % may differ", with_ids(TEN)),
    Situation("fewer questions than before", TEN[1:], FACTS, 2, "1 question is only in the baseline (row-1)", TEN),
    Situation("a field that a mapping misspells", MAPPED, FACTS, 2, "no row has this field; write 'a'", None,
              ("--map", "question=q,context=c,answer=aa")),
    Situation("a question more than before", [*TEN, *rows(*[SOUND] * 11)[10:]], FACTS, 2, "1 question is only in the file", TEN),
    Situation("a folder that is not empty", TEN, FACTS, 2, "base is not empty", TEN, ("--out", "base")),
    Situation("a report that cannot be written", TEN, FACTS, 2, "nowhere/out.xml cannot be written; name a file", None,
              ("--junit", "nowhere/out.xml")),
    Situation("an option that there is not", TEN, FACTS, 2, "No such option", None, ("--strict",)),
]  # fmt: skip
ALL = [*HELD, *BROKEN, *REFUSED]


@pytest.mark.parametrize("it", ALL, ids=[s.name for s in ALL])
def test_a_check_ends_with(it: Situation, shell: Shell) -> None:
    def write(name: str, content: list[Row] | str | None) -> None:
        if content is not None:
            text = content if isinstance(content, str) else "".join(json.dumps(row) + "\n" for row in content)
            (shell.home / name).write_text(text, encoding="utf-8")

    options = [*it.options]
    if it.before is not None:
        write("before.jsonl", it.before)
        write("first.toml", "[facts]")
        shell.done("check", "before.jsonl", "--rules", "first.toml", "--quiet", "--out", "base")
        options += ["--baseline", "base"]
    write(it.file, it.content)
    write("rules.toml", it.rules)
    ended = shell("check", it.file, "--rules", "rules.toml", "--quiet", *options)
    written = narrow(ended.out) + ended.err
    assert (ended.code, it.phrase in written) == (it.code, True), written
    assert bool(ended.out) == (it.code < 2)


def test_the_table_is_of_forty_situations_or_more_and_each_stands_once() -> None:
    assert len({s.name for s in ALL}) == len(ALL) >= 40
    assert ([s.code for s in HELD], [s.code for s in BROKEN], [s.code for s in REFUSED]) == (
        [0] * len(HELD), [1] * len(BROKEN), [2] * len(REFUSED),
    )  # fmt: skip
