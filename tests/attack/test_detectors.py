"""A detector that catches nothing proves nothing: each is shown what it is for, and must catch it."""

import gzip
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import zipfile
import zlib
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from playwright.sync_api import Browser
from streamlit.testing.v1 import AppTest

from tests.attack.detectors import live_markup, live_page, running, traces
from tests.attack.tally import BEGIN, END, ROWS, Tally
from tests.attack.texts import FOREIGN
from tests.browser.conftest import watching
from tests.browser.site import KEY, WATCHWORD, log_faults

CANARY = "Thrushwillow-5512"


def test_a_script_that_runs_and_a_request_that_leaves_are_caught(browser: Browser, tried: Tally) -> None:
    profile = browser.new_context()
    with watching(profile) as seen:
        page = profile.new_page()
        page.set_content(f"<img src=x onerror=alert(1)><img src='http://{FOREIGN}/p.png'><script>throw new Error('x')</script>")
        page.evaluate(f"() => {{ try {{ new WebSocket('ws://{FOREIGN}/w') }} catch (e) {{}} }}")
        page.wait_for_timeout(500)
    profile.close()
    for name in ("dialogs", "foreign", "errors"):
        with tried("controls", name):
            assert getattr(seen, name)
    with tried("controls", "websocket"):
        assert any(url.startswith("ws:") for url in seen.foreign)


def _live_app() -> None:
    import streamlit as st

    st.html("<style>p{background:url(http://attack.invalid/a)}</style><img src=x onerror=alert(1)>")
    st.markdown("![x](http://attack.invalid/x)")
    st.button("[x](http://attack.invalid/)")
    st.selectbox("$x$", ["a"])


def test_live_markup_is_caught(tried: Tally) -> None:
    found = live_page(AppTest.from_function(_live_app).run())
    for wanted in ("img onerror", "style", "markdown:", "button:", "selectbox:"):
        with tried("controls", wanted):
            assert any(one.startswith(wanted) for one in found), found
    for html in ("<script>", "<a href=' javascript:x'>", "<p onclick=x>", "<b style='background:url(x)'>", "<svg/onload=x>"):
        with tried("controls", html):
            assert live_markup(html)
    with tried("controls", "what is escaped is not live"):
        assert live_markup("<p class='a' dir='auto'>&lt;script&gt; onerror=alert(1)</p><a href='#x'>x</a>") == []


def _sqlite(path: Path, *, delete: bool) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA secure_delete = OFF")
        db.execute("CREATE TABLE t (content BLOB)")
        packed = zlib.compress(json.dumps({"response": f"{CANARY} {os.urandom(9_000).hex()}"}).encode())
        db.execute("INSERT INTO t VALUES (?)", (packed,))
        db.commit()
        if delete:
            db.execute("DELETE FROM t")
            db.commit()


def test_a_text_on_the_disk_is_caught_wherever_it_lies(tmp_path: Path, tried: Tally) -> None:
    (tmp_path / "plain").write_text(f"x {CANARY} x", "utf-8")
    (tmp_path / "wide").write_text(CANARY, "utf-16")
    (tmp_path / f"named {CANARY}").touch()
    (tmp_path / "a.gz").write_bytes(gzip.compress(CANARY.encode()))
    (tmp_path / "stream").write_bytes(b"abc" + zlib.compress(CANARY.encode()))
    pq.write_table(pa.table({"text": [CANARY] * 50}), tmp_path / "a.parquet", compression="zstd")
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inside", CANARY)
    _sqlite(tmp_path / "kept.sqlite", delete=False)
    _sqlite(tmp_path / "free pages.sqlite", delete=True)
    places = sorted(tmp_path.iterdir())
    found = traces(CANARY, [tmp_path])
    for path in places:
        with tried("controls", path.name):
            assert str(path) in found
    with tried("controls", "another text"):
        assert traces("Not-there-1", [tmp_path]) == []
    with tempfile.TemporaryFile() as file, tried("controls", "an open file without a name"):
        file.write(CANARY.encode())
        file.flush()
        assert traces(CANARY, [], [os.getpid()])


def test_a_traceback_a_text_and_a_key_in_a_log_are_caught(tried: Tally) -> None:
    failed = subprocess.run([sys.executable, "-c", "raise ValueError('x')"], capture_output=True, text=True, check=False).stderr
    for written in (failed, f"... {WATCHWORD}", f"... {KEY}"):
        with tried("controls", written):
            assert log_faults(written)
    with tried("controls", "an ordinary log"):
        assert log_faults("You can now view your Streamlit app in your browser.") == []


def test_a_process_that_stays_is_caught(tmp_path: Path, tried: Tally) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", "print('x', flush=True); input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={**os.environ, "GROUNDSCOPE_DATA": str(tmp_path)},
    )  # fmt: skip
    with child, tried("controls", "a process"):
        assert child.stdout is not None
        child.stdout.readline()
        assert running(str(tmp_path)) == [child.pid]
        child.communicate(b"\n")
    with tried("controls", "none left"):
        assert running(str(tmp_path)) == []


def test_an_attempt_that_fails_is_counted_and_raised(tmp_path: Path, tried: Tally) -> None:
    own = Tally()
    for row in ROWS:
        with own(row):
            assert row != "kills"
    with tried("controls", "a failure"):
        assert (own.tried.total(), own.failed.total()) == (len(ROWS), 1)
        with pytest.raises(AssertionError, match="1 attempts found a fault"):
            own.check()
        assert f"| {ROWS['kills']} | 1 | 1 |" in own.table()
    early = Tally()
    with early("kills"):
        pass
    early.ended_early()
    with tried("controls", "a test that ends early is a fault"):
        assert (early.tried["kills"], early.failed["kills"]) == (2, 1)
    page, half = tmp_path / "page.md", Tally()
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", "utf-8")
    with half("kills"):
        pass
    with tried("controls", "what was not run is no success"):
        half.write(page)
        assert page.read_text("utf-8").count("| not run yet | – |") == len(ROWS) - 1
    with tried("controls", "a part of the suite replaces its own rows"):
        own.write(page)
        assert f"| {ROWS['kills']} | 1 | 1 |" in page.read_text("utf-8")
        half.write(page)
        assert f"| {ROWS['kills']} | 1 | 0 |" in page.read_text("utf-8")
        assert page.read_text("utf-8").endswith(f"| **{len(ROWS)}** | **0** |\n{END}\nafter\n")
