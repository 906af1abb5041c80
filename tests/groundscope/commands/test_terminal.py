"""What a terminal gets: tables, progress, and nothing that steers it."""

import io
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.commands import terminal
from groundscope.commands.terminal import ProgressLine, plain, show, table
from groundscope.experiments.plan import Place
from groundscope.experiments.steps import Tick


def tick(part: str, row: int = 0, status: str = "scored") -> Tick:
    return Tick("judgement", part, Place(0, 0, row), status)


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
    progress = ProgressLine({"quick": 3, "slow": 3}, "judgement", "judgement", out)
    progress.hear(tick("quick", status=""))
    for row in range(3):
        progress.hear(tick("quick", row))
    progress.hear(tick("slow", 0, "failed"))
    progress.hear(tick("slow", 1, "invalid"))
    assert progress.done == 5
    assert "most to do: slow, 1" in progress.line()
    assert progress.line().startswith("5 of 6 judgements, 0.0 s so far, most to do")
    assert progress.line().endswith("1 failed, 1 invalid")
    progress.hear(tick("slow", 2))
    progress.end()
    first, last = out.getvalue().splitlines()
    assert first == "Loading quick"
    assert last.startswith("6 of 6 judgements")
    assert "left" not in last


def test_a_forecast_waits_until_loading_and_the_first_result_say_little_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """5,001 responses at 0.1 s: loading takes 20 s, and the first response 100 s, which alone would be 139 hours."""
    now = 0.0
    monkeypatch.setattr(terminal.time, "monotonic", lambda: now)
    progress = ProgressLine({"judge": 5_001}, "judgement", "judgement", io.StringIO())
    now = 20.0
    progress.hear(tick("judge", status=""))
    now, said = 120.0, list[str]()
    for row in range(5_000):
        progress.hear(tick("judge", row))
        said.append(progress.line())
        now += 0.1
    forecasts = {row: line.split("about ")[1] for row, line in enumerate(said) if "about" in line}
    # The pace with the first response is 100 + 0.1 n over n + 1: twice as long as without it where n is about 1,000.
    assert min(forecasts) == pytest.approx(1_000, rel=0.02)
    assert forecasts[min(forecasts)].startswith("6 min 40 s to 13 min ")
    assert said[0] == "1 of 5,001 judgements, 2 min 0 s so far"


def test_a_long_step_is_shown_with_its_own_time_left() -> None:
    progress = ProgressLine({"scoring": 1}, "model", "judged", io.StringIO(), far=lambda done, total: f"{done / total:.0%}")
    for left, words in {None: "Training, 50%", 158.0: "Training, 50%, about 2 min 38 s left"}.items():
        progress.hear(Tick("model", "Training", Place(1, -1, -1), "", 450, 900, left))
        assert progress.line() == words
    progress.hear(Tick("model", "Training", Place(1, -1, -1), "done", 1, 1))
    assert progress.line().startswith("0 of 1 model")
    progress.hear(Tick("judged", "scoring", Place(2, -1, -1), "done", 1, 1))
    assert progress.line().startswith("1 of 1 model")


def test_progress_of_nothing_or_in_silence_shows_nothing() -> None:
    out = io.StringIO()
    ProgressLine({"a": 0}, "judgement", "judgement", out).end()
    quiet = ProgressLine({"a": 1}, "judgement", "judgement", out, quiet=True)
    quiet.hear(tick("a"))
    quiet.end()
    assert out.getvalue() == ""
    assert quiet.done == 1


def test_progress_counts_what_several_threads_tell() -> None:
    progress = ProgressLine({"a": 4_000}, "judgement", "judgement", io.StringIO())
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda row: progress.hear(tick("a", row)), range(4_000)))
    assert progress.done == 4_000


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_rewrites_one_line_of_a_terminal() -> None:
    out = _Terminal()
    progress = ProgressLine({"QUIP": 1}, "judgement", "judgement", out)
    progress.hear(tick("QUIP", status=""))
    progress.hear(tick("QUIP"))
    progress.end()
    lines = out.getvalue().split("\r\x1b[2K")[1:]
    assert lines[0] == "Loading QUIP"
    assert lines[-1].startswith("1 of 1 judgement")
    assert [line.endswith("\n") for line in lines] == [False] * (len(lines) - 1) + [True]


class _Gone(io.StringIO):
    def write(self, text: str) -> int:
        raise BrokenPipeError


def test_progress_that_no_one_reads_stops_nothing() -> None:
    progress = ProgressLine({"a": 1}, "judgement", "judgement", _Gone())
    progress.hear(tick("a"))
    progress.end()
    assert progress.done == 1


@pytest.mark.parametrize("text", ["", "a", "a\n", "a\r\nb\r\n"])
def test_a_result_ends_with_one_line_break(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    show(text)
    assert capsys.readouterr().out == text.replace("\r\n", "\n").rstrip("\n") + "\n"
