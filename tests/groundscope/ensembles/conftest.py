"""One thread for small matrices: two that wait for each other take ten times as long on a busy machine."""

from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(scope="package", autouse=True)
def one_thread() -> Iterator[None]:
    from sklearn.linear_model import LogisticRegression  # noqa: F401 - its libraries must be there to be limited

    with threadpool_limits(1):
        yield
