"""Getting weights from a hub, over real HTTP from `tests.hub`: what comes, what goes wrong on the way, and what is left then."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import namedtuple
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from huggingface_hub import constants
from huggingface_hub.utils._http import close_session

from evaluation.errors import Cancelled, ScorerUnavailable
from evaluation.places import set_setting, settings
from evaluation.progress import listening
from evaluation.types import Case, Status
from scorers import _download, _hub, _pair_models
from scorers._weights import MANIFEST, Weights
from scorers.factkb import FactKB
from scorers.grounding_classifier import GroundingClassifier
from scorers.hem_v2 import FOUNDATION, HemV2
from scorers.hem_v2 import WEIGHTS as HEM_V2
from tests.hub import Fault, Hub, commit_of

MakeCase = Callable[..., Case]

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60.0
"""Seconds after which a wait counts as a hang."""
SIZE = 300_000
ORG = Weights("org/model", "a" * 40, megabytes=1)
SECOND = Weights("org/second", "b" * 40, tokenizer_only=True)
MAIN = Weights("org/model", "main", pickled=True)
PIECES = {"config.json", "tokenizer.json", "README.md", "model.safetensors"}
STOPPED = "they go on where they stopped."
FOREVER = "model.safetensors"

RESPONSE = "The court of appeal dismissed the appeal. Costs were awarded to the landlord."
CONTEXT = ("The court of appeal dismissed the appeal in 2003.", "Costs of 4,500 euros were awarded to the tenant.")


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Own folders, no proxy, no token, no waiting; and whoever connects to anything but loopback fails the test."""
    for name in [n for n in os.environ if n.lower().endswith("_proxy") or n.startswith(("HF_", "HUGGING_FACE_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "token"))
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(_pair_models, "_loaded", {})
    for name, value in {"_PAUSE": 0.01, "_SAID_EVERY": 0.0}.items():
        monkeypatch.setattr(_download, name, value)
    look_up, asked = socket.getaddrinfo, set()

    def watched(host: Any, *rest: Any, **named: Any) -> Any:
        asked.add(host)
        return look_up("127.0.0.1", *rest, **named)

    monkeypatch.setattr(socket, "getaddrinfo", watched)
    close_session()
    yield
    close_session()
    assert asked <= {"127.0.0.1"}


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Callable[[Hub], Hub]:
    """Makes a hub the one that is asked. huggingface_hub reads HF_ENDPOINT when it is imported; children have it really set."""

    def use(hub: Hub) -> Hub:
        monkeypatch.setattr(constants, "ENDPOINT", hub.url)
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", hub.url + "/{repo_id}/resolve/{revision}/{filename}")
        return hub

    return use


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, Path]:
    """Two repositories with made-up content, of which some is not wanted."""
    random = Random(7)  # noqa: S311 - no secret
    first, second = tmp_path / "hub" / "first", tmp_path / "hub" / "second"
    for folder in (first, second):
        (folder / "onnx").mkdir(parents=True)
        for name in (".gitattributes", "README.md", "config.json", "modeling_model.py", "tokenizer.json", "training_args.bin"):
            (folder / name).write_bytes(f'{{"file": "{name}"}}'.encode())
        for name in ("model.safetensors", "pytorch_model.bin", "tf_model.h5", "onnx/model.onnx"):
            (folder / name).write_bytes(random.randbytes(SIZE))
    return {ORG.model: first, SECOND.model: second}


@pytest.fixture
def hub(folders: dict[str, Path], use: Callable[[Hub], Hub]) -> Iterator[Hub]:
    with Hub(folders) as hub:
        yield use(hub)


def _fetch(*wanted: Weights) -> list[tuple[int, int]]:
    """Fetch; gives the progress that was said."""
    said: list[tuple[int, int]] = []
    with listening(lambda done, total: said.append((done, total))):
        _download.fetch(wanted or (ORG,))
    return said


def _refused(*wanted: Weights) -> str:
    """Why a fetch fails: one sentence with a mend; nothing stands where finished weights lie."""
    with pytest.raises(ScorerUnavailable) as refused:
        _fetch(*wanted)
    sentence = str(refused.value)
    assert sentence.endswith(".")
    assert not re.search(r"[.!?]\s", sentence)
    assert "\n" not in sentence
    assert "; " in sentence
    assert not any(w.own_folder().exists() for w in wanted or (ORG,))
    return sentence


def _partial(weights: Weights = ORG) -> Path:
    own = weights.own_folder()
    return own.with_name(f"{own.name}.partial")


def _names(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*")}


def _complete(folders: dict[str, Path], weights: Weights = ORG) -> None:
    """What was wanted is there to the byte, and nothing else."""
    own = weights.own_folder()
    wanted = PIECES - ({"model.safetensors"} if weights.tokenizer_only else set())
    assert _names(own) == {*wanted, MANIFEST}
    for name in wanted:
        assert (own / name).read_bytes() == (folders[weights.model] / name).read_bytes()
    assert not _partial(weights).exists()


def _starts(hub: Hub, file: str = "model.safetensors") -> list[int]:
    """From which byte on a file was asked for, each time."""
    return [int(r.range.removeprefix("bytes=").removesuffix("-") or 0) for r in hub.asked(file)]


# What comes


def test_the_wanted_files_come_and_no_others(hub: Hub, folders: dict[str, Path]) -> None:
    _fetch(ORG, SECOND)
    _complete(folders, ORG)
    _complete(folders, SECOND)
    assert {r.file for r in hub.requests} == {*PIECES, ""}
    manifest = json.loads((ORG.own_folder() / MANIFEST).read_text())
    assert (manifest["model"], manifest["revision"], manifest["commit"]) == (ORG.model, ORG.revision, ORG.revision)
    assert set(manifest["files"]) == PIECES
    assert manifest["files"]["model.safetensors"]["size"] == SIZE


def test_a_pickle_comes_only_where_there_is_nothing_else_and_the_method_takes_it(hub: Hub, folders: dict[str, Path]) -> None:
    _fetch(MAIN)
    assert not (MAIN.own_folder() / "pytorch_model.bin").exists()
    shutil.rmtree(MAIN.own_folder())
    (folders[ORG.model] / "model.safetensors").unlink()
    assert "has no model.safetensors" in _refused(ORG)
    _fetch(MAIN)
    assert (MAIN.own_folder() / "pytorch_model.bin").stat().st_size == SIZE
    assert hub.asked("pytorch_model.bin")


def test_main_becomes_the_commit_that_was_found_in_manifest_and_signature(hub: Hub, folders: dict[str, Path]) -> None:
    assert MAIN.identity() == "org/model@main"
    _fetch(MAIN)
    commit = commit_of(folders[ORG.model])
    assert json.loads((MAIN.own_folder() / MANIFEST).read_text())["commit"] == commit
    assert MAIN.identity() == f"org/model@main({commit[:12]})"
    # Files are asked for at the commit, so that a branch that moves meanwhile cannot mix two of them.
    assert {r.path.split("/")[4] for r in hub.requests if r.file} == {commit}


def test_what_an_earlier_commit_left_does_not_come_along(hub: Hub, folders: dict[str, Path]) -> None:
    added = folders[ORG.model] / "added_tokens.json"
    added.write_text('{"old": 1}')
    hub.faults = [Fault("cut", "model.safetensors", 1, at=100_000), Fault("cut", "model.safetensors")]
    assert STOPPED in _refused(MAIN)
    assert (_partial(MAIN) / added.name).is_file()
    added.unlink()
    (folders[ORG.model] / "model.safetensors").write_bytes(Random(8).randbytes(SIZE))  # noqa: S311 - no secret
    hub.faults = []
    _fetch(MAIN)
    _complete(folders, MAIN)
    assert json.loads((MAIN.own_folder() / MANIFEST).read_text())["commit"] == commit_of(folders[ORG.model])


def test_names_that_lead_out_of_the_folder_or_are_not_wanted_are_never_written(hub: Hub, folders: dict[str, Path]) -> None:
    hub.named = {"../../evil": b"evil", "/tmp/evil": b"evil", "..\\evil.json": b"evil", "sub/config.json": b"evil"}  # noqa: S108
    _fetch()
    _complete(folders)
    data = ORG.own_folder().parents[2]
    assert not [p for p in data.parent.rglob("*") if "evil" in p.name]
    assert not [r for r in hub.requests if "evil" in r.path]


def test_progress_goes_from_nothing_to_all_of_it(hub: Hub, folders: dict[str, Path]) -> None:
    said = _fetch(ORG, SECOND)
    total = sum((folders[w.model] / n).stat().st_size for w, n in [(ORG, n) for n in PIECES])
    total += sum((folders[SECOND.model] / n).stat().st_size for n in PIECES - {"model.safetensors"})
    assert {t for _, t in said} == {total}
    assert said[0] == (0, total)
    assert said[-1] == (total, total)
    assert [d for d, _ in said] == sorted(d for d, _ in said)
    assert len(said) > 8


def test_progress_is_said_now_and_then_and_in_the_end(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_download, "_SAID_EVERY", 1000.0)
    said = _fetch()
    assert len(said) <= 3
    assert {done for done, _ in said} == {0, said[0][1]}


def test_what_lies_here_is_not_asked_for_again(hub: Hub) -> None:
    _fetch()
    sent, asked = hub.sent, len(hub.requests)
    _fetch()
    assert (hub.sent, len(hub.requests)) == (sent, asked)


@pytest.mark.parametrize("damage", ["cut", "gone", "changed"])
def test_an_own_download_that_was_damaged_is_mended_with_little(damage: str, hub: Hub, folders: dict[str, Path]) -> None:
    _fetch()
    weights = ORG.own_folder() / "model.safetensors"
    if damage == "gone":
        weights.unlink()
    else:
        content = weights.read_bytes()
        weights.write_bytes(content[: SIZE // 2] if damage == "cut" else bytes([content[0] ^ 1]) + content[1:])
    hub.requests.clear()
    before = hub.sent
    _fetch()
    _complete(folders)
    assert {r.file for r in hub.requests} == {"", "model.safetensors"}
    assert hub.sent - before == (SIZE // 2 if damage == "cut" else SIZE)


# What goes wrong on the way


def _cut_three_times() -> list[Fault]:
    return [Fault("cut", "model.safetensors", times=3, at=70_000)]


PASSING: dict[str, Callable[[], list[Fault]]] = {
    "three broken connections": _cut_three_times,
    "a broken connection after a few bytes each": lambda: [Fault("cut", "model.safetensors", times=20, at=10_000)],
    "errors of the server": lambda: [Fault("status", "/resolve/", 2, status=500), Fault("status", "/resolve/", 2, status=503)],
    "too many requests": lambda: [Fault("status", "model.safetensors", 2, status=429, headers={"Retry-After": "1"})],
    "a server that has no parts": lambda: [Fault("cut", "model.safetensors", 2, at=70_000), Fault("whole")],
    "a damaged byte": lambda: [Fault("damage", "model.safetensors", 1)],
    "a damaged small file": lambda: [Fault("damage", "config.json", 1)],
    "a slow server": lambda: [Fault("drip", "model.safetensors", at=30_000, seconds=0.02)],
    "a server that falls silent": lambda: [Fault("stall", "model.safetensors", 1, at=70_000)],
    "a server that closes at once": lambda: [Fault("cut", "config.json", 2, at=0)],
}


@pytest.mark.parametrize("name", PASSING)
def test_passing_faults_are_passed_over_and_progress_never_falls(
    name: str, hub: Hub, folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    if "silent" in name:
        monkeypatch.setattr(_hub, "_TIMEOUT", 0.5)
    hub.faults = PASSING[name]()
    said = [done for done, _ in _fetch()]
    _complete(folders)
    assert said == sorted(said)
    if "broken" in name:
        assert sum(hub.faults[0].at == b - a for a, b in zip(_starts(hub), _starts(hub)[1:], strict=False)) >= 3
        assert hub.sent == sum((folders[ORG.model] / n).stat().st_size for n in PIECES)


LASTING: dict[str, tuple[list[Fault], str]] = {
    "broken for ever": ([Fault("cut", FOREVER, at=0)], f"The connection broke while {FOREVER} of org/model was loading"),
    "an error for ever": ([Fault("status", FOREVER, status=503)], STOPPED),
    "too many requests for ever": ([Fault("status", FOREVER, status=429)], STOPPED),
    "cut without parts": ([Fault("cut", FOREVER, at=70_000), Fault("whole")], STOPPED),
    "damaged for ever": (
        [Fault("damage", FOREVER)],
        f"{FOREVER} of org/model arrived damaged twice; get the weights again later.",
    ),
    "shorter than stated": ([Fault("short", FOREVER, at=100_000)], "get the weights again later."),
    "redirected in a circle": ([Fault("elsewhere", FOREVER)], "get the weights again"),
    "a page instead of the file": ([Fault("page", FOREVER)], "get the weights again"),
    "a page instead of the metadata": ([Fault("page", "/api/")], "is no model hub"),
    "an error instead of the metadata": (
        [Fault("status", "/api/", status=503)],
        "answered 503 for org/model; get the weights again",
    ),
    "metadata in a circle": ([Fault("elsewhere", "/api/")], "is no model hub"),
    "metadata broken off": ([Fault("cut", "/api/", at=50)], "cannot be reached"),
    "no such model": (
        [Fault("status", "/api/", status=404, headers={"X-Error-Code": "RepoNotFound"})],
        "has no org/model at aaaa",
    ),
    "no such revision": (
        [Fault("status", "/api/", status=404, headers={"X-Error-Code": "RevisionNotFound"})],
        "has no org/model",
    ),
    "no such file": ([Fault("status", FOREVER, status=404, headers={"X-Error-Code": "EntryNotFound"})], "has no org/model"),
    "not signed in": ([Fault("status", "/api/", status=401)], "HF_TOKEN"),
    "a wrong token": ([Fault("status", "/api/", status=401, headers={"X-Error-Message": "Invalid credentials"})], "HF_TOKEN"),
    "forbidden": ([Fault("status", "/resolve/", status=403)], "HF_TOKEN"),
}


@pytest.mark.parametrize("name", LASTING)
def test_lasting_faults_are_one_sentence_with_a_mend_and_leave_no_weights(name: str, hub: Hub, folders: dict[str, Path]) -> None:
    hub.faults, words = LASTING[name]
    hub.faults = [Fault(**{**vars(f), "to": hub.url}) for f in hub.faults]
    assert words in _refused()
    assert ORG.own_folder().parent.is_dir()
    hub.faults = []
    _fetch()
    _complete(folders)


def test_a_server_without_parts_whose_connections_break_here_and_there_is_given_up(hub: Hub) -> None:
    cuts = [Fault("cut", FOREVER, 1, at=(100_000, 60_000)[i % 2]) for i in range(60)]
    hub.faults = [*cuts, Fault("whole")]
    assert STOPPED in _refused()
    assert len(hub.asked(FOREVER)) < 12


def test_a_hub_that_is_not_there_is_named(hub: Hub) -> None:
    hub.stop()
    assert _refused().startswith(f"The hub at {hub.url} cannot be reached from this machine; connect it, or copy a folder")


def test_offline_mode_says_that_it_is_set(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert "HF_HUB_OFFLINE" in _refused()
    assert hub.requests == []


def test_a_hub_that_goes_away_in_the_middle_leaves_what_came(hub: Hub, folders: dict[str, Path], use: Any) -> None:
    hub.faults = [Fault("drip", FOREVER, at=20_000, seconds=0.02)]

    def end(done: int, total: int) -> None:
        if done > total / 2:
            hub.stop()

    with pytest.raises(ScorerUnavailable, match=STOPPED), listening(end):
        _download.fetch([ORG])
    came = (_partial() / FOREVER).stat().st_size
    assert SIZE // 3 < came < SIZE
    assert not ORG.own_folder().exists()
    with Hub(folders) as again:
        use(again)
        _fetch()
        assert _starts(again) == [came]
    _complete(folders)


# Stopping and going on


def test_cancelled_in_the_middle_it_goes_on_there(hub: Hub, folders: dict[str, Path]) -> None:
    hub.faults = [Fault("drip", FOREVER, at=20_000, seconds=0.01)]

    def stop(done: int, total: int) -> None:
        if done > total / 2:
            raise Cancelled("enough")

    with pytest.raises(Cancelled), listening(stop):
        _download.fetch([ORG])
    assert not ORG.own_folder().exists()
    came = (_partial() / FOREVER).stat().st_size
    assert SIZE // 3 < came < SIZE
    hub.requests.clear()
    said = _fetch()
    _complete(folders)
    assert [(r.file, r.range) for r in hub.requests if r.file] == [(FOREVER, f"bytes={came}-")]
    assert said[0][0] < said[-1][0]


def test_cancelling_is_heard_while_the_connection_is_down(hub: Hub) -> None:
    hub.faults = [Fault("status", FOREVER, status=503)]
    heard = 0

    def stop(done: int, total: int) -> None:
        nonlocal heard
        heard += len(hub.asked(FOREVER)) >= 2
        if heard:
            raise Cancelled("enough")

    with pytest.raises(Cancelled), listening(stop):
        _download.fetch([ORG])
    assert len(hub.asked(FOREVER)) == 2


def test_a_partial_file_of_another_content_is_found_out_and_replaced(hub: Hub, folders: dict[str, Path]) -> None:
    _partial().mkdir(parents=True)
    for size in (100_000, SIZE, SIZE + 1):
        (_partial() / FOREVER).write_bytes(b"x" * size)
        (_partial() / "modeling_old.py").write_text("raise SystemExit")
        _fetch()
        _complete(folders)
        shutil.copytree(ORG.own_folder(), _partial())
        shutil.rmtree(ORG.own_folder())


CHILD = """
import os, resource, sys
sys.addaudithook(lambda event, args: os._exit(9) if event == "socket.getaddrinfo" and args[0] != "127.0.0.1" else None)
from scorers import _download
from scorers._weights import Weights
_download._PAUSE = 0.01
if sys.argv[1] != "0":
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
try:
    _download.fetch([Weights("org/model", "a" * 40)])
except Exception as error:
    print(type(error).__name__, error)
else:
    print("done")
"""


def _child(hub: Hub, limit: int = 0) -> "subprocess.Popen[str]":
    """Another process that fetches, with the hub's address from the environment, as users give it."""
    environment = {**os.environ, "HF_ENDPOINT": hub.url, "HF_HUB_DISABLE_TELEMETRY": "1"}
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, str(limit)], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    )


def _until(ready: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not ready():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def test_killed_in_the_middle_it_goes_on_there(hub: Hub, folders: dict[str, Path]) -> None:
    hub.faults = [Fault("drip", FOREVER, at=20_000, seconds=0.05)]
    with _child(hub) as child:
        _until(lambda: _size(_partial() / FOREVER) > 60_000)
        child.send_signal(signal.SIGKILL)
        child.wait(PATIENCE)
    assert not ORG.own_folder().exists()
    came = _size(_partial() / FOREVER)
    assert 60_000 < came < SIZE
    hub.faults = []
    hub.requests.clear()
    _fetch()
    _complete(folders)
    assert _starts(hub) == [came]


def test_of_two_processes_one_downloads_and_the_other_says_so(hub: Hub, folders: dict[str, Path]) -> None:
    hub.faults = [Fault("drip", FOREVER, at=20_000, seconds=0.1)]
    with _child(hub) as child:
        _until(lambda: _size(_partial() / FOREVER) > 20_000)
        assert _refused() == "These weights are being downloaded by another window or program; wait for it."
        # The second repository is free, but half a method is of no use.
        assert "being downloaded" in _refused(SECOND, ORG)
        hub.faults[0].seconds = 0.0
        assert child.communicate(timeout=PATIENCE)[0] == "done\n"
    _complete(folders)
    assert len(hub.asked(FOREVER)) == 1
    _fetch(SECOND)


def test_a_full_disk_is_named_and_what_came_is_kept(hub: Hub, folders: dict[str, Path]) -> None:
    with _child(hub, limit=SIZE // 2) as child:
        said = child.communicate(timeout=PATIENCE)[0]
    assert said.startswith("ScorerUnavailable The disk is full; free some space and get the weights again")
    assert said.strip().endswith(STOPPED)
    assert not ORG.own_folder().exists()
    came = _size(_partial() / FOREVER)
    assert 0 < came <= SIZE // 2
    _fetch()
    _complete(folders)
    assert _starts(hub)[-1] == came


def test_too_little_room_is_said_before_anything_comes(
    hub: Hub, folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10**9, 10**9 - 200_000, 200_000))
    assert _refused() == "org/model needs 0 MB and 0 MB are free; free some space and get it again."
    assert not [r for r in hub.requests if r.file]
    # What came already needs no room any more.
    (_partial() / FOREVER).write_bytes((folders[ORG.model] / FOREVER).read_bytes()[:150_000])
    _fetch()
    _complete(folders)


def test_a_data_folder_that_cannot_be_written_is_said(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "file"))
    assert "check the data folder" in _refused()


# Tokens and other hosts


def test_gated_weights_name_the_terms_and_the_token_and_come_with_one(
    hub: Hub, folders: dict[str, Path], monkeypatch: Any
) -> None:
    hub.tokens = {"hf_good"}
    for token in (None, "hf_other"):
        if token:
            monkeypatch.setenv("HF_TOKEN", token)
        sentence = _refused()
        assert "accept them on its page, set HF_TOKEN" in sentence
        assert "hf_" not in sentence
    monkeypatch.setenv("HF_TOKEN", "hf_good")
    _fetch()
    _complete(folders)


def test_a_token_goes_to_the_hub_and_not_to_the_host_that_it_sends_on_to(
    hub: Hub, folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    with Hub(folders, [Fault("cut", FOREVER, 1, at=100_000)]) as storage:
        hub.faults = [Fault("elsewhere", FOREVER, to=storage.url)]
        _fetch()
        assert {r.authorization for r in storage.requests} == {""}
        assert [r.range for r in storage.requests] == ["", "bytes=100000-"]
    _complete(folders)
    assert {r.authorization for r in hub.requests} == {"Bearer hf_secret"}
    assert "hf_secret" not in (ORG.own_folder() / MANIFEST).read_text()


# Methods


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """Tiny models as their publishers lay them out, with files that nobody wants."""
    from tests.scorers import tiny

    tiny.quiet()
    root = tmp_path_factory.mktemp("published")
    hem_v2, foundation = tiny.t5(root / "hem_v2", root / "flan")
    factkb, tokenizer = tiny.roberta(root / "factkb", root / "roberta")
    classifier = tiny.bert_cross_encoder(root / "classifier")
    shutil.copy(hem_v2 / "model.safetensors", foundation / "model.safetensors")
    for folder in (hem_v2, foundation, factkb, tokenizer, classifier):
        (folder / "modeling_hhem_v2.py").write_text("raise SystemExit('this was run')\n")
        (folder / "tf_model.h5").write_bytes(b"not wanted")
    for folder in (hem_v2, classifier):
        (folder / "pytorch_model.bin").write_bytes(b"not wanted")
    return SimpleNamespace(hem_v2=hem_v2, foundation=foundation, factkb=factkb, tokenizer=tokenizer, classifier=classifier)


def test_hem_v2_comes_from_two_repositories_and_scores(published: Any, use: Any, case: MakeCase) -> None:
    scorer = HemV2(precision="fp32")
    assert "are not on this machine" in scorer.unavailable()
    with Hub({f"{HEM_V2.model}@{HEM_V2.revision}": published.hem_v2, FOUNDATION.model: published.foundation}) as hub:
        use(hub)
        _fetch(*scorer.needed)
    assert _names(HEM_V2.own_folder()) == {"config.json", "configuration_hhem_v2.py", "model.safetensors", MANIFEST}
    assert _names(FOUNDATION.own_folder()) == {"config.json", "spiece.model", "tokenizer_config.json", MANIFEST}
    assert scorer.unavailable() == ""
    assert [r.where for r in scorer.requirements()] == [str(w.own_folder()) for w in scorer.needed]
    assert f"{HEM_V2.name}@{HEM_V2.revision}+" in scorer.signature
    assert scorer.score(case(RESPONSE, *CONTEXT)).status is Status.SCORED
    assert not (HEM_V2.own_folder() / "was_run").exists()


def test_weights_that_miss_the_published_supports_are_refused_after_the_download(published: Any, use: Any) -> None:
    said: list[tuple[int, int]] = []
    wrong = "do not give the supports that their publisher prints; get them again"
    with Hub({HEM_V2.model: published.hem_v2, FOUNDATION.model: published.foundation}) as hub:
        use(hub)
        with listening(lambda done, total: said.append((done, total))), pytest.raises(ScorerUnavailable, match=wrong):
            HemV2(precision="fp32").fetch()
    assert "are not on this machine" in HemV2().unavailable()
    assert not HEM_V2.own_folder().exists()
    # The check of the pairs counts otherwise; a bar in megabytes must not jump back to it.
    assert len({total for _, total in said}) == 1
    assert said == sorted(said)


def test_factkb_comes_as_a_pickle_under_a_commit_and_scores(published: Any, use: Any, case: MakeCase) -> None:
    scorer = FactKB(precision="fp32")
    with Hub({scorer.weights.model: published.factkb, "FacebookAI/roberta-base": published.tokenizer}) as hub:
        use(hub)
        # As on the real hub, which has given the model another name since.
        hub.moved = {"roberta-base": "FacebookAI/roberta-base"}
        scorer.fetch()
        sent = hub.sent
        scorer.fetch()
        assert hub.sent == sent
    own = scorer.weights.own_folder()
    assert _names(own) == {"config.json", "pytorch_model.bin", MANIFEST}
    assert scorer.unavailable() == ""
    commit = commit_of(published.factkb)
    assert f"bunsenfeng/FactKB@main({commit[:12]})+roberta-base@{scorer.tokenizer.revision}|" in scorer.signature
    judgement = scorer.score(case(RESPONSE, *CONTEXT))
    assert judgement.status is Status.SCORED


def test_a_method_whose_weights_were_damaged_says_so_and_gets_them_again(published: Any, use: Any, case: MakeCase) -> None:
    scorer = FactKB(precision="fp32")
    with Hub({scorer.weights.model: published.factkb, scorer.tokenizer.model: published.tokenizer}) as hub:
        use(hub)
        scorer.fetch()
        weights = scorer.weights.own_folder() / "pytorch_model.bin"
        weights.write_bytes(weights.read_bytes()[:1000])
        assert scorer.unavailable()
        assert [bool(r.missing) for r in scorer.requirements()] == [True, False]
        scorer.fetch()
    assert scorer.unavailable() == ""
    assert scorer.score(case(RESPONSE, *CONTEXT)).status is Status.SCORED


def test_a_named_folder_that_is_gone_gives_way_to_the_download(published: Any, use: Any, tmp_path: Path) -> None:
    scorer = FactKB(precision="fp32")
    set_setting("folders", {scorer.weights.name: str(tmp_path / "gone"), "another": "/kept"})
    assert "holds no config.json any more" in scorer.unavailable()
    with Hub({scorer.weights.model: published.factkb, scorer.tokenizer.model: published.tokenizer}) as hub:
        use(hub)
        scorer.fetch()
    assert scorer.unavailable() == ""


def test_a_folder_is_kept_once_it_was_checked_and_not_before(published: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that is stopped, or dies for want of memory, comes to no end."""
    named: list[tuple[dict[str, Any], Path]] = []
    monkeypatch.setattr(GroundingClassifier, "verify", lambda self: named.append((settings(), self.weights.folder())))
    GroundingClassifier().accept("grounding-classifier", str(published.classifier))
    assert named == [({}, published.classifier)]
    assert settings() == {"folders": {"grounding-classifier": str(published.classifier)}}


def test_every_repository_of_a_method_has_a_page_to_get_it_from() -> None:
    assert all(r.page for scorer in (HemV2(), FactKB()) for r in scorer.requirements())
    assert GroundingClassifier().requirements()[0].page == ""


def test_without_a_choice_the_grounding_classifier_asks_no_hub(hub: Hub) -> None:
    with pytest.raises(ScorerUnavailable, match="No grounding classifier is on this machine"):
        GroundingClassifier().fetch()
    assert hub.requests == []


def test_a_grounding_classifier_of_the_hub_comes_as_safetensors_and_scores(published: Any, use: Any, case: MakeCase) -> None:
    commit = "c" * 40
    GroundingClassifier().accept("", f"org/fine-tuned@{commit}")
    scorer = GroundingClassifier(precision="fp32")
    with Hub({f"org/fine-tuned@{commit}": published.classifier}) as hub:
        use(hub)
        scorer.fetch()
        own = scorer.weights.own_folder()
        assert {"model.safetensors", "config.json", MANIFEST} < _names(own)
        assert not {"pytorch_model.bin", "modeling_hhem_v2.py"} & _names(own)
    assert f"org/fine-tuned@{commit}|fp32" in scorer.signature
    assert scorer.score(case(RESPONSE, *CONTEXT)).status is Status.SCORED


def test_half_a_model_in_the_hub_s_cache_does_not_count_as_here(published: Any) -> None:
    """transformers leaves a config.json there whenever somebody only looks at a model."""
    scorer = FactKB()
    cached, commit = Path(constants.HF_HUB_CACHE) / "models--bunsenfeng--FactKB", "d" * 40
    snapshot = cached / "snapshots" / commit
    snapshot.mkdir(parents=True)
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text(commit)
    shutil.copy(published.factkb / "config.json", snapshot)
    assert scorer.requirements()[0].missing
    shutil.copy(published.factkb / "pytorch_model.bin", snapshot)
    assert scorer.requirements()[0].where == str(snapshot)
