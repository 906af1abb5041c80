"""The parts of a run: methods under names that the user gives, so that a run may have one method several times.

A part is written `METHOD`, `METHOD:NAME` or `METHOD:OPTION=VALUE,OPTION=VALUE`: `direct:gpt-4o` and `direct:haiku` are two parts
of `direct`, `quip:n=9` is `quip` with n = 9, and `cascade:first=quip,second=direct` a cascade of these two. A sweep
(`quip.n=9,15,21,27`, `quip.n=5..40` or `cascade:first=quip.low=0.1,0.2`) makes a part of each value; tuning chooses among them on
dev, together with threshold and aggregation, as Trautmann et al. 2024 tuned QUIP (section 5.1).
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from groundscope.errors import ScorerUnavailable
from groundscope.experiments.plan import Part
from groundscope.methods import Method, registry
from groundscope.methods.defaults import DEFAULTS
from groundscope.methods.functions import AnyMethod, as_method, several
from groundscope.paths import Variable

_LONGEST = 120
_MOST = 100
"""Most values of a sweep."""
_SWEEP = re.compile(r"(?P<part>.+)\.(?P<option>\w+)=(?P<values>[^=]*)")
_RANGE = re.compile(r"(\d{1,6})\.\.(\d{1,6})")
_NEXT_NAME = re.compile(r",(?!\s*\w+=)")
_NEXT_OPTION = re.compile(r",\s*(?=\w+=)")


def listed(text: str) -> tuple[str, ...]:
    """Part the names of a list, each once."""
    return tuple(dict.fromkeys(name.strip() for name in _NEXT_NAME.split(text) if name.strip()))


def named(
    names: Sequence[str], methods: Sequence[str], settings: Sequence[str] = (), sweeps: Sequence[str] = ()
) -> tuple[Part, ...]:
    """Read the parts of a run."""
    parts = [_part(name, methods) for name in names]
    for sweep in sweeps:
        parts += _swept(sweep, methods)
    _each_once(parts)
    by_name = {part.id: part for part in parts}
    for setting in settings:
        name, option, value = _setting(setting, by_name)
        by_name[name] = replace(by_name[name], options={**by_name[name].options, option: value})
    return tuple(by_name.values())


def _each_once(parts: Sequence[Part]) -> None:
    if twice := [name for name, count in Counter(part.id for part in parts).items() if count > 1]:
        method = twice[0].partition(":")[0]
        how = f"such as {method}:NAME" if method in registry.names() else "as def does for a function and id for an object"
        raise ValueError(f"{twice[0]} is named twice; give each a name of its own, {how}.")


def _part(name: str, methods: Sequence[str]) -> Part:
    name = registry.current(name)
    if name in methods:
        return Part(name)
    prefixes = [method for method in methods if name.startswith(f"{method}:")]
    if not prefixes:
        raise ValueError(f"no method {name!r}; there are {', '.join(methods)}")
    method = max(prefixes, key=len)
    label = name.removeprefix(f"{method}:")
    if not label.strip() or len(name) > _LONGEST or not label.isprintable():
        raise ValueError(f"{name!r} is not a valid name for a part; write {method}:NAME, at most {_LONGEST} characters.")
    options = [option.partition("=") for option in _NEXT_OPTION.split(label) if "=" in option]
    return Part(name, method=method, options={option: value_of(value) for option, _, value in options})


def swept_values(text: str) -> list[str]:
    """Read the values of a sweep."""
    values: list[str] = []
    for value in (v.strip() for v in text.split(",")):
        ends = _RANGE.fullmatch(value)
        first, last = (int(ends[1]), int(ends[2])) if ends else (0, 0)
        if len(values) + max(1, last - first + 1) > _MOST:
            raise ValueError(f"A sweep has at most {_MOST} values, and {text[:_LONGEST]!r} has more.")
        values += map(str, range(first, last + 1)) if ends else filter(None, [value])
    return values


def _swept(sweep: str, methods: Sequence[str]) -> list[Part]:
    read = _SWEEP.fullmatch(sweep)
    several = swept_values(read["values"]) if read else []
    if read is None or len(set(several)) < 2:
        raise ValueError(
            f"--sweep takes PART.OPTION=VALUE,VALUE with at least two values, or FIRST..LAST of whole numbers, got {sweep!r}"
        )
    part, option = read["part"], read["option"]
    start = f"{part}{':' if part in methods else ','}{option}="
    return [replace(_part(start + value, methods), sweep=f"{part}.{option}") for value in several]


def _setting(setting: str, parts: Mapping[str, Part]) -> tuple[str, str, Any]:
    # A part's own name may hold dots and equals signs, as models' names do.
    for name in sorted(parts, key=len, reverse=True):
        if setting.startswith(f"{name}."):
            option, equals, value = setting.removeprefix(f"{name}.").partition("=")
            if equals and option:
                return name, option, value_of(value)
    raise ValueError(f"--set takes PART.OPTION=VALUE with one of {', '.join(parts) or 'the parts named'}, got {setting!r}")


def value_of(text: str) -> Any:
    """Read a parameter's value: JSON, or else the text itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def parts_here(
    methods: AnyMethod | Sequence[AnyMethod] | None,
    settings: Sequence[str] = (),
    sweeps: Sequence[str] = (),
    model: str | None = None,
) -> list[tuple[Part, Method]]:
    """Load the parts of a run; objects, classes and functions are parts by their ids, and take no settings."""
    chosen = several(methods) if methods is not None else () if sweeps else registry.ready(DEFAULTS)
    names = [one for one in chosen if isinstance(one, str)]
    by_name = iter([_with_model(part, model) for part in named(names, registry.names(), settings, sweeps)])
    parts = [loaded(next(by_name)) if isinstance(one, str) else _brought(as_method(one)) for one in chosen]
    parts += map(loaded, by_name)
    _each_once([part for part, _ in parts])
    return parts


def loaded(part: Part) -> tuple[Part, Method]:
    """Load the method of a part, by which it is described."""
    method = registry.load(part.loads, **part.options)
    return described(part, method), method


def _brought(method: Method) -> tuple[Part, Method]:
    return described(Part(method.id or method.signature.partition("|")[0]), method), method


def titled(part: Part, title: str) -> str:
    """Put behind a method's title what distinguishes a part from the plain method."""
    label = part.id.removeprefix(part.loads).removeprefix(":")
    return f"{title} ({label})" if label else title


def described(part: Part, method: Method, wordings: Iterable[int] = ()) -> Part:
    """Describe a part by its method as a run stores it, with the prompts of the wordings that the run judges with."""
    about = method.about
    reworded = [method.reworded(number) if number else method for number in sorted({*wordings, 0})]
    used = [prompt for one in reworded if one and (prompt := one.prompt_used())]
    return replace(
        part,
        title=titled(part, about.title),
        signature=method.signature,
        asks=method.asks,
        threshold=about.threshold,
        tuned_on=about.tuned_on,
        tunes=about.tunes,
        prompts={prompt.name: dict(prompt.texts) for prompt in used},
    )


def method_here(part: AnyMethod) -> Method:
    """Load the method of one part."""
    ((_, method),) = parts_here([part])
    return method


def method_ready(part: AnyMethod) -> Method:
    """Load the method of one part; raises `ScorerUnavailable` where it cannot run here, with what it needs."""
    method = method_here(part)
    if missing := method.unavailable():
        raise ScorerUnavailable(f"{method.about.title}: {missing}")
    return method


def _with_model(part: Part, model: str | None) -> Part:
    """The part, with the model where its method asks one: a run names it, so that another environment changes nothing."""
    line = model or Variable.MODEL.read()
    if line and "model" in registry.parameters(part.loads):
        return replace(part, options={"model": line, **part.options})
    return part
