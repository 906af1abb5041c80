"""Whatever changes the server for others, starts work or sends texts asks for a role, in the functions that pages call.

What people write is guarded once more in its stores: frozen thresholds and budgets here, the others in `review/test_roles.py`.
"""

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from components import state
from components.controls import errors_shown, needs
from components.experiments.jobs import Jobs
from components.methods import weights
from groundscope.chat.budget import NO_LIMITS
from groundscope.experiments.directory import JobDirectory
from groundscope.grounding.rules import frozen_rules
from groundscope.grounding.runs import listing
from groundscope.storage.team.acting import NotAllowed, Person, Role, acting_as, lacks, role_of, use_case, use_logins

ROOT = Path(__file__).resolve().parents[1]
NOTHING: Any = None
"""A refusal comes before what is given is looked at."""

WALL: tuple[tuple[str, Role, Callable[[], object]], ...] = (
    ("make a job", Role.REVIEWER, lambda: JobDirectory("runs", "run").create({}, {})),
    ("set a job's budget", Role.REVIEWER, lambda: JobDirectory("runs", "run").file("j").allow(NO_LIMITS)),
    ("freeze thresholds", Role.LEAD, lambda: frozen_rules.freeze(NOTHING)),
    ("forget frozen thresholds", Role.LEAD, lambda: frozen_rules.forget("x")),
)
"""What stores refuse themselves."""

WRITERS: Mapping[str, Role] = {
    "groundscope.cases.mapping.saved_mappings.delete": Role.LEAD,
    "groundscope.cases.mapping.saved_mappings.save": Role.REVIEWER,
    "groundscope.chat.prices.keep": Role.LEAD,
    "groundscope.chat.prices.restore": Role.LEAD,
    "groundscope.chat.prompt_files.delete_prompt": Role.LEAD,
    "groundscope.chat.prompt_files.save_prompt": Role.REVIEWER,
    "groundscope.chat.replies.default().clear": Role.LEAD,
    "groundscope.grounding.runs.listing.drop_from_list": Role.LEAD,
    "groundscope.grounding.runs.listing.keep_types": Role.REVIEWER,
    "groundscope.grounding.runs.listing.put_on_list": Role.REVIEWER,
    "groundscope.grounding.runs.listing.run_files": Role.REVIEWER,
    "groundscope.grounding.runs.listing.write_again": Role.REVIEWER,
    "groundscope.methods.defaults.open_with": Role.LEAD,
    "groundscope.methods.registry.add_model": Role.LEAD,
    "groundscope.methods.registry.remove_model": Role.LEAD,
    "groundscope.paths.set_setting": Role.LEAD,
    "groundscope.rag.retrieving.vectors.forget": Role.LEAD,
    "groundscope.storage.support_cache.default().clear": Role.LEAD,
    "groundscope.training.jobs.discard": Role.LEAD,
    "components.scoring.asking.agree": Role.REVIEWER,
    "components.scoring.asking.worker().check": Role.REVIEWER,
    "groundscope.models.weights.jobs.begin": Role.LEAD,
    "components.methods.weights.begin": Role.LEAD,
}
"""What changes what others share, starts work or sends texts without asking who acts: the least role of a use case of each."""

FREE = [
    ("components.opened.record.choose", "groundscope.paths.set_setting"),
    ("components.team.person.keep", "groundscope.paths.set_setting"),
    ("components.worker.child._done", "groundscope.chat.replies.default().clear"),
]
"""Calls that need no role: of recorded replies, of one's own choices, and in a process that has no person."""

USE_CASES: tuple[tuple[Callable[..., object], Role], ...] = (
    (Jobs.resume, Role.REVIEWER),
    (Jobs.stop, Role.REVIEWER),
    (weights.cancel, Role.LEAD),
)
"""Use cases that several pages call."""


class References(ast.NodeVisitor):
    """References to writers outside use cases of their role, as (function, writer); `seen`: all that are defined or used."""

    def __init__(self, module: str, source: str) -> None:
        self.module, self.place = module, module
        tree = ast.parse(source)
        defined = (node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef))
        self.names = {name: f"{module}.{name}" for name in defined}
        self.roles: list[Role] = []
        self.unguarded: list[tuple[str, str]] = []
        self.seen: set[str] = set()
        self.visit(tree)

    def dotted(self, node: ast.expr) -> str:
        if isinstance(node, ast.Attribute):
            return f"{self.dotted(node.value)}.{node.attr}"
        if isinstance(node, ast.Call):
            return f"{self.dotted(node.func)}()"
        return self.names.get(node.id, node.id) if isinstance(node, ast.Name) else ""

    def role(self, node: ast.expr) -> Role | None:
        """The role of a call of `use_case`."""
        if isinstance(node, ast.Call) and self.dotted(node.func) == "groundscope.storage.team.use_case":
            return Role[self.dotted(node.args[0]).rpartition(".")[2]]
        return None

    def within(self, role: Role | None, *nodes: ast.AST) -> None:
        self.roles += filter(None, [role])
        for node in nodes:
            self.visit(node)
        del self.roles[len(self.roles) - bool(role) :]

    def visit_Import(self, node: ast.Import) -> None:
        self.names |= {alias.asname: alias.name for alias in node.names if alias.asname}

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self.names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}

    def visit_Assign(self, node: ast.Assign) -> None:
        self.generic_visit(node)
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.names[target.id] = self.dotted(node.value)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.enter(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.enter(node)

    def enter(self, node: ast.ClassDef | ast.FunctionDef) -> None:
        outer, names = self.place, dict(self.names)
        self.place = f"{outer}.{node.name}"
        self.seen |= {self.place} & set(WRITERS)
        # A writer may be called by another one of its role, which then stands in a use case.
        roles = [*filter(None, map(self.role, node.decorator_list)), *filter(None, [WRITERS.get(self.place)])]
        self.within(max(roles, default=None), *node.body)
        self.place, self.names = outer, names

    def visit_Call(self, node: ast.Call) -> None:
        self.visit(node.func)
        self.within(self.role(node.func), *node.args, *node.keywords)

    def reference(self, node: ast.Name | ast.Attribute) -> None:
        if (writer := self.dotted(node)) in WRITERS and isinstance(node.ctx, ast.Load):
            self.seen.add(writer)
            if max(self.roles, default=0) < WRITERS[writer]:
                self.unguarded.append((self.place, writer))
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        self.reference(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.reference(node)


@pytest.fixture(autouse=True)
def _logins() -> Iterator[None]:
    use_logins(lambda: None)
    yield
    use_logins(None)


def test_pages_write_in_use_cases_alone() -> None:
    files = [path for room in ("components", "pages") for path in sorted((ROOT / room).rglob("*.py"))]
    read = [References(".".join(p.relative_to(ROOT).with_suffix("").parts), p.read_text("utf-8")) for p in files]
    assert sorted(pair for each in read for pair in each.unguarded) == FREE
    assert set().union(*(each.seen for each in read)) == set(WRITERS)


@pytest.mark.parametrize(
    ("body", "guarded"),
    [
        ("@use_case(Role.LEAD)\ndef f():\n    prices.restore()", True),
        ("@errors_shown(place='p')\n@use_case(Role.LEAD)\ndef f():\n    g(lambda: prices.restore())", True),
        ("g(use_case(Role.LEAD)(prices.restore))", True),
        ("@use_case(Role.LEAD)\ndef f(): ...\ndef h():\n    prices.restore()", False),
        ("def f():\n    prices.restore()", False),
        ("g(on_click=prices.restore)", False),
        ("@use_case(Role.REVIEWER)\ndef f():\n    prices.restore()", False),
        ("g(use_case(Role.REVIEWER)(prices.restore))", False),
        ("def f():\n    table = prices\n    g(lambda: table.restore())", False),
        ("class C:\n    def f(self):\n        prices.restore()", False),
    ],
)
def test_a_write_outside_a_use_case_is_found(body: str, *, guarded: bool) -> None:
    source = f"""from groundscope.chat import prices
from groundscope.storage.team import Role, use_case
{body}"""
    assert (References("components.x", source).unguarded == []) is guarded


@pytest.mark.parametrize("least", Role)
def test_a_use_case_is_not_entered_by_a_lower_role_or_without_a_login(least: Role) -> None:
    entered = []
    act = use_case(least)(entered.append)
    with pytest.raises(NotAllowed, match="Log in first"):
        act(0)
    for role in (None, *Role):
        with acting_as(Person("dan@example.org", role)):
            if (role or 0) >= least:
                act(role)
            else:
                with pytest.raises(NotAllowed):
                    act(role)
    assert entered == [role for role in Role if role >= least]


@pytest.mark.parametrize(("do", "role"), USE_CASES)
def test_work_and_sending_are_use_cases(do: Callable[..., object], role: Role) -> None:
    assert role_of(do) is role


def test_a_button_takes_the_role_of_what_it_does() -> None:
    @errors_shown(place="p")
    @use_case(Role.LEAD)
    def act(name: str) -> str:
        return name

    assert list(inspect.signature(act).parameters) == ["name"]
    assert role_of(partial(act, "x")) is role_of(act) is Role.LEAD
    assert role_of(partial(Jobs().resume, "j")) is Role.REVIEWER
    assert role_of(print) is None
    with acting_as(Person("ben@example.org", Role.REVIEWER)):
        assert needs(act) == needs(Role.LEAD) == {"disabled": True, "help": lacks(Role.LEAD)}
    with acting_as(Person("ana@example.org", Role.LEAD)):
        assert needs(act) == needs(print) == {"disabled": False}
        assert needs(act, disabled=True) == {"disabled": True}
        assert act("x") == "x"


@pytest.mark.parametrize(("least", "write"), [w[1:] for w in WALL], ids=[w[0] for w in WALL])
def test_a_lower_role_and_no_login_are_refused_and_leave_nothing(
    least: Role, write: Callable[[], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    with pytest.raises(NotAllowed, match="Log in first"):
        write()
    for role in (None, *Role):
        if (role or 0) < least:
            with acting_as(Person("dan@example.org", role)), pytest.raises(NotAllowed):
                write()
    assert not list(tmp_path.rglob("*"))


@pytest.mark.parametrize(
    ("module", "names"), [(listing, {"put_on_list", "drop_from_list"}), (frozen_rules, {"freeze", "forget"})]
)
def test_no_other_function_of_these_modules_writes_to_the_database(module: ModuleType, names: set[str]) -> None:
    functions = inspect.getmembers(module, inspect.isfunction)
    assert {name for name, function in functions if ".writing()" in inspect.getsource(function)} == names


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
