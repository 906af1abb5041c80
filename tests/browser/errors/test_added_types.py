"""Error types for a finished run in a browser: a file is loaded by keyboard, bad cases are named, and the table has the types."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from groundscope.cases.dataset import to_row
from groundscope.grounding.runs import planning
from groundscope.grounding.runs.arrays import MethodRun
from groundscope.grounding.runs.store import FOLDER
from groundscope.types import ErrorType
from tests.browser.conftest import idle
from tests.browser.errors.conftest import HOSTILE, App, Steady, hostile_cases
from tests.browser.errors.test_errors import cell, open_errors
from tests.browser.looks import looks, sound
from tests.groundscope.grounding.runs.judging import judge

BARE = [replace(c, errors=()) for c in hostile_cases()[:40]]
WRONG = [c for c in BARE if not c.grounded]


@pytest.fixture
def bare(app: App) -> Iterator[str]:
    """The id of a finished run without error types, which is deleted afterwards."""
    scorer = Steady("made_2", 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROUNDSCOPE_DATA", str(app.data))
        run = planning.begin("Bare", "cases.jsonl", BARE, [MethodRun("made_2", scorer.signature, "Made", threshold=0.5)])
        with closing(FOLDER.open(run)) as file:
            assert judge(file, {"made_2": scorer}).finished
        yield run
        FOLDER.delete(run)


def typed_file(folder: Path) -> Path:
    """Types for all ungrounded cases, one reason, one type for a grounded case, and a row that is none."""
    kind = ErrorType.REASONING_ERROR
    cases = [replace(c, error_types=(kind,), reasons=((kind, HOSTILE),)) for c in WRONG]
    rows = [*map(to_row, cases), to_row(replace(BARE[0], error_types=(kind,)))]
    path = folder / "typed.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows) + "{\n", encoding="utf-8")
    return path


def test_a_finished_run_gets_types_from_a_file(page: Page, app: App, bare: str, tmp_path: Path) -> None:
    query = f"run={bare}&rules=starting&split=all"
    open_errors(page, app, query)
    expect(page.get_by_text("No ungrounded response of this run has an error type")).to_be_visible()
    panel = page.locator(".st-key-errors_types")
    panel.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(panel.get_by_text("Types are labels for people.")).to_be_visible()
    panel.locator("input[type=file]").set_input_files(typed_file(tmp_path))
    expect(panel.get_by_text("20 responses of this run would get types.")).to_be_visible(timeout=60_000)
    bad = panel.locator(".gs-notice.bad")
    expect(bad).to_have_count(2)
    expect(bad.nth(0)).to_contain_text("typed.jsonl: Row 22 was left out: It is not complete JSON")
    expect(bad.nth(1)).to_contain_text("the run labels it grounded, and error types belong to ungrounded responses.")
    expect(panel.locator("img, script")).to_have_count(0)
    for look in looks(page, 2200):
        sound(page, f"added-types-{look}")
    add = panel.get_by_role("button", name="Add these types to the run")
    add.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("20 responses of this run got types from typed.jsonl.")).to_be_visible()
    idle(page)
    expect(cell(page, "Made", "Reasoning error")).to_be_visible()
    # They outlive the session, and can be taken away again.
    open_errors(page, app, query)
    expect(cell(page, "Made", "Reasoning error")).to_be_visible()
    expect(
        page.get_by_text("Error types were added to this run after it was judged: 20 responses from typed.jsonl")
    ).to_be_visible()
    page.locator(".st-key-errors_types summary").click()
    page.get_by_role("button", name="Remove the added types").click()
    expect(page.get_by_text("The added types were removed: Bare is as it was judged.")).to_be_visible()
    idle(page)
    expect(cell(page, "Made", "Reasoning error")).to_have_count(0)
