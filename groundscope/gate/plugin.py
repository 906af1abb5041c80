"""The plugin for pytest: the fixture `assert_grounded` and the marker `grounded`.

Nothing heavy is imported until a test calls the fixture.
"""

from collections.abc import Callable
from inspect import signature
from typing import Any

import pytest

MARKER = "grounded(checks, method, at_least): what the fixture assert_grounded checks by, unless the call says it"
_NAMES = frozenset({"checks", "method", "at_least"})


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line("markers", MARKER)


@pytest.fixture
def assert_grounded(request: pytest.FixtureRequest) -> Callable[..., None]:
    """`groundscope.gate.assert_grounded`, with what the marker `grounded` of the test names."""
    from groundscope.gate.asserting import assert_grounded

    named: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers("grounded"))):
        if marker.args or not marker.kwargs.keys() <= _NAMES:
            raise pytest.UsageError(f"the marker grounded takes {', '.join(sorted(_NAMES))}, each by its name")
        named |= marker.kwargs

    def check(*arguments: Any, **more: Any) -> None:
        __tracebackhide__ = True
        assert_grounded(**{**named, **signature(assert_grounded).bind(*arguments, **more).arguments})

    return check
