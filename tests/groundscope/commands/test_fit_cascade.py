"""`fit-cascade`: bands of the run that comes with the app, what is kept, and what is refused."""

import re

import pytest

from groundscope.methods import registry
from groundscope.training.cascade_files import read
from groundscope.training.cascade_words import in_words
from groundscope.training.own_models import own_cascade
from tests.groundscope.commands.conftest import Shell

FIT = ("fit-cascade", "offline-methods", "--first", "overlap", "--second", "grounding_classifier")


def test_bands_are_shown_and_not_kept(shell: Shell) -> None:
    said = shell.here(*FIT, "--share", "0.5")
    assert said.code == 0, said.err
    lines = said.out.splitlines()
    assert re.match(r"doubtful +sentences asked +responses asked +mean s +US dollars +macro-F1 on dev$", lines[0])
    assert lines[2].startswith("never: overlap")
    assert lines[-1].startswith("always: grounding_classifier")
    (chosen,) = [line for line in lines if " * " in line]
    assert int(re.findall(r"(\d+)%", chosen)[0]) <= 50
    assert re.match(r"On test \(84 responses to 25 queries\), which played no part in choosing, the cascade has", said.err)
    assert not (shell.home / "data").exists()


def test_a_kept_cascade_is_a_method_with_what_test_said_in_its_file(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    said = shell.here(*FIT, "--share", "0.5", "--name", "mine")
    assert said.code == 0, said.err
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(shell.home / "data"))
    assert said.out == f"{own_cascade('mine')}\n"
    made = read(own_cascade("mine"))
    assert (made.first.method, made.second.method, made.asked) == ("overlap", "grounding_classifier", "sentences")
    assert in_words(made.made["on_test"], "Overlap", "Grounding classifier MiniLM") in said.err
    assert registry.load("cascade:mine").unavailable() == ""
    assert re.search(r"^cascade:mine +Cascade mine +ready", shell.here("methods").out, re.M)
    again = shell.here(*FIT, "--name", "mine")
    assert (again.code, again.out) == (2, "")
    assert again.err == "There is a cascade mine.json already; choose another name, or add --replace.\n"
    assert shell.here(*FIT, "--name", "mine", "--replace").code == 0
    assert read(own_cascade("mine")) != made


def test_where_none_is_proposed_nothing_is_kept(shell: Shell) -> None:
    said = shell.here(*FIT[:3], "grounding_classifier", "--second", "overlap", "--name", "mine")
    assert (said.code, said.out) == (2, "")
    assert said.err.splitlines()[-1].startswith("Overlap is no better than Grounding classifier MiniLM on dev")
    assert not (shell.home / "data" / "models").exists()


WRONG = {
    "a budget of 0": (("--dollars", "0"), "a budget of 0 US dollars buys no question; give more than 0, or leave it out."),
    "a share above 1": (("--share", "2"), "the share asked is at most 1, got 2."),
    "test": (("--split", "test"), "A test split is for the last look only: no band is chosen on it. Choose dev."),
    "an unknown split": (
        ("--split", "no"),
        "No labelled response of no is judged by both methods; the run has train, dev, test.",
    ),
    "both the same": (("--second", "overlap"), "A cascade needs two different methods"),
    "a method that the run lacks": (("--second", "direct"), "the run has no method 'direct'; there are ensemble"),
    "a name that is a path": (("--name", "../mine"), "A cascade's name has 1 to 40 small letters, figures and hyphens"),
    "another way to ask": (("--asked", "nobody"), "Invalid value for '--asked'"),
}


@pytest.mark.parametrize(("given", "says"), WRONG.values(), ids=WRONG)
def test_what_is_wrongly_given_is_reported_in_a_sentence(given: tuple[str, ...], says: str, shell: Shell) -> None:
    said = shell.here(*FIT, *given)
    assert (said.code, said.out) == (2, "")
    assert says in said.err
    assert not (shell.home / "data").exists()


def test_help_says_every_option(shell: Shell) -> None:
    said = shell.here("fit-cascade", "--help")
    assert (said.code, said.err) == (0, "")
    for option in (
        "--first",
        "--second",
        "--dollars",
        "--seconds",
        "--share",
        "--asked",
        "--split",
        "--name",
        "--out",
        "--replace",
    ):
        assert re.search(rf"^  {option}\b", said.out, re.M), option
    assert "It appears as the method cascade:NAME." in " ".join(said.out.split())
