"""The library: cases, methods, statistics and experiments. No user interface, no models.

From Python: `score` judges answers in memory, `run` on disk, `report` and `compare` measure runs; `exact_findings` compares an
answer with its sources without a method.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from groundscope.runtime.extras import explained

if TYPE_CHECKING:
    from groundscope.api.runs import compare, load, report, resume, run
    from groundscope.api.scoring import ascore, score, stream
    from groundscope.findings.exact import exact_findings

__version__ = "0.1.0"
__all__ = ["ascore", "compare", "exact_findings", "load", "report", "resume", "run", "score", "stream"]

_PLACES = {
    **dict.fromkeys(("ascore", "score", "stream"), "api.scoring"),
    **dict.fromkeys(("compare", "load", "report", "resume", "run"), "api.runs"),
    "exact_findings": "findings.exact",
}


def __getattr__(name: str) -> Any:
    """Import what is used, and nothing else: `import groundscope` takes no time."""
    if name not in _PLACES:
        raise AttributeError(f"module 'groundscope' has no attribute {name!r}")
    try:
        return getattr(import_module(f"groundscope.{_PLACES[name]}"), name)
    except ModuleNotFoundError as error:
        raise explained(error) or error from None


def __dir__() -> list[str]:
    return [*globals(), *__all__]
