"""The methods page: what is told of every method, and its weights by download or from a folder."""

import re
import shutil
from typing import Any

from playwright.sync_api import Page, expect

from groundscope.methods import Requirement, registry
from tests.browser.conftest import Heatmap
from tests.browser.looks import violations
from tests.browser.methods.methods_page import LONG, App, Methods, cells
from tests.hub import Fault

FILE = "pytorch_model.bin"
HOSTILE = "<img src=x onerror=alert(1)> **bold** $x$ ![a](http://192.0.2.1/x.png) [b](javascript:alert(1))"


def _needed(method: str) -> tuple[Requirement, ...]:
    scorer: Any = registry.load(method)
    return scorer.requirements()


def test_every_method_is_listed_with_all_that_a_reviewer_asks_for(page: Page, app: App) -> None:
    methods = Methods(page, app)
    expect(page.locator(".methods")).to_be_in_viewport()
    expect(page.get_by_text(f"5 of {len(registry.names()) + 1} can run here now")).to_be_visible()
    for name in registry.names():
        if name == "grounding_classifier":
            # A tiny model stands in for it.
            continue
        about, needed = registry.load(name).about, _needed(name)  # type: ignore[attr-defined]
        row = methods.row(name)
        # Without a chat model, methods that ask one are not ready either.
        asks = registry.load(name).asks
        missing = asks or any(r.missing for r in needed)
        state = "Weights not here" if any(r.missing for r in needed) else "Model not ready" if asks else "Ready"
        expect(row.get_by_role("button")).to_have_text(about.title)
        expect(methods.state(name)).to_have_text(state)
        expect(methods.state(name)).to_have_css("border-style", "dashed" if missing else "solid")
        card = methods.card(name)
        expect(page.locator("[class*=st-key-method_]")).to_have_count(1)
        expect(card.locator("h2")).to_have_text(f"{about.title} {state}")
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
            expect(methods.fact(name, "Folder").nth(i)).to_have_text(r.where or "not on this machine")
        expect(methods.fact(name, "What to do")).to_have_count(int(missing))
    expect(methods.fact("hem_v1", "What to do")).to_contain_text(
        "hf download vectara/hallucination_evaluation_model --revision 5838"
    )
    methods.row("hem_v2").click()
    expect(page.locator(".st-key-method_hem_v2")).to_be_in_viewport()
    page.wait_for_url("**/methods?method=hem_v2")
    # A link opens the same card; one to a method that is not here opens the first, and says so.
    links = (
        ("?method=quip", "quip", 0),
        ("?method=no-such-method<b>", "overlap", 1),
        ("#method-cos_sim-minilm", "cos_sim_minilm", 0),
    )
    for link, opened, words in links:
        page.goto("about:blank")
        page.goto(f"{app.address}/methods{link}")
        expect(page.locator(f".st-key-method_{opened}")).to_be_visible()
        expect(page.get_by_text("There is no method no-such-method<b> here. The first one is open.")).to_have_count(words)
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
    expect(methods.told("factkb")).to_have_text("Saved. See below for what is still missing.")
    expect(methods.state("factkb")).to_have_text("Weights not here")
    assert app.hub.requests == []
    app.hub.faults[:] = [Fault("stall", FILE, at=100_000)]
    offer = methods.open("factkb", "Get weights")
    expect(offer).not_to_contain_text("roberta-base,")
    offer.get_by_role("button", name="Download 500 MB").click()
    expect(methods.card("factkb")).to_contain_text("of 0.2 MB", timeout=LONG)
    expect(methods.state("factkb")).to_have_text(re.compile(r"Downloading \d+%"))
    # Another card is open: the list goes on counting.
    methods.card("quip")
    expect(methods.state("factkb")).to_have_text(re.compile(r"Downloading \d+%"))
    methods.go("Cases")
    methods.go("Methods")
    expect(methods.card("factkb")).to_contain_text("of 0.2 MB")
    other = Methods(page.context.new_page(), app)
    expect(other.card("factkb")).to_contain_text("of 0.2 MB")
    expect(other.state("factkb")).to_have_text(re.compile("Downloading"))

    methods.cancel("factkb").click()
    for session in (methods, other):
        expect(session.notice("factkb")).to_have_text(re.compile("^Stopped. The download so far is saved"), timeout=5_000)
        expect(session.state("factkb")).to_have_text("Weights not here")
    app.hub.faults.clear()
    methods.get("factkb")
    expect(methods.told("factkb")).to_have_text("The weights are installed and checked.")
    expect(methods.notice("factkb")).to_have_role("status")
    expect(methods.state("factkb")).to_have_text("Ready")
    places = [str(app.data / "models" / "bunsenfeng" / "FactKB-main"), str(app.models / "roberta-base")]
    expect(methods.fact("factkb", "Folder")).to_have_text(places)
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
        expect(methods.state(method)).to_have_text("Download failed")


def test_a_folder_copied_by_hand_is_checked_used_and_given_up_again(page: Page, app: App) -> None:
    methods, gc = Methods(page, app), "grounding_classifier"
    shipped = methods.fact(gc, "Folder").inner_text()
    expect(methods.state(gc)).to_have_text("Ready")
    expect(methods.fact(gc, "Folder")).to_have_text(shipped)
    methods.go("Heatmap")
    Heatmap(page).ready()
    methods.go("Methods")
    for path, words in (
        ("<img src=x onerror=alert(1)>", "There is no folder with a config.json at this path"),
        (str(app.models / "asks-for-code"), "asks to run code from its own folder (auto_map), which is refused"),
    ):
        methods.use(gc, path, by_key=path.startswith("<"))
        expect(methods.told(gc)).to_contain_text(words)
        expect(methods.told(gc)).to_contain_text("The previous setting stays.")
        expect(methods.notice(gc)).to_have_role("alert")
        expect(methods.state(gc)).to_have_text("Folder refused")
        expect(methods.fact(gc, "Folder")).to_have_text(shipped)
    # The path stays, so that a slip can be mended.
    expect(methods.open(gc, "Use a folder").get_by_role("textbox")).to_have_value(path)
    page.keyboard.press("Escape")
    folder = str(app.models / "fine-tuned")
    methods.use(gc, folder)
    expect(methods.told(gc)).to_have_text("The folder is checked and in use.")
    expect(methods.state(gc)).to_have_text("Ready")
    methods.use(gc, str(app.models / "factkb"))
    expect(methods.told(gc)).to_contain_text("The previous setting stays.")
    expect(methods.state(gc)).to_have_text("Folder refused")
    expect(methods.fact(gc, "Folder")).to_have_text(folder)
    # Without another click it stands in the heatmap, where a choice of methods was made before.
    methods.go("Heatmap")
    Heatmap(page).ready()
    found = cells(page, "Grounding classifier")
    assert len(found) == 8
    assert all(re.fullmatch(r"1\.00|\.\d\d", cell) for cell in found), found
    methods.go("Methods")
    methods.use(gc, "")
    expect(methods.told(gc)).to_have_text("The default places are used again.")
    expect(methods.state(gc)).to_have_text("Ready")
    expect(methods.fact(gc, "Folder")).to_have_text(shipped)
    assert app.hub.requests == []


def test_the_model_card_of_the_classifier_is_read_in_place(page: Page, app: App) -> None:
    methods, gc = Methods(page, app), "grounding_classifier"
    card = methods.model_card("grounding_classifier:smollm2")
    expect(card).to_contain_text("CC BY 4.0")
    expect(card.locator("h3").first).to_be_visible()
    expect(card.locator("table").first).to_be_visible()
    assert violations(page) == []
    # Somebody else's is text alone.
    folder = app.models / "hostile-card"
    if not folder.exists():
        shutil.copytree(app.models / "fine-tuned", folder)
        (folder / "README.md").write_text(f"# Mine\n\n## {HOSTILE}\n\n- {HOSTILE}\n", encoding="utf-8")
    methods.use(gc, str(folder))
    expect(methods.told(gc)).to_have_text("The folder is checked and in use.")
    card = methods.model_card(gc)
    expect(card.locator("h3")).to_have_text(HOSTILE.replace("**", ""))
    expect(card.locator("li")).to_have_text(HOSTILE.replace("**", ""))
    expect(card.locator("img, a, b, script")).to_have_count(0)
