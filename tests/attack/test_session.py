"""A real session in a real Chromium: hostile texts drawn, uploads that the server must refuse, and a model that was persuaded."""

import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Page, Request, expect

from tests.attack.tally import Tally
from tests.attack.texts import COUNT, TEXTS
from tests.browser.asking.asking_page import App, Methods, go, row
from tests.browser.conftest import idle
from tests.browser.site import Site
from tests.browser.test_entry import CASE_FILES
from tests.injections import ATTACKS
from tests.llm_server import Asked

TOGETHER = 20
_LIVE = """() => [...document.querySelectorAll('.groundscope *, [data-testid=stHtml] *')].filter(e =>
  /^(script|iframe|object|embed|base|meta|link|form|svg|math|video|template)$/i.test(e.tagName)
  || [...e.attributes].some(a => a.name.startsWith('on')
    || (['href', 'src'].includes(a.name) && /attack\\.invalid|javascript:/.test(a.value)))
).map(e => e.outerHTML.slice(0, 200))"""
LIMIT = 25 * 1024 * 1024


def check(page: Page, address: str, context: str, response: str) -> None:
    """Paste a case, and wait for the heatmap."""
    if not page.url.startswith(f"{address}/cases"):
        page.get_by_role("link", name="Cases", exact=True).click()
        page.wait_for_url("**/cases")
    idle(page)
    tab = page.get_by_role("tab", name="Paste", exact=True)
    tab.click()
    page.get_by_role("textbox", name="Question").fill("Is the rent due?")
    page.get_by_role("textbox", name="Text of source 1").fill(context)
    page.get_by_role("textbox", name="Response: the answer to check").fill(response)
    page.get_by_role("button", name="Check the answer").click()
    page.locator(".strip .cell").first.wait_for(timeout=240_000)
    idle(page)


def test_a_browser_draws_hostile_texts_as_text(page: Page, the_site: Site, tried: Tally) -> None:
    page.goto(f"{the_site.address}/cases")
    for first in range(0, COUNT, TOGETHER):
        texts = [t.replace("\x00", "")[:1_500] for t in TEXTS[first : first + TOGETHER]]
        text = "\n\n".join(texts)
        check(page, the_site.address, f"The rent is due. {text}", text)
        live = page.evaluate(_LIVE)
        for one in texts:
            with tried("browser", one):
                assert live == []
                # Supports stand between sentences, so that only words stay whole; "Source:" names a passage.
                if word := max(re.findall(r"[A-Za-z]{4,}", one.removeprefix("Source:")), key=len, default="")[:40]:
                    expect(page.locator(".pane").last).to_contain_text(word, timeout=2_000)


def _send(request: Request, content: bytes, **changes: str | None) -> int:
    """The upload of a real session once more, with other content and headers; gives the server's answer."""
    kept = {k: v for k, v in request.all_headers().items() if not k.startswith(":") and k not in {"content-length", "host"}}
    headers = {**kept, **{k.replace("_", "-"): v for k, v in changes.items()}}
    boundary = "attackboundary"
    headers["content-type"] = f"multipart/form-data; boundary={boundary}"
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n'.encode()
    sent = urllib.request.Request(
        request.url, data=head + content + f"\r\n--{boundary}--\r\n".encode(), method=request.method,
        headers={k: v for k, v in headers.items() if v is not None},
    )  # fmt: skip
    try:
        with urllib.request.urlopen(sent, timeout=120) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        # It closed the connection on what it does not read.
        return 413


def test_an_upload_that_the_page_would_not_send_is_refused_by_the_server(page: Page, the_site: Site, tried: Tally) -> None:
    page.goto(f"{the_site.address}/cases?from=upload")
    idle(page)
    good = json.dumps({"query": "q", "context": ["Rent is due."], "response": "Rent is due."}).encode()
    with page.expect_request(lambda r: r.method in {"PUT", "POST"} and "upload" in r.url) as waiting:
        page.locator(CASE_FILES).set_input_files({"name": "a.jsonl", "mimeType": "", "buffer": good})
    idle(page)
    request = waiting.value
    with tried("limits", "control: the same upload is taken"):
        assert _send(request, good) < 300
    for size in (LIMIT + 1, LIMIT + 5_000_000, 4 * LIMIT):
        with tried("limits", f"{size:,} bytes"):
            assert _send(request, b"x" * size) in {400, 413}
    cookie = request.all_headers().get("cookie", "")
    without = "; ".join(one for one in cookie.split("; ") if not one.startswith("_streamlit_xsrf")) or None
    changes: tuple[dict[str, str | None], ...] = (
        {"x_xsrftoken": None}, {"x_xsrftoken": "2|0|0|0"}, {"x_xsrftoken": ""}, {"cookie": without}, {"cookie": None},
    )  # fmt: skip
    for change in changes:
        with tried("limits", f"XSRF {change}"):
            assert _send(request, good, **change) == 403
    with tried("limits", "a session that is not there"):
        address, _, file = request.url.rpartition("/")
        other = address.rpartition("/")[0] + "/00000000-0000-0000-0000-000000000000/" + file
        elsewhere: Any = SimpleNamespace(url=other, method=request.method, all_headers=request.all_headers)
        assert _send(elsewhere, good) >= 400
    with tried("limits", "the page refuses it in words"):
        big = {"name": "big.jsonl", "mimeType": "", "buffer": b"x" * (LIMIT + 1)}
        page.locator(CASE_FILES).set_input_files(big)
        expect(page.get_by_text("must be 25", exact=False)).to_be_visible()


@pytest.fixture
def asking(the_site: Site) -> Iterator[App]:
    app = App(the_site)
    app.fresh()
    honest = app.server.answer
    yield app
    app.server.answer = honest
    app.fresh()


FORGED = [attack for attack in ATTACKS if attack.name.startswith("forged direct")]
WRONG, RIGHT = "The tenant never has to pay anything at all.", "The tenant must pay within five days."


def test_a_persuaded_model_is_shown_as_that_model_beside_the_others(page: Page, asking: App, tried: Tally) -> None:
    Methods(page, asking).use(address=asking.here)
    for attack in FORGED:
        answer = WRONG if attack.wants else RIGHT

        def persuaded(asked: Asked, said: str = attack.text) -> str:
            return f"<answer-{asked.marker}>{said}</answer-{asked.marker}>" if asked.marker else said

        asking.server.answer = persuaded
        source = "Under section 4 a tenant must pay within five days of notice."
        texts = (f"{source} {attack.text}", answer) if attack.where == "context" else (source, f"{answer} {attack.text}")
        go(page, "Cases")
        check(page, asking.address, *texts)
        with tried("persuaded", f"{attack.name}: the badge"):
            badge = page.locator(".gs-badge", has_text="Contains instructions to a model")
            expect(badge).to_contain_text("read these places yourself")
        judged = row(page, "Direct prompting")
        with tried("persuaded", f"{attack.name}: its own verdict, under its own name"):
            # The row is there before the model has answered.
            expect(judged.locator(".cell").first).to_be_visible(timeout=60_000)
            assert asking.calls() > 0
        with tried("persuaded", f"{attack.name}: the deterministic methods beside it"):
            assert page.locator(".strip tbody tr").count() > 1
            others = page.locator(".strip tbody tr").filter(has=page.locator(".m"), has_not_text="Direct prompting")
            expect(others.first.locator(".cell").first).to_be_visible()
