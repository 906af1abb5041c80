"""Whatever changes the server for others, starts work or sends texts asks for a role: in the library and below the pages."""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from components import state
from components.chat import methods as asking
from components.experiments.jobs import Jobs
from components.methods import weights
from groundscope.cases.mapping import saved_mappings
from groundscope.chat import prices
from groundscope.chat.budget import NO_LIMITS
from groundscope.chat.prompt_files import delete_prompt, save_prompt
from groundscope.chat.replies import default as replies
from groundscope.experiments.directory import JobDirectory
from groundscope.grounding.rules import frozen_rules
from groundscope.grounding.runs import listing
from groundscope.methods import registry
from groundscope.methods.defaults import open_with
from groundscope.rag.retrieving import vectors
from groundscope.storage.support_cache import PairCache
from groundscope.storage.team.acting import NotAllowed, acting_as, lacks, use_logins
from groundscope.storage.team.roles import Person, Role
from groundscope.training.finetuning import discard
from groundscope.types import Case

CASE = Case("c", "When?", (), "In May.")
NOTHING: Any = None
"""A refusal comes before what is given is looked at."""

WRITES: tuple[tuple[str, Role, Callable[[Path], object]], ...] = (
    ("make a job", Role.REVIEWER, lambda _: JobDirectory("runs", "run").create({}, {})),
    ("set a job's budget", Role.REVIEWER, lambda _: JobDirectory("runs", "run").file("j").allow(NO_LIMITS)),
    ("resume a job", Role.REVIEWER, lambda _: Jobs().resume("j")),
    ("stop a job", Role.REVIEWER, lambda _: Jobs().stop("j")),
    ("delete a model", Role.LEAD, lambda home: discard(home / "models" / "mine")),
    ("get weights", Role.LEAD, lambda _: weights.begin("nli:deberta", "fetch")),
    ("cancel getting weights", Role.LEAD, lambda _: weights.cancel("nli:deberta")),
    ("add a model", Role.LEAD, lambda _: registry.add_model("nli", "organisation/model")),
    ("remove a model", Role.LEAD, lambda _: registry.remove_model("nli:model")),
    ("send a case", Role.REVIEWER, lambda _: asking.agree("api.example.org", CASE)),
    ("ask a chat model", Role.REVIEWER, lambda _: asking.ask("adapt", CASE, "server:m@http://localhost:1/v1", 1)),
    ("delete saved results", Role.LEAD, lambda home: PairCache(home / "pairs.sqlite").clear()),
    ("delete saved vectors", Role.LEAD, lambda _: vectors.forget()),
    ("choose what opens the heatmap", Role.LEAD, lambda _: open_with("overlap")),
    ("delete saved replies", Role.LEAD, lambda _: replies().clear()),
    ("save a prompt", Role.REVIEWER, lambda _: save_prompt("direct", "mine", {}, [])),
    ("delete a prompt", Role.LEAD, lambda _: delete_prompt("direct", "mine")),
    ("keep a mapping", Role.REVIEWER, lambda _: saved_mappings.save("mine", NOTHING)),
    ("forget a mapping", Role.LEAD, lambda _: saved_mappings.delete("mine")),
    ("set prices", Role.LEAD, lambda _: prices.keep([])),
    ("restore prices", Role.LEAD, lambda _: prices.restore()),
    ("add error types", Role.REVIEWER, lambda _: listing.keep_types(listing.RunEntry("r", "R"), [])),
    ("write a run again", Role.REVIEWER, lambda _: listing.write_again("r")),
    ("list a folder of a run", Role.REVIEWER, lambda _: listing.add_to_list(NOTHING)),
    ("drop a folder from the list", Role.LEAD, lambda home: listing.drop_from_list(home)),
    ("freeze thresholds", Role.LEAD, lambda _: frozen_rules.freeze(NOTHING)),
    ("forget frozen thresholds", Role.LEAD, lambda _: frozen_rules.forget("x")),
)  # fmt: skip


@pytest.fixture(autouse=True)
def _logins() -> Iterator[None]:
    use_logins(lambda: None)
    yield
    use_logins(None)


@pytest.mark.parametrize(("least", "write"), [w[1:] for w in WRITES], ids=[w[0] for w in WRITES])
def test_a_lower_role_and_no_login_are_refused_and_leave_nothing(
    least: Role, write: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    with pytest.raises(NotAllowed, match="Log in first"):
        write(tmp_path)
    for role in (None, *Role):
        if (role or 0) < least:
            with acting_as(Person("dan@example.org", role)), pytest.raises(NotAllowed):
                write(tmp_path)
    assert not list(tmp_path.rglob("*"))


@pytest.mark.parametrize(
    ("module", "names"), [(listing, {"add_to_list", "drop_from_list"}), (frozen_rules, {"freeze", "forget"})]
)
def test_no_other_function_of_these_modules_writes_to_the_database(module: ModuleType, names: set[str]) -> None:
    functions = inspect.getmembers(module, inspect.isfunction)
    assert {name for name, function in functions if ".writing()" in inspect.getsource(function)} == names


def test_a_reviewer_lists_a_folder_and_a_lead_drops_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    folder = Path("/runs/mine")
    with acting_as(Person("ben@example.org", Role.REVIEWER)):
        listing.add_to_list(listing.RunEntry(str(folder), "Mine", "2026-01-01T00:00:00+00:00", folder=folder, source="set"))
    with acting_as(Person("ana@example.org", Role.LEAD)):
        assert listing.drop_from_list(folder)


def test_why_not_is_said_before_it_is_tried() -> None:
    assert lacks(Role.READER) == "Log in first."
    with acting_as(Person("dan@example.org", Role.READER)):
        assert lacks(Role.READER) == ""
        assert lacks(Role.LEAD) == "This needs a lead, and you are a reader. Ask a lead for that role."
    with acting_as(Person("dan@example.org")):
        assert lacks(Role.READER).startswith("No lead has given you a role")
    use_logins(None)
    assert lacks(Role.LEAD) == ""


def test_turns_are_of_persons_not_of_their_windows() -> None:
    with acting_as(Person("ana@example.org", Role.LEAD)):
        assert state.user() == "ana@example.org"
