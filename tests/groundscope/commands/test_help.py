"""`--help` of every verb: it names every option, in sentences that fit a terminal."""

import re
import subprocess
import sys

import click
import pytest

from groundscope.__main__ import VERBS, verbs
from tests.groundscope.commands.conftest import HOSTILE, ROOT, Shell
from tests.loops import each


def command(verb: str) -> click.Command:
    return verbs.get_command(click.Context(verbs), verb)  # type: ignore[return-value]


def test_help_says_the_verbs_the_way_and_the_exit_codes(shell: Shell) -> None:
    said = shell("--help")
    assert (said.code, said.err) == (0, "")
    for verb in ("app", *VERBS):
        assert re.search(rf"^  {verb}\s+\w", said.out, re.M)
    assert "A first run:  python -m groundscope run" in said.out
    assert "Exit codes: 0 done, 1 " in " ".join(said.out.split())
    assert max(map(len, said.out.splitlines())) <= 130
    named = re.findall(r"python -m groundscope (\w+)", said.out.partition("\n\n")[2])
    assert {"run", "tune", "report", "runs"} <= set(named) <= {*VERBS}


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb_explains_every_option(verb: str, shell: Shell) -> None:
    said = shell(verb, "--help")
    assert (said.code, said.err) == (0, "")
    usage, about, _ = said.out.split("\n\n", 2)
    assert usage.startswith(f"Usage: python -m groundscope {verb} ")
    assert about.strip()[0].isupper()
    assert about.endswith(".")
    assert max(map(len, said.out.splitlines())) <= 130
    for param in command(verb).params:
        assert param.help, param
        for name in param.opts if isinstance(param, click.Option) else [param.make_metavar(click.Context(verbs))]:
            assert name in said.out
        assert param.help[-1] not in ".,;"


@each("verb", VERBS)
def test_the_list_of_verbs_says_what_the_verb_says_of_itself(verb: str) -> None:
    words = VERBS[verb][1]
    assert (command(verb).help or "").startswith(f"{words[0].upper()}{words[1:]}.")


def test_help_of_all_verbs_imports_none_of_them() -> None:
    program = (
        "import sys; from groundscope.__main__ import main; main(['--help']); "
        "print({name.partition('.')[0] for name in sys.modules} & {'torch', 'streamlit', 'pandas', 'numpy', 'scorers'}, "
        "[name for name in sys.modules if name.startswith('groundscope.commands')])"
    )
    said = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert said.stdout.endswith("set() []\n")


@pytest.mark.parametrize(
    "given",
    [(HOSTILE,), (f"--{HOSTILE}",), ("report", "run", "--format", HOSTILE), ("run", "--limit", HOSTILE), ("runs", HOSTILE)],
    ids=range(5),
)
def test_what_is_refused_is_said_in_one_line_that_steers_no_terminal(given: tuple[str, ...], shell: Shell) -> None:
    said = shell(*given)
    assert (said.code, said.out) == (2, "")
    assert len(said.err.splitlines()) == 1
    assert not re.search("[\x1b\x9b\x07\u202e]", said.err)


@pytest.mark.parametrize("last", [("--quiet",), ("--name", "x"), ()])
def test_several_files_stand_behind_one_option_and_the_last_option_counts(last: tuple[str, ...]) -> None:
    run = command("run")
    given = run.make_context("run", ["--cases", "gone", "--scores=s", "--cases", "a b", "-", "c", *last]).params
    assert [str(path) for path in given["cases"]] == ["a b", "-", "c"]
    assert [str(path) for path in given["scores"]] == ["s"]
    assert run.make_context("run", []).params["cases"] is None


@pytest.mark.release
def test_options_of_the_app_are_streamlits(shell: Shell) -> None:
    said = shell.child("app", "--nothing")
    assert (said.code, said.out) == (2, "")
    assert said.err.endswith("No such option '--nothing'.\n")
