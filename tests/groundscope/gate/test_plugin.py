"""The plugin in a pytest of its own, as a user's project has it."""

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PLUGIN = "groundscope.gate.plugin"

TESTS = """
import pytest

SOURCES = ["The rent is $900 a month. The lease was signed by Miller in May."]

def test_sound(assert_grounded):
    assert_grounded("The rent is $900.", SOURCES)

def test_wrong(assert_grounded):
    assert_grounded("The rent is $950 a month.", SOURCES)

@pytest.mark.grounded(checks=["names"])
def test_only_names(assert_grounded):
    assert_grounded("The rent is $950, says Miller.", SOURCES)

@pytest.mark.grounded(checks=["names"])
class TestAll:
    def test_the_call_wins(self, assert_grounded):
        assert_grounded("The rent is $950.", SOURCES, ["figures"])

    @pytest.mark.grounded(method="quip", at_least=0.99)
    def test_the_inner_marker_adds(self, assert_grounded):
        assert_grounded("Bananas grow in the tropics and are yellow.", SOURCES)

@pytest.mark.grounded("names")
def test_a_marker_that_means_nothing(assert_grounded):
    pass
"""


def run(folder: Path, *more: str) -> "subprocess.CompletedProcess[str]":
    (folder / "test_answers.py").write_text(TESTS, encoding="utf-8")
    given = ("-p", PLUGIN, "-p", "no:cacheprovider", "--strict-markers", "-W", "error", "--tb=short", "-q", "-n", "0")
    program = (
        "import sys; sys.path.insert(0, sys.argv.pop(1)); import pytest; code = pytest.main(sys.argv[1:]); "
        "print('loaded:', sorted({'torch', 'numpy', 'pandas', 'eyecite'} & set(sys.modules))); sys.exit(code)"
    )
    return subprocess.run(
        [sys.executable, "-c", program, str(ROOT), *given, *more], cwd=folder, capture_output=True, text=True, check=False
    )


def test_the_project_registers_the_plugin() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"groundscope": PLUGIN}


def test_fixture_and_marker_work_and_a_failure_can_be_read(tmp_path: Path) -> None:
    ended = run(tmp_path)
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "3 failed, 2 passed, 1 error" in ended.stdout
    assert "E   Sentence 1: The rent is $950 a month.\nE     figures: “$950” is not in the sources\n" in ended.stdout
    # The traceback ends in the test.
    assert "asserting.py" not in ended.stdout
    assert "E     quip: support 0.00, needed 0.99" in ended.stdout
    assert "the marker grounded takes at_least, checks, method, each by its name" in ended.stdout


def test_tests_can_be_chosen_by_the_marker_and_the_marker_is_described(tmp_path: Path) -> None:
    assert "1 failed, 1 passed, 4 deselected" in run(tmp_path, "-m", "not grounded").stdout
    described = run(tmp_path, "--markers").stdout
    assert "@pytest.mark.grounded(checks, method, at_least): what the fixture assert_grounded" in described
    assert "loaded: []" in described, "a session that asserts nothing imports nothing heavy"
