"""The files beside this one, run with the real libraries; and what a missing library says."""

import importlib
import re
import sys
from pathlib import Path

import pytest

from tests.with_integrations import run

HERE = Path(__file__).parent
FILES = [f"with_{name}.py" for name in ("deepeval", "langchain", "llama_index", "ragas", "tables")]


def test_all_works_with_the_real_libraries(tmp_path: Path) -> None:
    # One process for all: each library takes seconds to import. This project's settings and fixtures need what only the other
    # environment has.
    options = ("-c", "/dev/null", "--rootdir", str(HERE), "--noconftest", "-p", "no:cacheprovider", "-p", "no:xdist", "-v")
    output = run(tmp_path, "-m", "pytest", *options, *(str(HERE / name) for name in FILES)).stdout
    assert set(re.findall(r"(\w+\.py)::.* PASSED", output)) == set(FILES)
    assert " SKIPPED" not in output


def test_a_call_to_another_host_is_noticed(tmp_path: Path) -> None:
    quiet = "import socket\ntry: socket.create_connection(('example.invalid', 80))\nexcept OSError: pass"
    with pytest.raises(AssertionError, match=r"it called example\.invalid"):
        run(tmp_path, "-c", quiet)


@pytest.mark.parametrize("name", ["ragas", "deepeval"])
def test_a_missing_library_is_named_with_what_to_install(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, f"groundscope.integrations.{name}", raising=False)
    with pytest.raises(ImportError, match=f"pip install '{name}>="):
        importlib.import_module(f"groundscope.integrations.{name}")


def test_answers_are_read_without_the_libraries() -> None:
    importlib.import_module("groundscope.integrations.langchain")
    importlib.import_module("groundscope.integrations.llama_index")
    assert {"langchain_core", "llama_index"} & sys.modules.keys() == set()
