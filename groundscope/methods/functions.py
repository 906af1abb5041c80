"""Methods as users of the library bring them: names, objects, classes, and functions of question, sources and sentence."""

import hashlib
import inspect
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from math import isnan
from numbers import Real
from textwrap import dedent
from uuid import uuid4

from groundscope.methods.method import About, Method
from groundscope.text.alignment import judge, not_assessable, nothing_to_assess
from groundscope.text.sentences import split
from groundscope.types import Case, Judgement, SentenceScore

SentenceJudge = Callable[[str, Sequence[str], str], float | None]
"""A function of a question, the texts of the sources and a sentence of the answer; gives its support, 0 to 1, or None."""
AnyMethod = str | Method | type[Method] | SentenceJudge
"""What stands for a method: its name, an object, a class whose parameters have defaults, or a function."""
_ORDER = ("question", "sources", "sentence")


class FunctionMethod(Method):
    """Judges each sentence by a function of the user's; its id is the function's name."""

    def __init__(self, function: SentenceJudge) -> None:
        """Take a function of a question, sources and a sentence in this order."""
        name = getattr(function, "__name__", type(function).__name__)
        self.id = name.strip("<>")
        signature = inspect.signature(function)
        try:
            signature.bind("question", ("source",), "sentence")
        except TypeError as error:
            raise ValueError(f"{self.id} must take a question, the sources and a sentence ({error}).") from None
        if any(name in _ORDER and name != there for name, there in zip(signature.parameters, _ORDER, strict=False)):
            raise ValueError(f"{self.id} gets question, sources and sentence in this order; its parameters have another.")
        if any(map(inspect.iscoroutinefunction, (function, type(function).__call__))):
            raise ValueError(f"{self.id} is async, and a method is called as it is; give a function that ends with the support.")
        self._function = function
        self._about = About(
            title=self.id,
            measures=(inspect.getdoc(function) or "").partition("\n")[0],
            threshold=0.5,
            threshold_source="the middle of its range, not tuned",
            licence="",
        )
        self._signature = f"{self.id}|function|{_identity(function)}"

    @property
    def signature(self) -> str:
        """The name with a hash of the source; what the function calls is not in it."""
        return self._signature

    @property
    def about(self) -> About:
        """Its name, and the first line of its docstring."""
        return self._about

    def score(self, case: Case) -> Judgement:
        """Judge sentence by sentence; the answer is as well supported as its lowest sentence."""
        started = time.perf_counter()
        if why := nothing_to_assess(case):
            return not_assessable(why)
        sources = tuple(p.text for p in case.context)
        scores = []
        for number, s in enumerate(split(case.response), 1):
            value = None if s.heading else self._function(case.query, sources, case.response[s.start : s.end])
            scores.append(SentenceScore(s.start, s.end, self._support(value, number)))
        note = "" if any(s.support is not None for s in scores) else f"{self.id} gave no sentence a support."
        return judge(tuple(scores), "min", seconds=time.perf_counter() - started, note=note)

    def _support(self, value: object, number: int) -> float | None:
        if callable(item := getattr(value, "item", None)):
            # A number of numpy or torch; more than one have none.
            with suppress(ValueError, RuntimeError):
                value = item()
        if value is None or (isinstance(value, float) and isnan(value)):
            return None
        if not isinstance(value, Real) or not 0 <= float(value) <= 1:
            # What is no number may be a text of the case.
            shown = float(value) if isinstance(value, Real) else type(value).__name__
            raise ValueError(f"{self.id} gave {shown} for sentence {number}; a support is a number from 0 to 1, or None")
        return float(value)


def _identity(function: SentenceJudge) -> str:
    """A hash of the source where it says what the function does; else a mark that no other object has."""
    if inspect.isfunction(function) and function.__name__ != "<lambda>" and not function.__closure__:
        try:
            source = dedent(inspect.getsource(function))
            return f"sha256={hashlib.sha256(source.encode()).hexdigest()[:16]}"
        except (OSError, TypeError):
            pass
    return f"not comparable across processes, {uuid4().hex[:8]}"


def as_method(method: Method | type[Method] | SentenceJudge) -> Method:
    """Make a method of an object, a class or a function; raises `ValueError` where it is none."""
    if isinstance(method, Method):
        return method
    if isinstance(method, type):
        if not issubclass(method, Method):
            raise ValueError(f"{method.__name__} is no subclass of groundscope.methods.Method.")
        try:
            return method()
        except TypeError as error:
            raise ValueError(f"{method.__name__} cannot be made without parameters ({error}); give an object of it.") from None
    if callable(method):
        return FunctionMethod(method)
    raise ValueError(
        f"{type(method).__name__} is no method: give a name, an object or class of groundscope.methods.Method, "
        "or a function of question, sources and sentence."
    )


def several(methods: AnyMethod | Sequence[AnyMethod]) -> Sequence[AnyMethod]:
    """Take one method as a list of one; a name is no list of letters."""
    return tuple(methods) if isinstance(methods, Iterable) and not isinstance(methods, str) else (methods,)
