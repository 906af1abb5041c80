"""The review page: blind by what is sent, decided by keys, kept at once, in two windows, and under hostile names."""

import os
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from subprocess import Popen

import numpy as np
import pytest
from docx import Document
from docx.oxml import parse_xml
from docx.oxml.ns import qn
from playwright.sync_api import Page, WebSocket, WebSocketRoute, expect

from benchmarks.reviewing.relay import Relay
from components import case_sets
from groundscope.cases.dataset import read
from groundscope.findings import findings_of
from groundscope.grounding.runs.listing import read as read_run
from groundscope.grounding.runs.listing import samples
from groundscope.paths import Variable
from groundscope.review.decisions import WHOLE, case_key
from groundscope.review.store import ReviewStore
from groundscope.storage.database import FILE, Database
from tests.browser.conftest import downloaded, idle
from tests.browser.site import Site, log_faults, started
from tests.browser.test_entry import HOSTILE, paste

METHODS = ("Overlap", "COS_SIM MiniLM", "Grounding classifier", "QUIP")
VARIANT = next(c for c in case_sets.sets()[case_sets.SAMPLES].cases if c.id == "overtime-exempt-a")
KEY = case_key(VARIANT)


@pytest.fixture
def store(the_site: Site) -> Iterator[ReviewStore]:
    """The app's own store, empty before and after."""
    store = ReviewStore(Database.at(the_site.data / FILE))
    for key in {d.case for d in store.all()}:
        store.forget(key)
    for one in store.queues.all():
        store.queues.withdraw(one.number)
    yield store
    for key in {d.case for d in store.all()}:
        store.forget(key)
    store.close()


def begin(page: Page, address: str, name: str = "Ada", key: str = KEY) -> Page:
    """Open a case for review under a name."""
    # A browser keeps the name of its reviewer.
    page.context.clear_cookies()
    page.goto(f"{address}/review?reviewed={key}")
    page.get_by_role("textbox", name="Your name").fill(name)
    page.keyboard.press("Enter")
    page.locator(".reviewhead").wait_for()
    idle(page)
    return page


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)
    saved(page)


def saved(page: Page) -> None:
    expect(page.locator(".saved")).to_have_text(re.compile(r"^Saved \d\d:\d\d UTC$"))
    idle(page)


def test_a_blind_session_receives_nothing_of_methods_labels_and_others(page: Page, server: str, store: ReviewStore) -> None:
    frames: list[bytes] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: frames.append(frame if isinstance(frame, bytes) else frame.encode()))

    page.on("websocket", listen)
    begin(page, server, "Bo")
    press(page, "1", "3")
    expect(page.locator(".progress")).to_have_text(re.compile(r"^2 of \d+ read$"))
    blind = b"".join(frames)
    whys = [f.why for f in findings_of(VARIANT).findings]
    assert whys
    hidden = [*METHODS, VARIANT.id, *(e.why for e in VARIANT.errors if e.why), "ungrounded", *whys]
    assert [word for word in hidden if word.encode() in blind] == []
    assert VARIANT.response[:40].encode() in blind
    # Another person's decisions are as blind.
    begin(page, server, "Ada")
    assert b"not supported" in blind
    expect(page.locator(".s.ruled")).to_have_count(0)
    press(page, "4")
    assert [word for word in hidden if word.encode() in b"".join(frames)] == []
    page.get_by_role("button", name="Reveal what methods, labels and others say").click()
    table = page.get_by_role("region", name="What others say")
    for head in ("You", "Bo", "Gold label", *METHODS[:2]):
        expect(table.get_by_role("columnheader", name=head, exact=True)).to_be_visible(timeout=60_000)
    expect(page.get_by_text(re.compile(r"Same as you, .* gold labels \d of 1; .*\bOverlap \d of 1"))).to_be_visible(
        timeout=60_000
    )
    listed = page.get_by_role("region", name="Findings")
    for why in whys:
        expect(listed).to_contain_text(why)
        expect(page.locator(".pane .s .hidden").filter(has_text=why)).to_have_count(1)
    last = findings_of(VARIANT).findings[-1].sentence + 1
    listed.get_by_role("button", name=f"Sentence {last}", exact=True).first.click()
    expect(page.locator(".s[aria-selected=true]")).to_contain_text(whys[-1])
    got = Document(downloaded(page.get_by_role("button", name="Report (DOCX)")).path())
    facts = [p.text for p in got.paragraphs]
    assert f"Question: {VARIANT.query}" in facts
    headline = listed.get_by_role("heading").inner_text()
    assert [text for text in facts if text.startswith(f"Screening: {headline.partition(':')[0]}")]
    assert all(any(why in cell.text for row in got.tables[0].rows for cell in row.cells) for why in whys)
    press(page, "1")
    decided = [(d.reviewer, d.blind, d.decision.ruling) for d in store.history(KEY)]
    assert decided == [
        ("Bo", True, "supported"),
        ("Bo", True, "not supported"),
        ("Ada", True, "contradicted"),
        ("Ada", False, "supported"),
    ]


def test_a_case_is_decided_by_keys_alone_and_is_there_again(page: Page, server: str, store: ReviewStore) -> None:
    begin(page, server)
    press(page, "1", "2", "s", "ArrowDown", "ArrowDown", "Enter")
    expect(page.locator(".reviewhead b")).to_have_text("Sentence 2")
    page.keyboard.press("t")
    page.keyboard.press("f")
    page.keyboard.press("Escape")
    page.keyboard.press("w")
    word = page.locator(".s[data-i='1']").inner_text().split()[0]
    page.keyboard.type(word)
    page.keyboard.press("Escape")
    expect(page.locator(".reviewhead b")).to_have_text("Sentence 2")
    page.keyboard.press("n")
    page.keyboard.type("Why? 1 2 3 <b>")
    page.keyboard.press("Enter")
    expect(page.locator(".reviewhead b")).to_have_text("Sentence 3")
    saved(page)
    now = store.current(KEY, "Ada")
    assert [str(d.decision.ruling) for d in now.values()] == ["supported", "partly supported"]
    decision = now[1].decision
    assert (decision.type, decision.note) == ("factual_inaccuracy", "Why? 1 2 3 <b>")
    assert decision.span
    assert VARIANT.response[slice(*decision.span)] == word
    assert decision.rests_on
    assert decision.rests_on.passage == 0
    assert decision.rests_on.start > 0
    # What is taken back is open again, so that the next key is of its sentence.
    press(page, "u")
    expect(page.locator(".reviewhead b")).to_have_text("Sentence 2")
    assert store.current(KEY, "Ada")[1].decision.note == ""
    page.keyboard.press("n")
    page.keyboard.type("Why? 1 2 3 <b>")
    page.keyboard.press("Escape")
    page.keyboard.press("w")
    page.keyboard.type("Quagmire")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("Not in sentence 2: “Quagmire”")
    expect(page.get_by_role("textbox", name="Wrong words of sentence 2")).to_be_focused()
    # Another day: the same name finds what was decided, and a link opens the same case.
    other = begin(page.context.new_page(), server)
    expect(other.locator(".s.ruled")).to_have_count(2)
    expect(other.get_by_role("textbox", name="Note")).to_have_value("")
    got = downloaded(other.get_by_role("button", name="Download my decisions as labelled cases"))
    (case,) = read("a.jsonl", Path(got.path()).read_bytes()).cases
    assert case.grounded is False
    assert [(e.type, e.why) for e in case.errors] == [("factual_inaccuracy", "Why? 1 2 3 <b>")]
    other.get_by_role("button", name="Delete this case's decisions").click()
    other.get_by_role("button", name="Delete", exact=True).click()
    expect(other.locator(".s.ruled")).to_have_count(0)
    assert store.all() == ()


def test_what_is_typed_lands_on_the_sentence_it_was_typed_for(page: Page, server: str, store: ReviewStore) -> None:
    begin(page, server)
    # The sequence of docs/review.md, as fast as keys come.
    for key in ("4", "n"):
        page.keyboard.press(key)
    expect(page.get_by_role("textbox", name="Note on sentence 1")).to_be_focused()
    page.keyboard.type("reason")
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Note on sentence 2")).to_have_value("")
    # A note that is left for another sentence by the mouse, with a redraw while it is typed.
    page.keyboard.press("3")
    page.keyboard.press("n")
    page.keyboard.type("second, ")
    saved(page)
    # Streamlit's dialog takes the focus while the server is away: what is typed meanwhile decides nothing.
    dialog = '<div role="dialog"><button id="away">Away</button></div>'
    page.evaluate("(html) => document.body.insertAdjacentHTML('beforeend', html)", dialog)
    page.evaluate("document.getElementById('away').focus()")
    page.keyboard.type("145")
    page.evaluate("document.getElementById('away').parentNode.remove()")
    page.keyboard.type("to the end")
    page.locator(".pane .s").nth(2).click()
    expect(page.get_by_role("textbox", name="Note on sentence 3")).to_have_value("")
    # A note right behind an undo of what it was written for brings nothing back.
    for key in ("4", "u", "n"):
        page.keyboard.press(key)
    page.keyboard.type("third")
    # From the field to the whole answer.
    page.locator(".pane .s.whole").click()
    expect(page.get_by_text("Whole answer rests on: no passage chosen")).to_be_visible()
    page.keyboard.press("2")
    page.keyboard.press("n")
    page.keyboard.type("of all")
    # Behind the whole answer Enter opens the next unread case, at its first sentence.
    page.keyboard.press("Enter")
    expect(page).not_to_have_url(re.compile(KEY))
    expect(page.locator(".s.ruled")).to_have_count(0)
    expect(page.locator(".pane .s[aria-selected=true]")).to_be_focused()
    now = {i: (d.decision.ruling, d.decision.note) for i, d in store.current(KEY, "Ada").items()}
    assert now == {
        0: ("contradicted", "reason"),
        1: ("not supported", "second, to the end"),
        2: (None, "third"),
        WHOLE: ("partly supported", "of all"),
    }


def test_what_the_source_says_is_taken_with_one_key_and_is_a_tracked_change(page: Page, server: str, store: ReviewStore) -> None:
    begin(page, server)
    page.locator(".pane .s:not(.heading)").first.click()
    press(page, "4")
    page.locator(".pane .s:not(.heading)").first.click()
    correction = page.get_by_role("group", name="Correction of sentence 1")
    expect(correction).to_contain_text("Choose the passage (s), to quote what it says here.")
    for key in ("s", "ArrowDown", "Enter", "Escape", "c"):
        page.keyboard.press(key)
    saved(page)
    (stored,) = store.current(KEY, "Ada").values()
    taken = stored.decision.correction
    assert taken
    assert taken.place == stored.decision.rests_on
    assert taken.place
    words = VARIANT.context[taken.place.passage].text[taken.place.start : taken.place.end]
    expect(page.locator(".pane .s ins")).to_have_text(f"“{words}”")
    # Enter takes the passage, and takes it once.
    for key in ("s", "Enter"):
        page.keyboard.press(key)
    assert [d.decision.rests_on for d in store.current(KEY, "Ada").values()] == [taken.place]
    # Fewer words of the source, and no others.
    page.keyboard.press("q")
    page.keyboard.press("Control+a")
    page.keyboard.type("Quagmire")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("These words are not in the sentence of the source.")
    field = page.get_by_role("textbox", name="Quoted words for sentence 1")
    expect(field).to_be_focused()
    fewer = " ".join(words.split()[1:4])
    field.fill(fewer)
    field.press("Escape")
    expect(page.locator(".pane .s ins")).to_have_text(f"“{fewer}”")
    saved(page)
    with zipfile.ZipFile(downloaded(page.get_by_role("button", name="Redline (DOCX)")).path()) as file:
        document = parse_xml(file.read("word/document.xml"))
    assert [t.text for ins in document.iter(qn("w:ins")) for t in ins.iter(qn("w:t"))] == [f"“{fewer}”"]
    press(page, "c")
    expect(page.locator(".pane .s :is(ins, .goes)")).to_have_count(0)
    assert [d.decision.correction for d in store.current(KEY, "Ada").values()] == [None]
    press(page, "x")
    expect(page.locator(".pane .s .goes")).not_to_have_count(0)
    press(page, "1")
    assert [d.decision.correction for d in store.current(KEY, "Ada").values()] == [None]


def test_what_the_server_never_heard_is_saved_when_the_page_is_opened_again(page: Page, server: str, store: ReviewStore) -> None:
    cut: list[bool] = []
    unheard: list[bytes] = []

    def between(near: WebSocketRoute) -> None:
        far = near.connect_to_server()
        near.on_message(lambda message: unheard.append(bytes(message)) if cut else far.send(message))

    page.route_web_socket(re.compile("_stcore/stream"), between)
    begin(page, server)
    press(page, "1")
    cut.append(True)
    for key in ("4", "n"):
        page.keyboard.press(key)
    page.keyboard.type("The act says otherwise.")
    page.keyboard.press("Enter")
    expect(page.locator(".saved")).to_have_text("Saving …")
    assert list(store.current(KEY, "Ada")) == [0]
    # A server that came back does not hear what equals the state that it began with.
    tries = [max(map(int, counts)) for m in unheard if (counts := re.findall(rb'"sent":(\d+)', m))]
    assert len(tries) > 1
    assert tries == sorted(set(tries))
    cut.clear()
    # Another person at the same browser sends nothing of it.
    begin(page, server, "Bo")
    expect(page.locator(".s.ruled")).to_have_count(0)
    begin(page, server)
    saved(page)
    expect(page.locator(".reviewhead b")).to_have_text("Sentence 3")
    decided = [(d.reviewer, d.decision.sentence, d.decision.ruling, d.decision.note) for d in store.history(KEY)]
    contradicted = ("Ada", 1, "contradicted")
    assert decided == [("Ada", 0, "supported", ""), (*contradicted, ""), (*contradicted, "The act says otherwise.")]


@pytest.mark.parametrize("cut", [False, True], ids=["late", "cut"])
def test_a_correction_asked_for_before_the_offer_came_lands_on_its_sentence(
    page: Page, server: str, store: ReviewStore, *, cut: bool
) -> None:
    holds: list[bool] = []
    held: list[Callable[[], None]] = []

    def between(near: WebSocketRoute) -> None:
        far = near.connect_to_server()
        near.on_message(lambda m: held.append(partial(far.send, m)) if holds else far.send(m))

    page.route_web_socket(re.compile("_stcore/stream"), between)
    begin(page, server)
    holds.append(True)
    for key in ("4", "s", "ArrowDown", "Enter", "c", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".reviewhead b")).to_have_text("Sentence 2")
    holds.clear()
    if cut:
        begin(page, server)
    else:
        for send in held:
            send()
    saved(page)
    decision = store.current(KEY, "Ada")[0].decision
    assert decision.correction
    assert decision.correction.place == decision.rests_on
    expect(page.locator(".pane .s ins")).to_have_count(1)
    # A sentence whose passage was never chosen: the page says so.
    holds.append(True)
    for key in ("3", "c"):
        page.keyboard.press(key)
    holds.clear()
    saved(page)
    expect(page.get_by_text("Sentence 2: not corrected, for its passage offers no words to quote.")).to_be_visible()


@pytest.mark.release
def test_what_a_killed_server_never_heard_arrives_once_on_its_sentence(page: Page, tmp_path: Path) -> None:
    relay, log = Relay(), tmp_path / "log.txt"
    own = {k: v for k, v in os.environ.items() if not k.startswith("GROUNDSCOPE_")}
    own |= {"GROUNDSCOPE_DATA": str(tmp_path), Variable.HOSTS: relay.address.removeprefix("http://")}

    def start() -> Popen[bytes]:
        server, address = started(log, own)
        relay.port = int(address.rsplit(":", 1)[1])
        return server

    server = start()
    try:
        begin(page, relay.address)
        press(page, "1")
        server.kill()
        server.wait()
        for key in ("4", "n"):
            page.keyboard.press(key)
        page.keyboard.type("The act says otherwise.")
        page.keyboard.press("Enter")
        # Another sentence is open when the server is back, which hears of the one before.
        expect(page.locator(".reviewhead b")).to_have_text("Sentence 3")
        expect(page.locator(".saved")).to_have_text("Saving …")
        server = start()
        saved(page)
        with closing(ReviewStore(Database.at(tmp_path / FILE))) as store:
            decided = [(d.decision.sentence, d.decision.ruling, d.decision.note) for d in store.history(KEY, "Ada")]
        assert decided == [(0, "supported", ""), (1, "contradicted", ""), (1, "contradicted", "The act says otherwise.")]
        assert log_faults(log.read_text(encoding="utf-8", errors="replace")) == []
    finally:
        server.kill()
        server.wait()
        relay.close()


def test_quick_keys_lose_nothing_and_two_windows_keep_both(page: Page, server: str, store: ReviewStore) -> None:
    begin(page, server)
    claims = page.locator(".pane .s[data-i]:not(.heading):not(.whole)").count()
    for i in range(claims):
        page.keyboard.press(str(i % 5 + 1))
        if i % 5:
            page.keyboard.press("Enter")
    saved(page)
    expect(page.locator(".progress")).to_have_text(f"{claims} of {claims} read")
    rulings = ("supported", "partly supported", "not supported", "contradicted", "cannot say")
    assert [str(d.decision.ruling) for d in store.history(KEY, "Ada")] == [rulings[i % 5] for i in range(claims)]
    other = begin(page.context.new_page(), server)
    page.locator(".pane .s").first.click()
    press(page, "5")
    other.locator(".pane .s").first.click()
    press(other, "4")
    expect(other.get_by_text(re.compile("Another window of yours decided “cannot say” for sentence 1"))).to_be_visible()
    # The first window hears of it without a click, and shows what counts now.
    expect(page.get_by_text(re.compile("Another window of yours decided “contradicted” for sentence 1"))).to_be_visible()
    expect(page.locator(".s.ruled").first).to_contain_text("contradicted")
    assert [str(d.decision.ruling) for d in store.history(KEY, "Ada")][claims:] == ["cannot say", "contradicted"]
    # A note of one window stands beside what the other has decided since.
    other.locator(".pane .s").nth(1).click()
    other.keyboard.press("n")
    other.keyboard.type("mine")
    page.locator(".pane .s").nth(1).click()
    press(page, "4")
    other.keyboard.press("Enter")
    saved(other)
    second = store.current(KEY, "Ada")[1].decision
    assert (second.ruling, second.note) == ("contradicted", "mine")


def test_hostile_names_and_texts_are_text(page: Page, server: str, store: ReviewStore) -> None:
    paste(page, server, HOSTILE, f"{HOSTILE}. The notice is due.", f"{HOSTILE}. It is due.")
    page.locator(".pane .s").nth(1).click()
    page.keyboard.press("d")
    page.get_by_role("textbox", name="Your name").fill("  ")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Enter your name: your decisions are saved under it.")).to_be_visible()
    idle(page)
    page.get_by_role("textbox", name="Your name").fill(HOSTILE[:80])
    page.get_by_role("button", name="Begin").click()
    # The case that was open in the heatmap is the one to review, at the sentence that was read.
    expect(page.locator(".pane .s").first).to_contain_text(HOSTILE[:20])
    expect(page.locator(".reviewhead b")).to_have_text("Sentence 2")
    expect(page.get_by_text("You have seen the findings: decisions count as made with them in view.")).to_be_visible()
    expect(page.get_by_role("region", name="Findings")).to_have_count(0)
    idle(page)
    press(page, "3")
    assert [d.blind for d in store.all()] == [False]
    page.get_by_role("button", name="Decide with the findings in view").click()
    expect(page.get_by_role("region", name="Findings")).to_be_visible()
    expect(page.get_by_role("region", name="What others say")).to_contain_text("not supported", timeout=60_000)
    assert [d.reviewer for d in store.all()] == [" ".join(HOSTILE[:80].split())]
    expect(page.locator("main img, .pane b, .gs-counts b")).to_have_count(0)
    idle(page)
    page.get_by_role("button", name="Back to the findings").click()
    expect(page.locator(".pane .s[aria-selected=true]")).to_contain_text("Sentence 2")


def test_a_queue_of_doubtful_cases_is_assigned_to_another_person(page: Page, server: str, store: ReviewStore) -> None:
    begin(page, server)
    page.get_by_role("button", name="Queue", exact=True).click()
    page.get_by_role("combobox", name="Set or run").click()
    page.get_by_role("option", name=re.compile("^Run: Offline methods · comes with the app")).click()
    idle(page)
    page.get_by_role("combobox", name="Order").click()
    page.get_by_role("option", name="lowest support first").click()
    expect(page.get_by_text(re.compile("^This order is based on method scores"))).to_be_visible()
    idle(page)
    page.get_by_role("spinbutton", name="Cases, 0 = all").fill("3")
    page.keyboard.press("Tab")
    idle(page)
    page.get_by_text("Assign it to reviewers").click()
    page.get_by_role("textbox", name="Names, separated by commas").fill("Bo, Cy <b>")
    page.get_by_role("textbox", name="Title of the queue").fill("Doubtful & <i>")
    page.keyboard.press("Tab")
    idle(page)
    page.get_by_role("button", name="Assign this queue").click()
    expect(page.get_by_text("3 cases assigned to Bo, Cy <b>; they find it at the start of Review.")).to_be_visible()
    (made,) = store.queues.all()
    run = read_run(samples()[0])
    weakest = np.argsort(np.nan_to_num(run.lowest[0], nan=1.0), kind="stable")
    wanted = {float(run.lowest[0][row]) for row in weakest[:3]}
    cases = store.cases(made.keys)
    assert {float(run.lowest[0][list(run.ids).index(c.id)]) for c in cases.values()} == wanted
    other = page.context.new_page()
    page.context.clear_cookies()
    other.goto(f"{server}/review")
    other.get_by_role("textbox", name="Your name").fill("Bo")
    other.keyboard.press("Enter")
    expect(other.get_by_text("Queue 1: Doubtful & <i>: 3 cases, 3 unread")).to_be_visible()
    # Another visit of this browser, with no name in the address, begins where this one is.
    other.reload()
    expect(other.get_by_text("You review as Bo. Open what waits to be read, or begin something new.")).to_be_visible()
    assert "Bo" not in other.url
    idle(other)
    other.get_by_role("button", name="Open", exact=True).first.click()
    expect(other.get_by_role("button", name="Case 1 of 3")).to_be_visible()
    idle(other)
    claims = other.locator(".pane .s[data-i]:not(.heading):not(.whole)").count()
    press(other, *["1"] * claims)
    other.get_by_role("tab", name="Agreement").click()
    expect(other.get_by_role("region", name="Queues")).to_contain_text("Bo 1 of 3, Cy <b> 0 of 3")
    idle(other)
    other.get_by_role("button", name="Withdraw a queue").click()
    other.get_by_role("button", name="Withdraw", exact=True).click()
    expect(other.get_by_role("region", name="Queues")).to_have_count(0)
    assert len(store.cases(made.keys)) == 1
