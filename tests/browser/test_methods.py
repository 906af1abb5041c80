"""The methods page with a hub on loopback: what is told of a method, getting its weights, options, kept results, the queue."""

import json
import os
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Locator, Page, expect

import scorers
from evaluation.about import Requirement
from evaluation.pair_cache import PairCache
from tests.browser.conftest import WATCHWORD, Heatmap, idle, serving
from tests.browser.test_entry import paste
from tests.browser.test_looks import picture, violations
from tests.hub import Fault, Hub
from tests.scorers import tiny

FILE = "pytorch_model.bin"
CASE = "/heatmap?case=overtime-exempt-variant-1"
LONG = 60_000
"""Milliseconds in which models are loaded, also where others use the processor."""


class App(NamedTuple):
    """The app with a data folder of its own, and the hub that it asks."""

    address: str
    hub: Hub
    data: Path
    models: Path

    def use(self, **folders: str) -> None:
        """Name folders as a user did before; underscores stand for hyphens."""
        self.data.mkdir(exist_ok=True)
        named = {name.replace("_", "-"): str(self.models / folder) for name, folder in folders.items()}
        (self.data / "settings.json").write_text(json.dumps({"folders": named}), encoding="utf-8")

    def forget(self) -> None:
        """Empty the cache of pair supports."""
        cache = PairCache(self.data / "pairs.sqlite")
        cache.clear()
        cache.close()

    def pairs(self) -> int:
        """How many pair supports are kept."""
        with closing(sqlite3.connect(self.data / "pairs.sqlite")) as db:
            return sum(db.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0] for table in ("young", "old"))  # noqa: S608


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    tiny.quiet()
    root = tmp_path_factory.mktemp("methods")
    models = root / "models"
    tiny.roberta(models / "factkb", models / "roberta-base")
    tiny.deberta(models / "hem", 1)
    tiny.bert_cross_encoder(models / "fine-tuned")
    asks_for_code = shutil.copytree(models / "fine-tuned", models / "asks-for-code")
    config = json.loads((asks_for_code / "config.json").read_text(encoding="utf-8"))
    (asks_for_code / "config.json").write_text(json.dumps({**config, "auto_map": {"AutoConfig": "run.Me"}}), encoding="utf-8")
    (asks_for_code / "run.py").write_text(f"open({str(models / 'was_run')!r}, 'w')", encoding="utf-8")
    served = {
        "bunsenfeng/FactKB": "factkb",
        "roberta-base": "roberta-base",
        "vectara/hallucination_evaluation_model": "hem",
        "potsawee/deberta-v3-large-mnli": "hem",
        "nlpaueb/legal-bert-base-uncased": "factkb",
    }
    with Hub({name: models / folder for name, folder in served.items()}) as hub:
        own = {
            k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy") and not k.startswith(("HF_", "GROUNDSCOPE_"))
        }
        own |= {"HF_ENDPOINT": hub.url, "HF_HOME": str(root / "hf"), "GROUNDSCOPE_DATA": str(root / "data")}
        with serving(root / "log.txt", own) as address:
            yield App(address, hub, root / "data", models)
    assert not (models / "was_run").exists(), "code of a folder was run"


@pytest.fixture
def app(started: App) -> App:
    """Nothing was downloaded or named before."""
    started.hub.faults.clear()
    started.hub.requests.clear()
    shutil.rmtree(started.data / "models", ignore_errors=True)
    (started.data / "settings.json").unlink(missing_ok=True)
    return started


class Methods:
    """The methods page of a session as its user sees it."""

    def __init__(self, page: Page, app: App) -> None:
        self.page, self.app = page, app
        page.goto(f"{app.address}/methods")
        idle(page)

    def card(self, method: str) -> Locator:
        return self.page.locator(f".st-key-method_{method.replace(':', '_')}")

    def state(self, method: str) -> Locator:
        return self.card(method).locator("h2 .gs-state")

    def notice(self, method: str) -> Locator:
        return self.card(method).locator(".gs-notice")

    def cancel(self, method: str) -> Locator:
        return self.card(method).get_by_role("button", name="Cancel")

    def fact(self, method: str, name: str) -> Locator:
        return self.card(method).locator(f"dt:text-is('{name}') + dd")

    def open(self, method: str, name: str) -> Locator:
        """Open one of the card's lists; one that opens while the page still moves closes again."""
        button = self.card(method).get_by_role("button", name=name)
        button.scroll_into_view_if_needed()
        body = self.page.get_by_test_id("stPopoverBody")
        for _ in range(3):
            self.page.wait_for_timeout(250)
            button.click()
            self.page.wait_for_timeout(250)
            if body.is_visible():
                break
        return body

    def get(self, method: str) -> None:
        """Begin a download, and see it begin."""
        self.open(method, "Get weights").get_by_role("button", name="Download").click()
        self.cancel(method).wait_for()

    def use(self, method: str, path: str, field: str = "Folder", *, by_key: bool = False) -> None:
        """Name a folder, as somebody who does not leave the field before the click."""
        box = self.open(method, "Use a folder").get_by_role("textbox", name=field)
        box.fill(path)
        form = box.locator("xpath=ancestor::*[@data-testid='stForm']")
        box.press("Enter") if by_key else form.get_by_role("button", name="Check and use it").click()
        self.cancel(method).wait_for()

    def told(self, method: str) -> Locator:
        """The notice at the end of a download or a check."""
        self.cancel(method).wait_for(state="detached", timeout=LONG)
        self.notice(method).wait_for(timeout=LONG)
        return self.notice(method)

    def options(self, method: str) -> Locator:
        """The card's options, open."""
        found = self.card(method).locator(f".st-key-options_{method}")
        found.locator("summary").click()
        expect(found.locator(".gs-signature")).to_be_visible()
        return found

    def go(self, name: str) -> None:
        self.page.get_by_role("link", name=name, exact=True).click()
        idle(self.page)


def heatmap(page: Page, app: App) -> Heatmap:
    page.goto(f"{app.address}{CASE}")
    return Heatmap(page).ready()


def cells(page: Page, title: str) -> list[str]:
    row = page.locator(".strip tbody tr", has_text=title)
    return [str(text) for text in row.locator(".cell").all_inner_texts()]


def _needed(method: str) -> tuple[Requirement, ...]:
    scorer: Any = scorers.load(method)
    return getattr(scorer, "requirements", tuple)()


def test_every_method_is_listed_with_all_that_a_reviewer_asks_for(page: Page, app: App) -> None:
    methods = Methods(page, app)
    table = page.locator(".gs-methods")
    expect(page.get_by_text(f"3 of {len(scorers.names())} can run here now")).to_be_visible()
    for name in scorers.names():
        about, needed = scorers.load(name).about, _needed(name)  # type: ignore[attr-defined]
        row = table.locator("tbody tr", has=page.get_by_role("link", name=about.title, exact=True))
        missing = any(r.missing for r in needed)
        state = "Weights not here" if missing else "Ready"
        expect(row.locator("td").first).to_have_text(state)
        expect(row.locator("td").last).to_have_text(about.licence)
        expect(row.locator("th")).to_have_css("opacity", "0.75" if missing else "1")
        expect(methods.state(name)).to_have_text(state)
        card = methods.card(name)
        expect(card).to_contain_text(about.measures)
        expect(methods.fact(name, "Licence")).to_have_text(about.licence)
        if about.paper:
            figures = [f"{about.paper.dev_f1:.3f}", f"{about.paper.test_f1:.3f}"]
            assert row.locator("td").all_inner_texts()[1:3] == figures
            expect(methods.fact(name, "In the paper")).to_contain_text(re.compile(".*".join(map(re.escape, figures))))
        for i, r in enumerate(needed):
            told = methods.fact(name, "Weights").nth(i)
            for part in (r.name, r.revision, f"{r.megabytes:,} MB") if r.megabytes else ():
                expect(told).to_contain_text(part)
            expect(methods.fact(name, "Lie in").nth(i)).to_have_text(r.where or "not on this machine")
        expect(methods.fact(name, "To mend")).to_have_count(int(missing))
    expect(methods.fact("hem_v1", "To mend")).to_contain_text(
        "hf download vectara/hallucination_evaluation_model --revision 5838"
    )
    table.get_by_role("link", name="HEM V2").click()
    expect(page.locator("#method-hem_v2")).to_be_in_viewport()
    assert app.hub.requests == []


def test_weights_come_with_progress_stop_at_once_and_go_on_where_they_stopped(page: Page, app: App) -> None:
    methods = Methods(page, app)
    offer = methods.open("factkb", "Get weights")
    for words in (f"From {app.hub.url}, once", "bunsenfeng/FactKB, about 500 MB", "revision main", "Licence: not stated here"):
        expect(offer).to_contain_text(words)
    expect(offer.get_by_role("link", name="model card").first).to_have_attribute(
        "href", "https://huggingface.co/bunsenfeng/FactKB"
    )
    expect(offer.get_by_role("button", name="Download 503 MB")).to_be_visible()
    page.keyboard.press("Escape")
    # One of the two is copied by hand: what is still to be loaded is the other.
    methods.use("factkb", str(app.models / "roberta-base"), "Folder of roberta-base")
    expect(methods.told("factkb")).to_have_text("This is kept; what is still missing stands above.")
    expect(methods.state("factkb")).to_have_text("Weights not here")
    assert app.hub.requests == []
    app.hub.faults[:] = [Fault("stall", FILE, at=100_000)]
    offer = methods.open("factkb", "Get weights")
    expect(offer).not_to_contain_text("roberta-base,")
    offer.get_by_role("button", name="Download 500 MB").click()
    expect(methods.card("factkb")).to_contain_text("of 0.2 MB", timeout=LONG)
    expect(methods.state("factkb")).to_have_text("Downloading")

    methods.go("Cases")
    methods.go("Methods")
    expect(methods.card("factkb")).to_contain_text("of 0.2 MB")
    other = Methods(page.context.new_page(), app)
    expect(other.card("factkb")).to_contain_text("of 0.2 MB")
    expect(other.state("factkb")).to_have_text("Downloading")

    methods.cancel("factkb").click()
    for session in (methods, other):
        expect(session.notice("factkb")).to_have_text(re.compile("^Stopped. What has arrived stays"), timeout=5_000)
        expect(session.state("factkb")).to_have_text("Weights not here")
    app.hub.faults.clear()
    methods.get("factkb")
    expect(methods.told("factkb")).to_have_text("The weights are here and checked.")
    expect(methods.notice("factkb")).to_have_role("status")
    expect(methods.state("factkb")).to_have_text("Ready")
    places = [str(app.data / "models" / "bunsenfeng" / "FactKB-main"), str(app.models / "roberta-base")]
    expect(methods.fact("factkb", "Lie in")).to_have_text(places)
    first, second = (r.range for r in app.hub.asked(FILE))
    assert first == ""
    assert int(second.removeprefix("bytes=").removesuffix("-")) >= 90_000


def test_what_goes_wrong_is_said_on_each_card_until_the_next_try(page: Page, app: App) -> None:
    app.hub.faults[:] = [
        Fault("status", "legal-bert-base-uncased/resolve", status=403, headers={"X-Error-Code": "GatedRepo"}),
        Fault("cut", "deberta-v3-large-mnli/resolve", at=0),
        Fault("damage", "FactKB/resolve"),
    ]
    methods = Methods(page, app)
    said = {
        "hem_v1": "do not give the supports that their publisher prints",
        "context_nli": "The connection broke while",
        "cos_sim": "signed-in users who accepted its terms",
        "factkb": "arrived damaged twice",
    }
    for method in said:
        methods.get(method)
    for method, words in said.items():
        expect(methods.told(method)).to_contain_text(words)
    # Neither the end of another one nor a visit to another page has taken a message away before it was read.
    methods.go("Cases")
    methods.go("Methods")
    for method, words in said.items():
        expect(methods.notice(method)).to_contain_text(words)
        expect(methods.notice(method)).to_have_role("alert")
        expect(methods.state(method)).to_have_text("Weights not here")


def test_a_folder_copied_by_hand_is_checked_used_and_given_up_again(page: Page, app: App) -> None:
    methods, gc = Methods(page, app), "grounding_classifier"
    methods.go("Heatmap")
    Heatmap(page).ready()
    methods.go("Methods")
    for path, words in (
        ("<img src=x onerror=alert(1)>", "There is no folder with a config.json at this path"),
        (str(app.models / "asks-for-code"), "asks to run code from its own folder (auto_map), which is refused"),
    ):
        methods.use(gc, path, by_key=path.startswith("<"))
        expect(methods.told(gc)).to_contain_text(words)
        expect(methods.notice(gc)).to_have_role("alert")
        expect(methods.state(gc)).to_have_text("Weights not here")
    # The path stays, so that a slip can be mended.
    expect(methods.open(gc, "Use a folder").get_by_role("textbox")).to_have_value(path)
    page.keyboard.press("Escape")
    folder = str(app.models / "fine-tuned")
    methods.use(gc, folder)
    expect(methods.told(gc)).to_have_text("The folder was checked and is used.")
    expect(methods.state(gc)).to_have_text("Ready")
    methods.use(gc, str(app.models / "factkb"))
    expect(methods.told(gc)).to_contain_text("What was set before stays.")
    expect(methods.state(gc)).to_have_text("Ready")
    expect(methods.fact(gc, "Lie in")).to_have_text(folder)
    # Without another click it stands in the heatmap, where a choice of methods was made before.
    methods.go("Heatmap")
    Heatmap(page).ready()
    found = cells(page, "Grounding classifier")
    assert len(found) == 8
    assert all(re.fullmatch(r"1\.00|\.\d\d", cell) for cell in found), found
    methods.go("Methods")
    methods.use(gc, "")
    expect(methods.told(gc)).to_have_text("This is kept; what is still missing stands above.")
    expect(methods.state(gc)).to_have_text("Weights not here")
    assert app.hub.requests == []


def test_options_hold_for_a_session_and_lead_back(page: Page, app: App) -> None:
    app.use(grounding_classifier="fine-tuned")
    methods, gc = Methods(page, app), "grounding_classifier"
    options = methods.options(gc)
    signature, prune = options.locator(".gs-signature"), options.get_by_role("spinbutton", name="Read only the nearest")
    unit = options.get_by_role("combobox", name="Context unit")
    expect(signature).to_contain_text("|unit=sentence|window=3|aggregation=min|prune=0")
    for box, value in ((prune, "2"), (unit, "passage")):
        box.fill(value)
        box.press("Enter")
        idle(page)
    expect(signature).to_contain_text("|unit=passage|")
    expect(signature).to_contain_text("prune=2 nearest by sentence-transformers/all-MiniLM-L6-v2")
    expect(options.locator("summary")).to_have_text(re.compile("Options, 2 changed$"))
    methods.go("Heatmap")
    Heatmap(page).ready()
    changed = cells(page, "Grounding classifier")
    reading = page.locator(".strip tbody tr", has_text="Grounding classifier").locator("td").last
    expect(reading).to_have_attribute("title", re.compile("only the 2 nearest context units were read"))
    other = page.context.new_page()
    heatmap(other, app)
    usual = cells(other, "Grounding classifier")
    assert len(usual) == len(changed) == 8
    assert usual != changed

    methods.go("Methods")
    methods.options(gc)
    expect(prune).to_have_value("2")
    options.get_by_role("button", name="Back to the defaults").click()
    expect(signature).to_contain_text("|unit=sentence|window=3|aggregation=min|prune=0")
    expect(prune).to_have_value("0")
    expect(unit).to_have_value("sentence")
    idle(page)
    methods.go("Heatmap")
    Heatmap(page).ready()
    assert cells(page, "Grounding classifier") == usual


def test_a_value_that_means_nothing_is_refused_and_the_old_one_stays(page: Page, app: App) -> None:
    methods = Methods(page, app)
    options = methods.options("quip")
    box = options.get_by_role("spinbutton", name="Characters")
    for value, kept in (("30", "30"), ("0", "30")):
        box.fill(value)
        box.press("Enter")
        expect(options.locator(".gs-signature")).to_contain_text(f"quip|n={kept}|")
        idle(page)
    expect(options.get_by_role("alert")).to_have_text(
        "Characters must be a whole number of at least 1, got 0. The value before it stays."
    )
    expect(box).to_have_value("30")


def _paste_here(page: Page, response: str) -> None:
    """Paste a case in the session that is open, and have it scored."""
    page.get_by_role("link", name="Cases", exact=True).click()
    idle(page)
    page.get_by_role("textbox", name="Context: the sources").fill(f"The {WATCHWORD} notice must be given within 30 days.")
    page.get_by_role("textbox", name="Response: the answer").fill(response)
    page.get_by_role("button", name="Show where it stands").click()
    page.locator(".pane .s", has_text=response).wait_for()
    Heatmap(page).ready()


def test_results_of_cross_encoders_are_kept_but_not_those_of_pasted_text(page: Page, app: App) -> None:
    app.use(grounding_classifier="fine-tuned")
    app.forget()
    heatmap(page, app)
    pairs = app.pairs()
    assert pairs >= 8 * 24
    other = page.context.new_page()
    heatmap(other, app)
    other.locator(".strip").get_by_role("button", name="Grounding classifier", exact=True).click()
    expect(other.locator(".verdict")).to_contain_text("all from kept results")
    other.close()

    _paste_here(page, "The notice must be given within 60 days.")
    assert app.pairs() == pairs
    page.get_by_role("link", name="Methods", exact=True).click()
    expect(page.get_by_text(re.compile(r"Now: \d+ kB of at most 256 MB"))).to_be_visible()
    page.get_by_text("Keep those of pasted text").click()
    idle(page)
    _paste_here(page, "The notice must be given within 90 days.")
    assert app.pairs() == pairs + 1
    page.get_by_role("link", name="Methods", exact=True).click()
    page.get_by_role("button", name="Forget all kept results").click()
    expect(page.get_by_text("All kept results are forgotten.")).to_be_visible()
    assert app.pairs() == 0


def test_a_session_that_has_to_wait_is_told_for_how_many_scores(page: Page, app: App) -> None:
    app.use(grounding_classifier="fine-tuned")
    context, response = (
        " ".join(f"{who} {i} was awarded costs." for i in range(n)) for who, n in (("Tenant", 1500), ("He", 100))
    )
    paste(page, app.address, "Who paid?", context, response)
    expect(page.get_by_text(re.compile(r"Grounding classifier: Scoring, \d+ %"))).to_be_visible(timeout=LONG)
    other = page.context.new_page()
    other.goto(f"{app.address}{CASE}")
    waits = other.get_by_text(re.compile("Overlap: Waiting for its turn, 1 score is before it"))
    expect(waits).to_be_visible(timeout=LONG)
    expect(waits).to_contain_text("Grounding classifier: Waiting for its turn, 4 scores are before it")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Cancelled. What was finished is shown.")).to_be_visible(timeout=LONG)
    Heatmap(other).ready()
    assert len(cells(other, "Grounding classifier")) == 8


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible_and_fits(page: Page, app: App, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    app.use(grounding_classifier="fine-tuned")
    methods = Methods(page, app)
    methods.use("hem_v2", "/no/such/folder", "Folder of google/flan-t5-base")
    methods.told("hem_v2")
    methods.options("grounding_classifier")
    for width, name, links in ((1440, "Get weights", 2), (700, "Use a folder", 0)):
        page.set_viewport_size({"width": width, "height": 1000})
        expect(methods.open("hem_v2", name).get_by_role("link")).to_have_count(links)
        picture(page, f"methods-{scheme}-{width}")
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "the page scrolls sideways"
        assert violations(page) == []
        page.keyboard.press("Escape")


def test_the_whole_page_is_reached_by_keyboard(page: Page, app: App) -> None:
    Methods(page, app)
    focused = (
        "() => { const n = document.activeElement; return n === document.body ? '' : n.innerText || n.ariaLabel || n.type; }"
    )
    reached: list[str] = []
    while len(reached) < 150:
        page.keyboard.press("Tab")
        name = str(page.evaluate(focused))
        if not name and reached:
            break
        reached.append(name.strip().splitlines()[0] if name.strip() else "")
        if reached.count("Get weights") == 1 and reached[-1] == "Get weights":
            page.keyboard.press("Enter")
            expect(page.get_by_test_id("stPopoverBody")).to_contain_text("Licence")
            page.keyboard.press("Escape")
            expect(page.get_by_test_id("stPopoverBody")).to_be_hidden()
            assert str(page.evaluate(focused)).startswith("Get weights"), "the focus went elsewhere"
    assert {"Methods", "HEM V2", "Keep those of pasted text and made variants too, in this session"} <= set(reached)
    assert (reached.count("Get weights"), reached.count("Use a folder")) == (5, 6)
    assert app.hub.requests == []
