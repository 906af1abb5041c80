"""What a terminal gets: tables, progress, and nothing that steers it."""

import io
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.terminal import Progress, plain, table
from evaluation.benchmark import Tick
from evaluation.types import Judgement, Status

SCORED = Judgement(Status.SCORED, support=1.0)


@given(st.text(st.characters()))
def test_text_for_a_terminal_keeps_its_letters_and_loses_what_steers(text: str) -> None:
    shown = plain(text)
    assert len(shown) == len(text)
    assert all(c.isprintable() or c in "\n\t" or c.isspace() for c in shown)
    assert not set("\x00\x1b\x07\r\x9b\x9d\u202e\u2066\u2028") & set(shown)
    assert all(a in (b, "\N{REPLACEMENT CHARACTER}") for a, b in zip(shown, text, strict=True))
    assert shown.isascii() or shown.encode("utf-8")


def test_letters_of_all_scripts_and_fixed_spaces_stay() -> None:
    text = "§\u00a05 Fälle, 合同, عقد, 😀\n\tend"
    assert plain(text) == text


def test_a_table_has_numbers_to_the_right_and_one_line_a_row() -> None:
    found = table(("name", "count", "cost"), [("a", "1,000", "$0.10"), ("long\nname\x1b", "7", "")])
    assert found.splitlines() == [
        "name        count   cost",
        "----------  -----  -----",
        "a           1,000  $0.10",
        "long name\N{REPLACEMENT CHARACTER}      7",
    ]
    assert table(("a", "b"), []) == "a  b\n-  -"


def test_progress_in_a_file_comes_now_and_then_and_at_the_end() -> None:
    out = io.StringIO()
    progress = Progress({"quick": 3, "slow": 3}, out)
    progress.hear(Tick("quick"))
    for row in range(3):
        progress.hear(Tick("quick", row, SCORED))
    progress.hear(Tick("slow", 0, Judgement(Status.FAILED)))
    progress.hear(Tick("slow", 1, Judgement(Status.INVALID)))
    assert progress.judged == 5
    assert "most to do: slow, 1" in progress.line()
    assert progress.line().startswith("5 of 6 judged, 0.0 s so far, about 0.0 s left")
    assert progress.line().endswith("1 failed, 1 invalid")
    progress.hear(Tick("slow", 2, SCORED))
    progress.end()
    first, last = out.getvalue().splitlines()
    assert first == "Loading quick"
    assert last.startswith("6 of 6 judged")
    assert "left" not in last


def test_progress_of_nothing_or_in_silence_shows_nothing() -> None:
    out = io.StringIO()
    Progress({"a": 0}, out).end()
    quiet = Progress({"a": 1}, out, quiet=True)
    quiet.hear(Tick("a", 0, SCORED))
    quiet.end()
    assert out.getvalue() == ""
    assert quiet.judged == 1


def test_progress_counts_what_several_threads_tell() -> None:
    progress = Progress({"a": 4_000}, io.StringIO())
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda row: progress.hear(Tick("a", row, SCORED)), range(4_000)))
    assert progress.judged == 4_000


class _Gone(io.StringIO):
    def write(self, text: str) -> int:
        raise BrokenPipeError


def test_progress_that_nobody_reads_stops_nothing() -> None:
    progress = Progress({"a": 1}, _Gone())
    progress.hear(Tick("a", 0, SCORED))
    progress.end()
    assert progress.judged == 1


@pytest.mark.parametrize("text", ["", "a", "a\n", "a\r\nb\r\n"])
def test_a_result_ends_with_one_line_break(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    from commands.terminal import show

    show(text)
    assert capsys.readouterr().out == text.replace("\r\n", "\n").rstrip("\n") + "\n"
