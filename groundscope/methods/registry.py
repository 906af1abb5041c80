"""Registry of methods: the files of the folder `scorers` beside the app, and installed packages that announce methods.

A file `scorers/quip.py` holds one subclass of `Method`; its parameters are dataclass fields. A file may declare
`VARIANTS = {"name": {parameters}}`; each becomes the method id `file:name`, as does each entry that its function `variants()`
returns on this machine. Where users may add such entries, the file has the functions `add(line, name)`, which returns the name,
`remove(name)`, and `variants()`; see `add_model`. With `PLAIN = False` only the variants are listed, and not
`file` alone. Files with a leading underscore are left out.

An installed package announces a method under the entry-point group `groundscope.methods`. The entry point names a class, or a
module that is laid out like such a file; the method's id is the entry point's name.
"""

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from types import ModuleType
from typing import Any

from groundscope.errors import GroundscopeError, ScorerUnavailable
from groundscope.methods._parameters import check_parameters
from groundscope.methods._sources import MethodSource, announced, broken, files, read, sources
from groundscope.methods.defaults import EARLIER
from groundscope.methods.method import Method, Unloadable


def names() -> tuple[str, ...]:
    """List the ids of all methods. Imports neither weights nor torch and never raises."""
    return tuple(definitions())


def definitions() -> dict[str, Mapping[str, Any]]:
    """List all methods by id, each with the parameters that it is declared with."""
    declared: dict[str, Mapping[str, Any]] = {}
    for name, source in sorted(sources().items()):
        try:
            variants = _variants(source)
        except ScorerUnavailable:
            declared[name] = {}
            continue
        if not variants or getattr(read(source), "PLAIN", True):
            declared[name] = {}
        declared |= {f"{name}:{variant}": params for variant, params in sorted(variants.items())}
    return declared


def current(method: str) -> str:
    """Find the id of today of a method by an id that an earlier version may have written."""
    return EARLIER[method] if method in EARLIER and method not in names() else method


def load(method: str, /, **params: Any) -> Method:
    """Build a method. Cheap: weights are read at the first score."""
    source, variant = _source(method)
    variants = _variants(source)
    if method in EARLIER and variant not in variants:
        return load(EARLIER[method], **params)
    if ":" in method and variant not in variants:
        there = ", ".join(sorted(variants)) or "none"
        raise ValueError(f"no method {method!r}: {method.partition(':')[0]} has no variant {variant!r}; there are {there}")
    cls = _class(source)
    allowed = _allowed(cls)
    if unknown := sorted(set(params) - set(allowed)):
        raise ValueError(f"{method} has no parameter {', '.join(unknown)}; there are {', '.join(allowed) or 'none'}")
    check_parameters(cls, params)
    try:
        built = cls(**{**variants.get(variant, {}), **params})
    except (ValueError, GroundscopeError):
        raise
    except Exception as error:
        raise broken(source, error) from error
    object.__setattr__(built, "id", method)  # the class is frozen, and knows neither its file's name nor its variants
    return built


def find(method: str, /, **params: Any) -> Method:
    """Build a method, or a placeholder that says why it cannot run."""
    try:
        return load(method, **params)
    except (GroundscopeError, ValueError) as error:
        return Unloadable(method, str(error))


def ready(methods: Iterable[str]) -> tuple[str, ...]:
    """Choose the methods that can run here."""
    return tuple(m for m in methods if not find(m).unavailable())


def parameters(method: str) -> tuple[str, ...]:
    """List the names of a method's parameters."""
    return tuple(_allowed(_class(_source(method)[0])))


def grids(method: str) -> dict[str, str]:
    """Find the parameters that a method's paper tunes together with the threshold."""
    try:
        cls = _class(_source(method)[0])
    except (ValueError, ScorerUnavailable):
        return {}
    return {f.name: str(f.metadata["grid"]) for f in fields(cls) if "grid" in f.metadata} if is_dataclass(cls) else {}


def problems() -> tuple[str, ...]:
    """List the announced methods that are left out."""
    from_files, (from_packages, problems) = files(), announced()
    taken = [
        f"{source.name} is left out: scorers/{name}.py has this id; rename that file, or uninstall the package."
        for name, source in from_packages.items()
        if name in from_files
    ]
    return (*problems, *taken)


def _source(method: str) -> tuple[MethodSource, str]:
    """Where a method comes from, and its variant."""
    name, _, variant = method.partition(":")
    source = sources().get(name)
    if source is None:
        raise ValueError(f"no method {method!r}; there are {', '.join(names())}")
    return source, variant


def _variants(source: MethodSource) -> dict[str, dict[str, Any]]:
    """The variants that a module declares, and those that it finds on this machine."""
    module = read(source)
    if not isinstance(module, ModuleType):
        return {}
    try:
        variants: dict[str, dict[str, Any]] = dict(vars(module).get("VARIANTS", {}))
        if on_machine := vars(module).get("variants"):
            variants |= on_machine()
        return {str(name): dict(params) for name, params in variants.items()}
    except Exception as error:
        raise broken(source, error) from error


def _class(source: MethodSource) -> type[Method]:
    loaded = read(source)
    module = isinstance(loaded, ModuleType)
    classes = {cls for cls in vars(loaded).values() if isinstance(cls, type)} if module else {loaded}
    defined = [cls for cls in classes if isinstance(cls, type) and issubclass(cls, Method)]
    defined = [cls for cls in defined if cls.__module__ == source.module] if module else defined
    if len(defined) != 1:
        raise ScorerUnavailable(
            f"{source.name} must define exactly one subclass of groundscope.methods.Method, not {len(defined)}; {source.repair}."
        )
    return defined[0]


def _allowed(cls: type[Method]) -> list[str]:
    return [f.name for f in fields(cls)] if is_dataclass(cls) else list(inspect.signature(cls).parameters)


def add_model(method: str, line: str, name: str = "") -> str:
    """Add a model of the user's to a method that takes any; it is listed from now on."""
    return f"{method}:{_extensible(method).add(line, name)}"


def remove_model(method: str) -> None:
    """Take a model that the user added off the list; its files stay."""
    name, _, variant = method.partition(":")
    if not is_added(method):
        raise ValueError(f"{method!r} is no model that was added")
    _extensible(name).remove(variant)


def is_added(method: str) -> bool:
    """Whether the user added this model."""
    name, _, variant = method.partition(":")
    try:
        return variant in _extensible(name).variants()
    except (ValueError, ScorerUnavailable):
        return False


def _extensible(name: str) -> Any:
    source = sources().get(name)
    module = read(source) if source else None
    if not hasattr(module, "add") or not hasattr(module, "remove"):
        raise ValueError(f"{name} takes no models of the user's")
    return module
