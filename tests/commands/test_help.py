"""`--help` of every verb: it names every option, in sentences that fit a terminal."""

import argparse
import re

import pytest

import groundscope
from tests.commands.conftest import Shell

ARGUMENTS = ("arguments-scenarios", "arguments-run", "arguments-report")
VERBS = ("run", "runs", "methods", "export", "tune", "report", "compare", "fit-ensemble", "finetune", "citations", *ARGUMENTS)


def test_help_tells_the_verbs_the_way_and_the_exit_codes(shell: Shell) -> None:
    said = shell("--help")
    assert (said.code, said.err) == (0, "")
    for verb in ("app", *VERBS):
        assert re.search(rf"^    {verb}\s+\w", said.out, re.M)
    assert "A first run:  python -m groundscope run" in said.out
    assert "Exit codes: 0 done, 2 nothing was done (standard error says why), 3 stopped, can be resumed." in said.out
    assert max(map(len, said.out.splitlines())) <= 130


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb_explains_every_option(verb: str, shell: Shell) -> None:
    said = shell.here(verb, "--help")
    assert (said.code, said.err) == (0, "")
    usage, about, _ = said.out.split("\n\n", 2)
    assert usage.startswith(f"usage: python -m groundscope {verb} ")
    assert about[0].isupper()
    assert about.endswith(".")
    (verbs,) = (a for a in groundscope.parser()._actions if isinstance(a, argparse._SubParsersAction))
    for action in verbs.choices[verb]._actions:
        assert action.help, action
        for name in action.option_strings:
            assert name in said.out
        assert action.help.rstrip(")")[-1] not in ".,;"


def test_the_commands_that_help_names_are_there(shell: Shell) -> None:
    named = re.findall(r"python -m groundscope (\w+)", shell.here("--help").out)
    assert {"run", "tune", "report", "runs"} <= set(named) <= {*VERBS}
