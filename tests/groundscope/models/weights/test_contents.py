"""What comes from a hub: the wanted files and no others, under their commit, with progress, and with a token."""

import json
import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest

from groundscope.models.weights.files import MANIFEST
from tests.groundscope.models.weights.fetching import (
    FOREVER,
    MAIN,
    ORG,
    PIECES,
    SECOND,
    SIZE,
    STOPPED,
    check_complete,
    fetch,
    partial,
    refusal,
)
from tests.hub import Fault, Hub, commit_of


def test_the_wanted_files_come_and_no_others(hub: Hub, folders: dict[str, Path]) -> None:
    fetch(ORG, SECOND)
    check_complete(folders, ORG)
    check_complete(folders, SECOND)
    assert {r.file for r in hub.requests} == {*PIECES, ""}
    manifest = json.loads((ORG.own_folder() / MANIFEST).read_text())
    assert (manifest["model"], manifest["revision"], manifest["commit"]) == (ORG.model, ORG.revision, ORG.revision)
    assert set(manifest["files"]) == PIECES
    assert manifest["files"]["model.safetensors"]["size"] == SIZE


def test_a_pickle_comes_only_where_there_is_nothing_else_and_the_method_takes_it(hub: Hub, folders: dict[str, Path]) -> None:
    fetch(MAIN)
    assert not (MAIN.own_folder() / "pytorch_model.bin").exists()
    shutil.rmtree(MAIN.own_folder())
    (folders[ORG.model] / "model.safetensors").unlink()
    assert "has no model.safetensors" in refusal(ORG)
    fetch(MAIN)
    assert (MAIN.own_folder() / "pytorch_model.bin").stat().st_size == SIZE
    assert hub.asked("pytorch_model.bin")


def test_main_becomes_the_commit_that_was_found_in_manifest_and_signature(hub: Hub, folders: dict[str, Path]) -> None:
    assert MAIN.identity() == "org/model@main"
    fetch(MAIN)
    commit = commit_of(folders[ORG.model])
    assert json.loads((MAIN.own_folder() / MANIFEST).read_text())["commit"] == commit
    assert MAIN.identity() == f"org/model@main({commit[:12]})"
    # Files are asked for at the commit, so that a branch that moves meanwhile cannot mix two of them.
    assert {r.path.split("/")[4] for r in hub.requests if r.file} == {commit}


def test_what_an_earlier_commit_left_does_not_come_along(hub: Hub, folders: dict[str, Path]) -> None:
    added = folders[ORG.model] / "added_tokens.json"
    added.write_text('{"old": 1}')
    hub.faults = [Fault("cut", "model.safetensors", 1, at=100_000), Fault("cut", "model.safetensors")]
    assert STOPPED in refusal(MAIN)
    assert (partial(MAIN) / added.name).is_file()
    added.unlink()
    (folders[ORG.model] / "model.safetensors").write_bytes(Random(8).randbytes(SIZE))  # noqa: S311 - no secret
    hub.faults = []
    fetch(MAIN)
    check_complete(folders, MAIN)
    assert json.loads((MAIN.own_folder() / MANIFEST).read_text())["commit"] == commit_of(folders[ORG.model])


def test_names_that_lead_out_of_the_folder_or_are_not_wanted_are_never_written(hub: Hub, folders: dict[str, Path]) -> None:
    hub.named = {"../../evil": b"evil", "/tmp/evil": b"evil", "..\\evil.json": b"evil", "sub/config.json": b"evil"}  # noqa: S108
    fetch()
    check_complete(folders)
    data = ORG.own_folder().parents[2]
    assert not [p for p in data.parent.rglob("*") if "evil" in p.name]
    assert not [r for r in hub.requests if "evil" in r.path]


def test_progress_goes_from_nothing_to_all_of_it(hub: Hub, folders: dict[str, Path]) -> None:
    said = fetch(ORG, SECOND)
    total = sum((folders[w.model] / n).stat().st_size for w, n in [(ORG, n) for n in PIECES])
    total += sum((folders[SECOND.model] / n).stat().st_size for n in PIECES - {"model.safetensors"})
    assert {t for _, t in said} == {total}
    assert said[0] == (0, total)
    assert said[-1] == (total, total)
    assert [d for d, _ in said] == sorted(d for d, _ in said)
    assert len(said) > 8


@pytest.mark.parametrize("damage", ["cut", "gone", "changed"])
def test_an_own_download_that_was_damaged_is_mended_with_little(damage: str, hub: Hub, folders: dict[str, Path]) -> None:
    fetch()
    weights = ORG.own_folder() / "model.safetensors"
    if damage == "gone":
        weights.unlink()
    else:
        content = weights.read_bytes()
        weights.write_bytes(content[: SIZE // 2] if damage == "cut" else bytes([content[0] ^ 1]) + content[1:])
    hub.requests.clear()
    before = hub.sent
    fetch()
    check_complete(folders)
    assert {r.file for r in hub.requests} == {"", "model.safetensors"}
    assert hub.sent - before == (SIZE // 2 if damage == "cut" else SIZE)


def test_gated_weights_name_the_terms_and_the_token_and_come_with_one(
    hub: Hub, folders: dict[str, Path], monkeypatch: Any
) -> None:
    hub.tokens = {"hf_good"}
    for token in (None, "hf_other"):
        if token:
            monkeypatch.setenv("HF_TOKEN", token)
        sentence = refusal()
        assert "accept them on its page, set HF_TOKEN" in sentence
        assert "hf_" not in sentence
    monkeypatch.setenv("HF_TOKEN", "hf_good")
    fetch()
    check_complete(folders)


def test_a_token_goes_to_the_hub_and_not_to_the_host_that_it_sends_on_to(
    hub: Hub, folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    with Hub(folders, [Fault("cut", FOREVER, 1, at=100_000)]) as storage:
        hub.faults = [Fault("elsewhere", FOREVER, to=storage.url)]
        fetch()
        assert {r.authorization for r in storage.requests} == {""}
        assert [r.range for r in storage.requests] == ["", "bytes=100000-"]
    check_complete(folders)
    assert {r.authorization for r in hub.requests} == {"Bearer hf_secret"}
    assert "hf_secret" not in (ORG.own_folder() / MANIFEST).read_text()
