"""`verify`: what it prints, and its exit codes."""

import json
from pathlib import Path

import pytest

from groundscope.__main__ import main
from groundscope.review.pack import evidence_pack
from groundscope.review.report import report_content
from tests.groundscope.review.test_pack import CASE, changed, packed_method


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    path = tmp_path / "evidence.zip"
    path.write_bytes(evidence_pack(CASE, [packed_method("overlap")], [], report_content(CASE, {}, "Ada")).data)
    return path


def test_a_whole_pack_is_said_to_be_whole(pack: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(pack)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Seal: ")
    assert "  report.pdf: same\n" in said
    assert "  overlap: same, " in said
    assert said.endswith("No file has changed since the pack was made; 1 of 1 methods were scored again and agree.\n")
    assert main(["verify", str(pack), "--no-scores"]) == 0
    assert capsys.readouterr().out.endswith("No file has changed since the pack was made; nothing was scored again.\n")
    assert main(["verify", str(pack), "--no-scores", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["sound"], found["methods"]) == (True, [])


def test_a_changed_pack_is_named_and_ends_with_1(pack: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pack.write_bytes(changed(pack.read_bytes(), lambda files: files.update({"case.jsonl": files["case.jsonl"] + b" "})))
    assert main(["verify", str(pack)]) == 1
    said = capsys.readouterr().out
    assert "  case.jsonl: changed, its SHA-256 is " in said
    assert said.endswith("1 of these have changed since the pack was made.\n")


def test_what_is_no_pack_ends_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.zip").write_bytes(b"x")
    for path, words in ((tmp_path / "a.zip", "no zip"), (tmp_path / "none.zip", "cannot be read"), (tmp_path, "cannot be read")):
        assert main(["verify", str(path)]) == 2
        assert words in capsys.readouterr().err
