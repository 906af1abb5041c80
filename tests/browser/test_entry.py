"""The three ways in: a sample, a paste, a file; and what hostile text can do there (nothing)."""

import gzip
import json
import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, TimeoutError, expect

from tests.browser.conftest import Heatmap, downloaded, idle, open_tab
from tests.browser.site import ROOT, WATCHWORD, recommended_here

SHARED = ROOT.parent / "shared" / "data"
CASE_FILES = ".st-key-upload input[type=file]"
"""The uploader of cases; sources have one of their own."""
HOSTILE = (
    f"{WATCHWORD} <script>alert(1)</script><img src=x onerror=alert(2)> ![x](http://evil.example/p.png) costs $x$ and $5, "
    "_not_ **bold**. [link](javascript:alert(3)) \u202eright-to-left\u202c &amp; {{7*7}} \u200bzero-width. "
    "مرحبا بالعالم. 😀 The fee is 7,000 dollars"
)


def paste(page: Page, server: str, query: str, context: str, response: str) -> None:
    """Paste a case; without a server into the form that is there."""
    if server:
        page.goto(f"{server}/cases")
        idle(page)
    page.get_by_role("textbox", name="Question").fill(query)
    page.get_by_role("textbox", name="Text of source 1").fill(context)
    page.get_by_role("textbox", name="Response: the answer").fill(response)
    page.get_by_role("button", name="Check the answer").click()


def upload(page: Page, server: str, *paths: Path) -> None:
    page.goto(f"{server}/cases?from=upload")
    idle(page)
    page.locator(CASE_FILES).set_input_files(paths)


def test_the_overview_says_what_this_is_and_opens_a_sample(page: Page, server: str) -> None:
    page.goto(server)
    idle(page)
    expect(page.locator("h1")).to_have_text("Where does this answer stand on its sources?")
    live = Heatmap(page).ready()
    live.sentences.nth(1).click()
    expect(page.locator(".why h2")).to_contain_text("Sentence 2")
    expect(page.locator(".why .check")).to_have_text(re.compile("^“\\$913” is not in the sources"))
    assert urlsplit(page.url).query == ""
    page.get_by_role("button", name="Open", exact=True).first.click()
    heatmap = Heatmap(page).ready()
    # Checks and the methods; labels are not shown until they are asked for.
    expect(page.locator(".strip tbody tr")).to_have_count(5)
    assert heatmap.sentences.count() == 8


def test_a_paste_opens_in_the_heatmap_and_never_in_the_link_and_an_empty_field_is_named(page: Page, server: str) -> None:
    for sources, response, words in (("", "", "response and"), ("", "x", "sources"), ("x", "", "response")):
        paste(page, "" if sources + response else server, "q", sources, response)
        expect(page.get_by_role("alert")).to_contain_text(words)
        expect(page.get_by_role("textbox", name="Question")).to_have_value("q")
        idle(page)
    paste(
        page,
        "",
        f"What is {WATCHWORD}?",
        "Source: Rule 1\nThe notice must be given within 30 days.\n---\nA second passage on another point.",
        "The notice must be given within 60 days.",
    )
    heatmap = Heatmap(page).ready()
    expect(heatmap.best).to_contain_text("within 30 days")
    expect(page.locator(".strip .fact")).to_have_text(["60 days"])
    heatmap.sentences.first.click()
    link = parse_qs(urlsplit(page.url).query)
    assert link == {"case": ["pasted-1"], "method": [recommended_here().id], "sentence": ["1"]}
    expect(page.locator(".pane h3").first).to_have_text("Rule 1")


def test_hostile_text_is_shown_as_text_everywhere(page: Page, server: str, tmp_path: Path) -> None:
    paste(page, server, HOSTILE, f"Source: {HOSTILE}\n{HOSTILE}\n---\n{HOSTILE}", HOSTILE)
    heatmap = Heatmap(page).ready()
    expect(page.locator("h1")).to_contain_text("<script>alert(1)</script>")
    assert "<img src=x onerror=alert(2)>" in page.locator(".pane").first.inner_text()
    assert "$x$ and $5" in page.locator(".pane").nth(1).inner_text()
    for i in range(heatmap.sentences.count()):
        heatmap.sentences.nth(i).click()
    page.get_by_role("button", name="Matrix").click()
    got = downloaded(page.get_by_role("button", name="Web page"))
    got.save_as(tmp_path / "result.html")
    saved = page.context.new_page()
    saved.goto((tmp_path / "result.html").as_uri())
    assert "<script>alert(1)</script>" in saved.locator("h1").inner_text()
    page.get_by_role("link", name="Cases").click()
    idle(page)
    open_tab(page, "Samples and loaded cases")
    # One word is not assessable where a method says so.
    open_tab(page, "Paste")
    paste(page, "", "", "The court granted the motion. It did so in writing.", "Yes")
    expect(page.locator(".strip tr", has_text="Quoted words")).to_contain_text("Not assessable", timeout=60_000)


@pytest.mark.release
@pytest.mark.skipif(not SHARED.is_dir(), reason="the public data sets are not beside this checkout")
@pytest.mark.parametrize(
    ("name", "read", "case"),
    [
        ("contractnli_dev.jsonl.gz", "1,037 usable cases; recognised as ContractNLI", "cnli-dev-3-nda-11"),
        ("ragbench_expertqa.jsonl.gz", "391 usable cases; recognised as RAGBench", "expertqa_1839"),
    ],
)
def test_public_data_sets_load_and_open(page: Page, server: str, name: str, read: str, case: str) -> None:
    upload(page, server, SHARED / name)
    expect(page.get_by_text(read)).to_be_visible(timeout=30_000)
    page.get_by_role("button", name="Open the first case").click()
    heatmap = Heatmap(page).ready()
    assert case in page.url
    expect(heatmap.best).to_have_count(1)
    expect(heatmap.best).to_be_in_viewport()


@pytest.mark.release
def test_a_huge_context_shows_progress_and_can_be_cancelled(page: Page, server: str, tmp_path: Path) -> None:
    sentence = "Paragraph {} of the agreement says that party {} must give notice within {} days. "
    passages = ["".join(sentence.format(i, j, i + j) for j in range(125)) for i in range(200)]
    case = {"id": "huge", "query": "Huge", "context": passages, "response": "Party 5 must give notice within 9 days."}
    path = tmp_path / "huge.jsonl"
    path.write_text(json.dumps(case), encoding="utf-8")
    assert path.stat().st_size > 2_000_000
    upload(page, server, path)
    page.get_by_role("button", name="Open the first case").click(timeout=30_000)
    # First the case itself is read beside the app.
    page.get_by_text(re.compile("Scoring, ")).first.wait_for(timeout=60_000)
    cancelled = page.get_by_text("Cancelled. Finished methods are shown.")
    for _ in range(4):
        page.get_by_role("button", name="Cancel").click(timeout=60_000)
        try:
            cancelled.wait_for(timeout=20_000)
        except TimeoutError:
            # A click can come between two redraws, of which a case as large as this one has few.
            continue
        break
    expect(cancelled).to_be_visible()
    expect(page.locator(".strip tbody tr", has_text="Overlap").locator(".cell")).to_have_count(1)
    page.locator(".pane .s").click()
    expect(page.locator(".c.best")).to_be_in_viewport()


def test_a_file_that_takes_long_shows_so_and_can_be_cancelled(page: Page, server: str, tmp_path: Path) -> None:
    slow = tmp_path / "slow.json.gz"
    slow.write_bytes(gzip.compress(b"[" + b'{"a":{}},' * 6_000_000 + b"{}]", 1))
    upload(page, server, slow)
    expect(page.get_by_role("status").get_by_text("Reading, ")).to_be_visible(timeout=30_000)
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Nothing was read: you cancelled it.")).to_be_visible()
    idle(page)
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    # The same page still reads: nothing waits for what was cancelled.
    good = tmp_path / "good.csv"
    good.write_text("query,context,response\nq,c,r\n")
    upload(page, server, good)
    expect(page.get_by_text("good.csv: 1 row read, 1 usable case")).to_be_visible()


def test_a_pasted_case_is_there_again_for_this_browser_alone(page: Page, server: str, browser: Browser) -> None:
    paste(page, server, f"Kept? {WATCHWORD}", "Source: Rule 1\nIt is due within 30 days.", "It is due within 60 days.")
    Heatmap(page).ready()
    page.reload()
    Heatmap(page).ready()
    expect(page.locator("h1")).to_contain_text("Kept?")
    link = page.url
    # Tomorrow: another session of the same browser.
    page.goto(f"{server}/cases")
    idle(page)
    expect(page.get_by_text(f"Kept? {WATCHWORD}")).to_be_visible()
    assert "groundscope_browser" not in page.evaluate("document.cookie")
    with browser.new_context() as others:
        other = others.new_page()
        other.goto(link)
        idle(other)
        expect(other.locator("h1")).to_have_text("This case is not here")
    page.get_by_role("button", name="Forget", exact=True).click()
    expect(page.get_by_text(f"Kept? {WATCHWORD}")).to_have_count(0)
    page.goto(link)
    idle(page)
    expect(page.locator("h1")).to_have_text("This case is not here")
    page.goto(f"{server}/cases")
    idle(page)
    page.locator("label", has_text="Keep pasted cases").click()
    idle(page)
    paste(page, "", "Second?", "It is due.", "It is due then.")
    Heatmap(page).ready()
    page.goto(f"{server}/cases")
    idle(page)
    expect(page.get_by_role("checkbox", name="Keep pasted cases")).not_to_be_checked()
    expect(page.get_by_text("Pasted before")).to_have_count(0)
