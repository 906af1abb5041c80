"""`live` and `live-report` as a user types them."""

import json
import os
import signal
import time
from pathlib import Path

from groundscope.traces.measuring import FEWEST
from tests.groundscope.commands.conftest import HOSTILE, Shell
from tests.groundscope.traces import systems

METHODS = ("--methods", "overlap,quip")


def _spans(shell: Shell, count: int = 3, answer: str = "Rent is due on May 1.", name: str = "spans.jsonl", **how: int) -> Path:
    made = systems.spans_of([systems.case(f"tenant {i}", answer) for i in range(count)], **how)
    return systems.write(shell.home / name, systems.hexadecimal(made))


def test_a_file_is_judged_and_reported(shell: Shell) -> None:
    _spans(shell)
    _spans(shell, 2, "The deposit is lost at once.", "more.jsonl", at=systems.MIDNIGHT + 86_400 * 10**9)
    for name in ("spans.jsonl", "more.jsonl"):
        said = shell("live", name, "--name", "rent", *METHODS)
        assert said.code == 0, said.err
        assert said.out == "Look at it on the page Live, or with: groundscope live-report rent\n"
    assert "1 record, 2 judged" in said.err
    report = shell.here("live-report", "rent", "--method", "overlap")
    assert report.code == 0
    assert "Too few verdicts to speak of a drift" in report.out
    assert "2026-03-02    100.0%" in report.out
    assert "2026-03-03      0.0%" in report.out
    assert report.out.count("2026-03-03 00:00") == 2
    read = json.loads(shell.here("live-report", "rent", "--method", "overlap", "--json").out)
    assert [(d["name"], d["grounded"], d["verdicts"]) for d in read["days"]] == [("2026-03-02", 3, 3), ("2026-03-03", 0, 2)]
    assert read["worst"][0]["kept"] is False
    assert read["drift"].startswith("In the 7 days to 2026-03-03, 60.0% of 5 answers stand on their sources, as Overlap judges.")
    assert str(FEWEST) in read["drift"]


def test_the_default_needs_no_key_and_no_name(shell: Shell) -> None:
    _spans(shell, 1, name="My Traces (2).jsonl")
    said = shell("live", "My Traces (2).jsonl")
    assert said.code == 0, said.err
    assert "groundscope live-report my-traces-2" in said.out
    assert "Grounding classifier" in said.err


def test_what_is_wrong_is_said_and_nothing_is_made(shell: Shell) -> None:
    _spans(shell)
    wrong = {
        ("live", "none.jsonl"): "is not there. Name a file of spans",
        ("live", "spans.jsonl", "--rate", "0"): "0 is not in the range",
        ("live", "spans.jsonl", "--name", "No Name"): "A feed's name has 1 to 40 small letters",
        ("live", "spans.jsonl", "--link", "javascript:{trace}"): "must be an address of http or https",
        ("live", "spans.jsonl", "--link", "https://traces.example/"): "with {trace} in it",
        ("live", "spans.jsonl", "--methods", "nothing"): "nothing",
        ("live-report", "rent"): "There is no feed called rent. There is none yet",
    }
    for words, why in wrong.items():
        said = shell.here(*words)
        assert (said.code, said.out) == (2, ""), words
        assert why in said.err, words
    assert not list((shell.home / "data").rglob("*.sqlite"))


def test_a_method_that_asks_a_chat_model_needs_consent_and_a_key(shell: Shell) -> None:
    _spans(shell)
    said = shell.here("live", "spans.jsonl", "--methods", "direct", "--model", "anthropic:claude-haiku-5-5")
    assert said.code == 2
    assert "ANTHROPIC_API_KEY" in said.err
    assert not list((shell.home / "data").rglob("*.sqlite"))


def test_files_without_answers_say_what_an_answer_is(shell: Shell) -> None:
    (shell.home / "odd.jsonl").write_text(f'{{"a": "{HOSTILE[:9]}"}}\nbroken\n')
    said = shell("live", "odd.jsonl", *METHODS)
    assert said.code == 0
    assert "odd.jsonl, line 1: It holds no span" in said.err
    assert "No answer was found. An answer is a trace with a step of a model or a retriever" in said.err
    assert shell.here("live-report", "odd").err == "odd has no judged answer yet.\n"


def test_a_kill_loses_nothing_and_an_interrupt_ends_it_kindly(shell: Shell) -> None:
    folder = shell.home / "traces"
    folder.mkdir()
    systems.write(folder / "a.jsonl", systems.hexadecimal(systems.spans_of([systems.case(f"t {i}") for i in range(4)])))
    for number, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 0)):
        child = shell.start("live", "traces", "--name", "rent", "--follow", *METHODS)
        # From then on it reads, and listens to signals; traces are whole after ten quiet seconds.
        while child.stderr and not child.stderr.readline().startswith(b"Feed rent"):
            assert child.poll() is None
        until = time.monotonic() + 60
        while time.monotonic() < until and not _judged(shell):
            time.sleep(0.2)
        os.kill(child.pid, number)
        child.communicate(timeout=60)
        assert child.returncode == code
    assert _judged(shell) == 4


def _judged(shell: Shell) -> int:
    said = shell.here("live-report", "rent", "--method", "overlap", "--json")
    return sum(day["verdicts"] for day in json.loads(said.out)["days"]) if said.code == 0 else 0
