"""`split` and `make-variants` as users type them."""

import json
import re
import signal
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from threading import Event, main_thread

import pytest

from groundscope.cases.dataset import read
from groundscope.commands.case_files import read_cases
from tests.components.labelled_set import rows
from tests.groundscope.commands.conftest import Shell, made_cases
from tests.llm_server import Asked, LLMServer


def test_a_set_is_split_by_query(shell: Shell) -> None:
    cases = [replace(case, split=None) for case in made_cases(60)]
    given = ("split", "--cases", shell.write("bare.jsonl", cases), "--shares", "60/20/20", "--seed", "2", "--out", "new.jsonl")
    done = shell(*given)
    assert (done.code, done.out) == (0, "new.jsonl\n"), done.err
    divided = read("new.jsonl", (shell.home / "new.jsonl").read_bytes()).cases
    assert [replace(case, split=None) for case in divided] == cases
    assert {case.split for case in divided} == {"train", "dev", "test"}
    assert len({(case.group, case.split) for case in divided}) == len({case.group for case in cases})
    assert re.search(r"^train +\d+ +\d+", done.err, re.M)
    assert shell.refuses(*given).endswith("new.jsonl already exists; name a new file.\n")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--out", "n.jsonl"), "cases.jsonl has splits already: dev, test"),
        (("--replace", "--shares", "a/b/c", "--out", "n.jsonl"), "a/b/c is not three shares above 0"),
    ],
)
def test_what_cannot_be_split_is_refused(given: tuple[str, ...], words: str, shell: Shell) -> None:
    shell.write("cases.jsonl", made_cases(30))
    assert words in shell.refuses("split", "--cases", "cases.jsonl", *given)
    assert not (shell.home / "n.jsonl").exists()


def test_a_whole_set_gets_variants_and_a_card(shell: Shell) -> None:
    cases = shell.write("sound.jsonl", [c for c in read_cases(None)[0] if c.grounded][:20])
    given = ("--edits", "modal,deadline,court", "--most", "1", "--quiet", "--out", "made")
    said = shell("make-variants", "--cases", cases, *given)
    assert (said.code, said.out) == (0, "made\n"), said.err
    found = read("variants.jsonl", (shell.home / "made" / "variants.jsonl").read_bytes()).cases
    variants = [c for c in found if c.parent]
    assert {c.grounded for c in variants} == {False}
    assert re.search(rf"^{len(variants):,} variants of [\d,]+ of 20 grounded answers\.$", said.err, re.M)
    card = (shell.home / "made" / "README.md").read_text("utf-8")
    assert "| Legal edits | modal, deadline, court |" in card
    assert "near-copy" in card
    assert "give its label away" in card
    again = shell("make-variants", "--out", "made")
    assert (again.code, again.err) == (2, "made already exists; name a new folder.\n")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--edits", "none"), "No writer of variants is chosen"),
        (("--edits", "clever"), "there is no edit 'clever'; there are"),
        (("--model", "nothing"), "model"),
    ],
)
def test_what_makes_no_variants_is_refused(given: tuple[str, ...], words: str, shell: Shell) -> None:
    assert words in shell.refuses("make-variants", *given, "--out", "made")
    assert not (shell.home / "made").exists()


def _writing(hold: Callable[[], object] = lambda: None) -> Callable[[Asked], str]:
    """A model that puts another word at the end of each answer."""

    def answer(asked: Asked) -> str:
        hold()
        last = asked.data["answer"].split()[-1]
        error = {"quote": "never.", "type": "misattribution", "contradicted": True, "why": "The sources say otherwise."}
        return json.dumps({"versions": [{"answer": f"{asked.data['answer'][: -len(last)]}never.", "errors": [error]}]})

    return answer


def test_ctrl_c_keeps_the_answers_that_are_done_and_the_next_start_asks_for_the_rest(shell: Shell) -> None:
    shell.write("sound.jsonl", [c for c in read_cases(None)[0] if c.grounded][:12])
    number, gone = count(1), Event()

    def hold() -> None:
        now = next(number)
        if now == 6:
            signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)
        if now >= 6:
            gone.wait(60)

    # Without a handler of its own the command fails here, and not the program of the tests.
    before = signal.signal(signal.SIGINT, lambda *_: None)
    with LLMServer(_writing(hold)) as server:
        asked = ("make-variants", "--cases", "sound.jsonl", "--edits", "none", "--model", f"server:scripted-1@{server.openai}")
        try:
            stopped = shell(*asked, "--out", "few")
        finally:
            gone.set()
            signal.signal(signal.SIGINT, before)
        assert (stopped.code, stopped.out) == (3, "few\n"), stopped.err
        few = read("variants.jsonl", (shell.home / "few" / "variants.jsonl").read_bytes()).cases
        done = len(few) // 2
        assert 1 <= done <= 5
        assert f"It was stopped by hand. {12 - done} grounded answers were not reached." in stopped.err
        assert "Ended early" in (shell.home / "few" / "README.md").read_text("utf-8")
        job = re.findall(r"resume (\S+) --out DIR", stopped.err)[-1]
        assert "few already exists; name a new folder." in shell.refuses("resume", job, "--out", "few")
        said = shell("resume", job, "--out", "all", "--quiet")
        assert (said.code, said.out.splitlines()[-1]) == (0, "all"), said.err
        assert "Ended early" not in (shell.home / "all" / "README.md").read_text("utf-8")
        assert not list((shell.home / "data" / "variants").glob("*.sqlite"))
        assert len(read("variants.jsonl", (shell.home / "all" / "variants.jsonl").read_bytes()).cases) == 24
        # A call that was under way when it was stopped may be asked again; those that were answered are not.
        assert len({a.unmarked for a in server.asked}) == 12


def test_a_budget_that_covers_no_answer_writes_nothing(shell: Shell) -> None:
    shell.write("sound.jsonl", [c for c in read_cases(None)[0] if c.grounded][:3])
    with LLMServer(_writing()) as one, LLMServer(_writing()) as two:
        models = [f"server:scripted-1@{server.openai}" for server in (one, two)]
        asked = ["make-variants", "--cases", "sound.jsonl", "--model", models[0], "--model", models[1], "--calls", "1"]
        said = shell(*asked, "--out", "made")
        assert (said.code, said.out) == (3, ""), said.err
        job = re.findall(r"To resume: python -m groundscope resume (\S+)", said.err)[-1]
        assert not (shell.home / "made").exists()
        assert len(one.asked) + len(two.asked) == 1
        assert re.search(rf"{job} +variants +Variants of sound.jsonl +paused +1 of 6", shell("jobs").out)
        assert shell("resume", job, "--calls", "6", "--quiet").out.splitlines()[-1] == str(shell.home / "made")
        assert len(one.asked) + len(two.asked) == 6


def test_the_samples_pass_and_their_size_is_shown(shell: Shell) -> None:
    said = shell("check-set")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("legal_qa.jsonl: no check failed.\n")
    assert "passed          Splits share no query and no sentence" in said.out
    assert "near-copy of another query's" in said.out


def test_a_set_at_fault_says_where_and_ends_with_1(shell: Shell) -> None:
    made = rows()
    leaking = [{**row, "split": "test" if i == 0 else row["split"], "group": "one"} for i, row in enumerate(made)]
    (shell.home / "leaks.jsonl").write_text("".join(json.dumps(r) + "\n" for r in leaking), encoding="utf-8")
    said = shell("check-set", "--cases", "leaks.jsonl", "--json")
    found = json.loads(said.out)
    assert said.code == 1
    (splits,) = [c for c in found["checks"] if c["check"] == "Splits share no query and no sentence"]
    assert splits["outcome"] == "failed"
    assert splits["findings"]
    text = shell("check-set", "--cases", "leaks.jsonl")
    assert text.code == 1
    assert f"  {splits['findings'][0]['case']}: {splits['findings'][0]['finding']}" in text.out


def test_near_copies_are_looked_for_when_asked(shell: Shell) -> None:
    (shell.home / "set.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows()), encoding="utf-8")
    said = shell("check-set", "--cases", "set.jsonl", "--near-copies", "--json")
    last = json.loads(said.out)["checks"][-1]
    assert last["outcome"] in ("passed", "failed")
    assert "Not measured yet" not in last["measured"]
