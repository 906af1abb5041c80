"""What a session works with: its open case, its chat model, and its methods, built once until their options change."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from components import case_sets, state
from components.case_sets import CaseSet
from components.scoring import asking
from groundscope.chat.model_spec import ModelSpec
from groundscope.errors import GroundscopeError
from groundscope.experiments.plan import Part
from groundscope.grounding.parts import titled
from groundscope.methods import About, Method, Unloadable, defaults, registry
from groundscope.methods.advice import Recommendation, recommended, unasked
from groundscope.types import Case


@dataclass(frozen=True, eq=False)
class LoadedMethod:
    """A method of the session, or a part of a run under its name, as a page draws it.

    Attributes:
        part: what was chosen, with the options that the method was built with.
        missing: why it cannot run and what to do, or empty.
        members: the methods that it combines.
    """

    part: Part
    method: Method
    missing: str
    members: tuple["LoadedMethod", ...] = ()

    @property
    def id(self) -> str:
        """Its id in the registry, or the part's name."""
        return self.part.id

    @cached_property
    def about(self) -> About:
        """Its description; a part bears its name behind the title."""
        about = self.method.about
        return replace(about, title=titled(self.part, about.title))

    @cached_property
    def signature(self) -> str:
        """With the session's options."""
        return self.method.signature

    @cached_property
    def megabytes(self) -> int:
        """Of its weights, -1 where it has none; what combines other methods comes after them and finds theirs."""
        if self.members:
            return 1 + max(member.megabytes for member in self.members)
        needed = self.method.requirements()
        return sum(r.megabytes for r in needed) if needed else -1

    @property
    def quick(self) -> bool:
        """Whether it scores a case in tenths of a second: it has no model, or the small one of the bundled embedder."""
        return self.megabytes <= 0

    @property
    def lacks(self) -> str:
        """What it lacks, in a few words; empty where it can run."""
        if not self.missing:
            return ""
        if any(r.missing for part in (self, *self.members) for r in part.method.requirements()):
            return "Weights not here"
        return "Model not ready" if self.method.asks else "Cannot be loaded"


class MethodSettings(NamedTuple):
    """What the methods of a session depend on: those that there are, options and chat model of the session, and parts of runs."""

    definitions: Mapping[str, Mapping[str, Any]]
    options: Mapping[str, Mapping[str, Any]]
    chat_model: str
    parts: Mapping[str, Part]

    def build(self, name: str) -> tuple[Part, Method]:
        """A method by id, or a part by name, with the options that it is built with."""
        part = self.parts.get(name)
        try:
            # The run of a part named its model: the session's own would judge under another one's name.
            part = part or Part(name, options=self._options(name))
            return part, registry.load(part.loads, **part.options)
        except (GroundscopeError, ValueError) as error:
            return part or Part(name), Unloadable(name, str(error))

    def _options(self, method: str) -> Mapping[str, Any]:
        """The session's options of a method, with its chat model if the method asks one."""
        options = self.options.get(method, {})
        if "model" in options or not self.chat_model or "model" not in registry.parameters(method):
            return options
        return {"model": self.chat_model, **options}


class Session:
    """What a session works with in one draw of a page: its open case, its methods by id, their options, and its chat model.

    What each method lacks is asked once a draw, as weights may arrive.
    """

    def __init__(self, settings: MethodSettings, built: dict[str, tuple[Part, Method]]) -> None:
        """What was `built` with these settings before is used again, and what is built is added there."""
        self._settings, self._built = settings, built
        self._loaded: dict[str, LoadedMethod] = {}

    @cached_property
    def opened(self) -> tuple[CaseSet, Case]:
        """The open case in its set: the first sample where none was opened, or it is here no more."""
        samples = case_sets.sets()[case_sets.SAMPLES]
        return case_sets.find(state.opened()) or (samples, samples.cases[0])

    @property
    def options(self) -> Mapping[str, Mapping[str, Any]]:
        """The options of methods that the session changed, by method id."""
        return self._settings.options

    @cached_property
    def model(self) -> ModelSpec | None:
        """The chat model that its methods ask; None if there is none, or its spec cannot be read."""
        return asking.chosen()

    def __getitem__(self, name: str) -> LoadedMethod:
        """A method by id, or a part by name; one that says why it cannot run where it cannot be built."""
        if name not in self._loaded:
            if name not in self._built:
                self._built[name] = self._settings.build(name)
            part, method = self._built[name]
            self._loaded[name] = LoadedMethod(part, method, method.unavailable(), tuple(self[m] for m in method.methods))
        return self._loaded[name]

    def of(self, names: Iterable[str]) -> list[LoadedMethod]:
        """Those of these names that are here, in the same order: a model may be deleted."""
        return [self[name] for name in names if name in self._settings.definitions or name in self._settings.parts]

    @cached_property
    def recommendation(self) -> Recommendation:
        """The method that is recommended with this session's options, and why."""
        methods = {name: self[name].method for name in self._settings.definitions}
        return recommended({name: self[name].signature for name in unasked(methods) if not self[name].missing})

    @cached_property
    def listed(self) -> tuple[LoadedMethod, ...]:
        """Every method, the ready ones first, and of them the recommended one, with which pages open."""
        first_ones, every = (self.recommendation.method, defaults.QUICK), self.of(self._settings.definitions)
        return tuple(sorted(every, key=lambda m: (bool(m.missing), *(m.id != first for first in first_ones))))

    @property
    def ready(self) -> list[LoadedMethod]:
        """Those that can run here."""
        return [m for m in self.listed if not m.missing]

    @property
    def shown(self) -> tuple[LoadedMethod, ...]:
        """Every method, then the parts of runs that this session opened in the heatmap."""
        return (*self.listed, *self.of(self._settings.parts))


def this_session() -> Session:
    """This session as it is now, for one draw; methods that were built with the same settings are used again."""
    options = {method: dict(changed) for method, changed in state.options().items()}
    settings = MethodSettings(registry.definitions(), options, state.chat_model(), dict(state.parts()))
    cache: dict[str, dict[str, tuple[Part, Method]]] = state.own("built_methods", {})
    basis = repr(settings)
    if basis not in cache:
        cache.clear()
    built = cache.setdefault(basis, {})
    for name in [name for name, (_, method) in built.items() if _may_change(method)]:
        del built[name]
    return Session(settings, built)


def _may_change(method: Method) -> bool:
    """Whether it may be another one without a change of settings: a file is corrected, or a prompt of the user's deleted."""
    used = method.prompt_used()
    return isinstance(method, Unloadable) or (used is not None and used.own)
