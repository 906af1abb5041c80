"""kill -9 of the app during a run, twenty times, and two apps on one data folder."""

import os
import re
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from groundscope.experiments.plan import Part
from groundscope.experiments.store import JobFile
from groundscope.grounding.parts import described
from groundscope.grounding.runs import planning
from groundscope.grounding.runs.store import FOLDER
from groundscope.methods import registry
from groundscope.types import Case, Passage
from tests.attack.detectors import running
from tests.attack.tally import Tally
from tests.browser.conftest import idle, steady, unfold, watching
from tests.browser.site import PAUSED, log_faults, started

KILLS, COUNT = 20, 400
PATIENCE = 300.0
"""Seconds after which a wait counts as a hang."""
TEXT = " ".join(f"Clause {i} binds the tenant of house {i % 70} and nobody else." for i in range(150))
Rows = dict[tuple[int, ...], tuple[object, ...]]


class Apps(NamedTuple):
    """Starts apps over one data folder, each with a log of its own."""

    data: Path
    logs: Path
    profile: BrowserContext

    def start(self) -> tuple[int, Page, Callable[[int], None]]:
        """Gives its process id, its Runs page, and what sends it a signal and waits."""
        process, address = started(self.logs / "app.log", os.environ)

        def send(number: int) -> None:
            process.send_signal(number)
            process.wait(timeout=PATIENCE)

        page = self.profile.new_page()
        page.goto(f"{address}/runs")
        idle(page)
        return process.pid, page, send


@pytest.fixture
def apps(browser: Browser, data: Path, tmp_path: Path) -> Iterator[Apps]:
    profile = browser.new_context(viewport={"width": 1440, "height": 1000})
    profile.set_default_timeout(60_000)
    with watching(profile) as seen:
        yield Apps(data, tmp_path, profile)
    profile.close()
    for pid in running(str(data)):
        os.kill(pid, signal.SIGKILL)
    assert (seen.foreign, seen.dialogs) == ([], [])
    assert log_faults((tmp_path / "app.log").read_text("utf-8", "replace")) == []


def begun(count: int) -> JobFile:
    cases = [Case(f"c{i}", "q", (Passage("p", TEXT),), f"{TEXT} {i}") for i in range(count)]
    method = described(Part("overlap"), registry.load("overlap"))
    return FOLDER.open(planning.begin("Killed", "made", cases, [method]))


def rows(run: JobFile) -> Rows:
    """Every judgement to the byte; its measured seconds are in it, so one that was made again differs."""
    with closing(sqlite3.connect(run.path)) as db:
        query = "SELECT part, other, row, stage, status, why, content FROM results"
        return {tuple(row[:3]): tuple(row[3:]) for row in db.execute(query)}


def until(happens: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not happens():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def card(page: Page) -> Locator:
    return page.locator("[class*=st-key-runs_open_]")


def resume(page: Page) -> None:
    button = card(page).get_by_role("button", name="Resume", exact=True)
    steady(button)
    button.click()


def test_an_app_that_is_killed_loses_nothing_and_judges_nothing_twice(apps: Apps, tried: Tally) -> None:
    run, kept = begun(COUNT), Rows()
    for number in range(KILLS):
        with tried("kills", number):
            pid, page, send = apps.start()
            try:
                expect(card(page).get_by_text(PAUSED)).to_be_visible()
                assert rows(run) == kept
                resume(page)
                more = len(kept) + number % 4
                until(lambda more=more: len(rows(run)) > more)  # type: ignore[misc]
            finally:
                workers = [one for one in running(str(apps.data)) if one != pid]
                send(signal.SIGKILL)
                # What works beside the app goes with it, by itself or, every other time, killed in the middle as well.
                for one in workers if number % 2 else ():
                    os.kill(one, signal.SIGKILL)
                page.close()
            until(lambda: not running(str(apps.data)) and not run.busy())
            before, kept = kept, rows(run)
            assert len(before) < len(kept) < COUNT
            assert {place: kept[place] for place in before} == before
            with closing(sqlite3.connect(run.path)) as db:
                assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    _, page, send = apps.start()
    resume(page)
    until(run.finished)
    send(signal.SIGTERM)
    now = rows(run)
    with tried("kills", "the whole run"):
        assert sorted(now) == [(0, -1, i) for i in range(COUNT)]
        assert {place: now[place] for place in kept} == kept
        assert len(run.starts()) == KILLS + 1


def _others(*pages: Page) -> list[Page]:
    """The pages of apps that see another app's process at work."""
    for page in pages:
        page.reload()
        idle(page)
    return [page for page in pages if card(page).get_by_role("button", name="Pause").is_disabled()]


def test_two_apps_on_one_data_folder_work_on_a_run_once(apps: Apps, tried: Tally) -> None:
    # More than both apps can finish while the pages are clicked.
    count = 5 * COUNT
    run = begun(count)
    (_, first, end_first), (_, second, end_second) = apps.start(), apps.start()
    with tried("two", "both resume"):
        resume(first)
        resume(second)
        until(lambda: len(rows(run)) > 1)
        idle(second)
        assert len(run.starts()) == 1
    with tried("two", "the other one deletes it"):
        # The process of the app that came too late takes seconds to start, and only then finds the job taken.
        until(lambda: len(_others(first, second)) == 1)
        busy = _others(first, second)
        yes = busy[0].get_by_role("button", name="Delete it")
        unfold(card(busy[0]).get_by_role("button", name="Delete", exact=True), yes)
        yes.click()
        expect(busy[0].get_by_text(re.compile("Another process works on this job"))).to_be_visible()
        assert run.path.exists()
    owner = first if busy[0] is second else second
    with tried("two", "one pauses, the other resumes"):
        card(owner).get_by_role("button", name="Pause").click()
        until(lambda: not run.busy())
        kept = rows(run)
        busy[0].reload()
        idle(busy[0])
        resume(busy[0])
        until(lambda: len(rows(run)) > len(kept))
        assert {place: rows(run)[place] for place in kept} == kept
        assert len(run.starts()) == 2
    with tried("two", "the one that works ends; the other finishes"):
        (end_first if busy[0] is first else end_second)(signal.SIGTERM)
        until(lambda: not run.busy())
        owner.reload()
        idle(owner)
        resume(owner)
        until(run.finished)
        assert sorted(rows(run)) == [(0, -1, i) for i in range(count)]
    with tried("two", "a finished run is deleted in one and gone in the other"):
        FOLDER.delete(run.id)
        owner.reload()
        idle(owner)
        expect(owner.get_by_text("Killed")).to_have_count(0)
    (end_second if busy[0] is first else end_first)(signal.SIGTERM)
