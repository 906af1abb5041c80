"""The one app of a test process: its data folder, the hub it may download from and the chat model it may ask, all on loopback."""

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from groundscope.methods import Method, registry
from groundscope.methods.advice import recommended
from tests.browser.scripted import KEY, MODEL, SECOND, Script
from tests.hub import Hub
from tests.llm_server import LLMServer
from tests.scorers import tiny

ROOT = Path(__file__).resolve().parent.parent.parent
WATCHWORD = "Quagmire-7731"
"""Stands in pasted and uploaded cases of the tests; the server's log must never hold it."""
PAUSED = re.compile(r"Paused at|Not started")
"""How a job that was paused says so; one that was paused while its parts were loading has not started."""
_FOREIGN = ("ANTHROPIC_", "OPENAI_", "AZURE_", "AWS_", "HF_", "GROUNDSCOPE_")


class Site(NamedTuple):
    """The app and what stands around it.

    Attributes:
        address: of the app.
        data: its data folder.
        hub: what it downloads weights from; empty until a test puts folders there.
        model: the server of the chat model that it asks where a user chose one.
        script: what that model replies.
    """

    address: str
    data: Path
    hub: Hub
    model: LLMServer
    script: Script


@contextmanager
def site(root: Path, *, quick: bool = True) -> Iterator[Site]:
    """Start the app over an empty data folder, with a tiny classifier if `quick`; looks through its log at the end."""
    script, data = Script(), root / "data"
    data.mkdir()
    own = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy") and not k.startswith(_FOREIGN)}
    with Hub({}) as hub, LLMServer(script.answer) as model:
        model.models = [MODEL, SECOND]
        own |= {"GROUNDSCOPE_DATA": str(data), "HF_ENDPOINT": hub.url, "HF_HOME": str(root / "hf")}
        # 127.1 leads here too, and is not known as this machine: texts that go there leave it, for all the app knows.
        own |= {"GROUNDSCOPE_MODELS": str(_quick_classifier(root / "models").parent)} if quick else {}
        own |= {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": f"http://127.1:{model.port}"}
        try:
            with serving(root / "log.txt", own) as address:
                yield Site(address, data, hub, model, script)
        finally:
            script.ended.set()


def recommended_here() -> Method:
    """The method that the app of the tests recommends: its classifier is a tiny one, which is on no board."""
    others = ("cos_sim:minilm", "overlap", "quip")
    return registry.load(recommended({m: registry.load(m).signature for m in others}).method)


def _quick_classifier(models: Path) -> Path:
    """A tiny model as the grounding classifier: the one that comes with the app takes seconds for each case."""
    tiny.quiet()
    folder = tiny.bert_cross_encoder(models / "grounding-classifier")
    record = {"about": {"evidence": 4}, "responses": {"threshold": 0.5}}
    (folder / "training.json").write_text(json.dumps(record), encoding="utf-8")
    return folder


@contextmanager
def serving(
    log: Path,
    environment: Mapping[str, str],
    start: Sequence[str] = ("groundscope", "app"),
    folder: Path = ROOT,
    *,
    refuses: bool = False,
) -> Iterator[str]:
    """The app on a port of its own, started in a folder by a module and its words; gives its address.

    Its log must hold no traceback, but where it refuses someone a write.
    """
    process, address = started(log, environment, start, folder)
    try:
        yield address
    finally:
        process.terminate()
        process.wait(timeout=60)
    written = log.read_text(encoding="utf-8", errors="replace")
    assert log_faults(written, refuses=refuses) == [], written


def started(
    log: Path, environment: Mapping[str, str], start: Sequence[str] = ("groundscope", "app"), folder: Path = ROOT
) -> tuple[subprocess.Popen[bytes], str]:
    """Start the app on a port of its own, and wait until it answers; gives its process and its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", *start, "--server.port", str(port)]
    with log.open("ab") as out:
        process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=out, env=dict(environment))
    try:
        _wait_healthy(address)
    except BaseException:
        process.kill()
        process.wait(timeout=60)
        raise
    return process, address


def log_faults(written: str, *, refuses: bool = False) -> list[str]:
    """What stands in a log and must not: a traceback (of anything but a refusal, with `refuses`), a text of a case, the key."""
    traces = written.count("Traceback") - (written.count("NotAllowed: ") if refuses else 0)
    return ["Traceback"] * traces + [word for word in (WATCHWORD, KEY) if word in written]


def _wait_healthy(address: str) -> None:
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server did not become healthy within five minutes")
