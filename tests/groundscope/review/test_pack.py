"""The evidence pack: whole, the same from the same review, every changed byte named, and figures that are made again."""

import io
import json
import random
import zipfile
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from components import case_sets
from groundscope.cases.dataset import read
from groundscope.errors import DataError, ScorerUnavailable
from groundscope.experiments.plan import Part
from groundscope.findings import Finding, FindingKind, FindingList, findings_of
from groundscope.findings.listing import MethodReading, checked
from groundscope.grounding.parts import loaded
from groundscope.methods import Method, registry
from groundscope.review.decisions import Correction, ReviewDecision, Ruling, SourcePlace, StoredDecision, case_key
from groundscope.review.pack import CheckState, EvidencePack, evidence_pack, verify
from groundscope.review.report import MissingMethod, report_content
from groundscope.types import Case

CASE = next(c for c in case_sets.sets()[case_sets.SAMPLES].cases if c.grounded is False and c.errors)
OFFLINE = ("cos_sim:minilm", "quip", "overlap")
DECISION = StoredDecision(
    3,
    case_key(CASE),
    "Ada",
    "2026-11-25T10:00:00+00:00",
    True,
    ReviewDecision(0, Ruling.PARTLY, note="<b>", correction=Correction(0, 9, SourcePlace(0, 0, 4))),
)


def packed_method(name: str, case: Case = CASE, **options: Any) -> tuple[Part, Method, MethodReading]:
    part, method = loaded(Part(name, options=options))
    return part, method, MethodReading(name, method.signature, method.score(case), 0.5, "Right.")


@pytest.fixture(scope="module")
def pack() -> EvidencePack:
    return evidence_pack(CASE, [packed_method(n) for n in OFFLINE], [DECISION], report_content(CASE, {0: DECISION}, "Ada"))


def changed(data: bytes, change: Callable[[dict[str, bytes]], object]) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        files = {name: old.read(name) for name in old.namelist()}
    change(files)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as new:
        for name, content in files.items():
            new.writestr(name, content)
    return out.getvalue()


def test_a_pack_is_checked_and_scored_again_to_the_last_digit(pack: EvidencePack) -> None:
    found = verify(pack.data)
    assert found.sound
    assert found.seal == pack.seal
    assert {c.state for c in found.files} == {CheckState.SAME}
    assert {c.name for c in found.files} == {
        "case.jsonl", "judgements.json", "methods.json", "decisions.jsonl", "environment.json", "report.docx", "report.pdf",
        "README.txt",
    }  # fmt: skip
    assert {c.state for c in found.methods} == {CheckState.SAME}, found.methods
    assert all("to the last digit" in c.why for c in found.methods)
    assert len(found.methods) == len(OFFLINE)


def test_a_pack_holds_what_was_read_and_decided_and_no_label(pack: EvidencePack) -> None:
    with zipfile.ZipFile(io.BytesIO(pack.data)) as files:
        (case,) = read("case.jsonl", files.read("case.jsonl")).cases
        assert (case.response, case.query) == (CASE.response, CASE.query)
        assert (case.grounded, case.errors) == (None, ())
        (decision,) = (json.loads(line) for line in files.read("decisions.jsonl").splitlines())
        assert (decision["reviewer"], decision["blind"], decision["decision"]["ruling"]) == ("Ada", True, "partly supported")
        assert decision["decision"]["correction"] == [0, 9, [0, 0, 4]]
        results = json.loads(files.read("judgements.json"))["results"]
        assert {r["threshold"] for r in results} == {0.5}
        assert {r["record"] for r in results} == {"Right."}
        assert "torch" in json.loads(files.read("environment.json"))["machine"][1]
        assert sha256(files.read("manifest.json")).hexdigest() == pack.seal
        text = b"".join(files.read(name) for name in files.namelist()).decode(errors="replace")
    assert CASE.id not in text
    assert all(e.why not in text for e in CASE.errors if e.why)


def test_every_changed_byte_is_named(pack: EvidencePack) -> None:
    rng = random.Random(4)  # noqa: S311
    with zipfile.ZipFile(io.BytesIO(pack.data)) as files:
        sizes = {e.filename: e.file_size for e in files.infolist() if e.filename != "manifest.json"}
    for name, size in sizes.items():
        for at in (0, size - 1, rng.randrange(size)):

            def flip(files: dict[str, bytes], name: str = name, at: int = at) -> None:
                files[name] = files[name][:at] + bytes([files[name][at] ^ 1]) + files[name][at + 1 :]

            found = verify(changed(pack.data, flip))
            assert [c.name for c in found.files if not c.sound] == [name]
            assert found.methods == ()


def test_bytes_that_change_inside_the_zip_are_found(pack: EvidencePack) -> None:
    rng = random.Random(5)  # noqa: S311
    for _ in range(60):
        at = rng.randrange(len(pack.data))
        data = pack.data[:at] + bytes([pack.data[at] ^ (1 << rng.randrange(8))]) + pack.data[at + 1 :]
        try:
            found = verify(data, scores=False)
        except DataError:
            continue
        # Some bits of a zip say nothing, such as a file's time: then what it holds is what was packed.
        assert not found.sound or found.seal == pack.seal


def test_files_that_are_gone_or_added_are_named(pack: EvidencePack) -> None:
    found = verify(changed(pack.data, lambda files: (files.pop("report.pdf"), files.update({"more.txt": b"x"}))))
    states = {c.name: c.state for c in found.files if not c.sound}
    assert states == {"report.pdf": CheckState.MISSING, "more.txt": CheckState.ADDED}


def test_a_manifest_written_anew_has_another_seal_and_other_figures_are_found(pack: EvidencePack) -> None:
    def forge(files: dict[str, bytes]) -> None:
        judged = json.loads(files["judgements.json"])
        judged["results"][-1]["support"] = judged["results"][-1]["support"] / 2
        files["judgements.json"] = json.dumps(judged).encode()
        manifest = json.loads(files["manifest.json"])
        manifest["files"]["judgements.json"]["sha256"] = sha256(files["judgements.json"]).hexdigest()
        files["manifest.json"] = json.dumps(manifest).encode()

    found = verify(changed(pack.data, forge))
    assert found.seal != pack.seal
    assert all(c.sound for c in found.files)
    assert [c.state for c in found.methods if not c.sound] == [CheckState.CHANGED]
    assert not found.sound


def test_a_method_that_cannot_run_here_is_said_and_is_no_fault(pack: EvidencePack, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(name: str, **options: Any) -> Any:
        raise ScorerUnavailable("Get the weights on the Methods page.")

    with monkeypatch.context() as patched:
        patched.setattr(registry, "load", gone)
        found = verify(pack.data)
    assert found.sound
    assert {(c.state, c.why) for c in found.methods} == {(CheckState.NOT_RUN, "Get the weights on the Methods page.")}
    part, method, reading = packed_method("overlap")
    gone_since = replace(part, id="ensemble:mine"), method, replace(reading, method="ensemble:mine")
    other_version = part, method, replace(reading, signature="overlap|another=1")
    packed = evidence_pack(CASE, [gone_since, other_version], [], report_content(CASE, {}, "Ada"))
    first, second = verify(packed.data).methods
    assert (first.state, first.why) == (CheckState.NOT_RUN, "it is not here: no method 'ensemble:mine'")
    assert "another version" in second.why


def test_the_findings_of_the_page_are_in_the_pack_as_data_and_checked_again() -> None:
    findings = findings_of(CASE, packed_method("overlap")[2])
    # The page leads with another method than the pack's only one.
    pack = evidence_pack(CASE, [packed_method("quip")], [], report_content(CASE, {}, "Ada", findings), findings)
    with zipfile.ZipFile(io.BytesIO(pack.data)) as files:
        document = json.loads(files.read("judgements.json"))
    assert document["headline"] == findings.headline
    assert [(f["sentence"] - 1, f["why"], f["certainty"]) for f in document["findings"]] == [
        (f.sentence, f.why, f.certainty) for f in findings.findings
    ]
    assert {f["certainty"] for f in document["findings"]} >= {"doubtful"}
    checks = next(c for c in verify(pack.data).others if c.name == "findings of checks")
    assert (checks.state, checks.why) == (CheckState.SAME, f"{len(checked(CASE)):,}, word for word")


def test_other_findings_are_named_and_those_of_another_version_are_not_judged() -> None:
    invented = Finding(FindingKind.FIGURE, 0, 0, 4, "Here", "“Here” is not in the sources.")
    findings = FindingList((invented, *checked(CASE)), (0,))
    pack = evidence_pack(CASE, [], [], report_content(CASE, {}, "Ada", findings), findings).data
    assert not verify(pack).sound
    assert [(c.name, c.state) for c in verify(pack).others if not c.sound] == [("findings of checks", CheckState.CHANGED)]

    def older(files: dict[str, bytes]) -> None:
        files["environment.json"] = json.dumps({"groundscope": "0.0.9"}).encode()
        manifest = json.loads(files["manifest.json"])
        manifest["files"]["environment.json"]["sha256"] = sha256(files["environment.json"]).hexdigest()
        files["manifest.json"] = json.dumps(manifest).encode()

    (checks,) = (c for c in verify(changed(pack, older)).unchecked if c.name == "findings of checks")
    assert checks.why.startswith("Groundscope 0.0.9 made them, and this is ")


def test_what_stood_on_the_page_and_is_not_in_the_pack_is_listed_and_verify_says_so() -> None:
    left_out = [MissingMethod("Cascade", "still at work"), MissingMethod("NLI", "failed: no room")]
    content = report_content(CASE, {}, "Ada", findings_of(CASE), left_out)
    pack = evidence_pack(CASE, [packed_method("overlap")], [], content, findings_of(CASE)).data
    with zipfile.ZipFile(io.BytesIO(pack)) as files:
        manifest = json.loads(files.read("manifest.json"))
    assert manifest["missing"] == [
        {"name": "Cascade", "why": "still at work"},
        {"name": "NLI", "why": "failed: no room"},
    ]
    report = verify(pack)
    assert report.sound
    assert [(c.name, c.why) for c in report.unchecked if c.state is CheckState.NOT_PACKED] == left_out


def test_the_pack_of_a_reviewer_who_has_seen_nothing_has_no_finding() -> None:
    blind = evidence_pack(CASE, [], [DECISION], report_content(CASE, {0: DECISION}, "Ada")).data
    with zipfile.ZipFile(io.BytesIO(blind)) as files:
        assert json.loads(files.read("judgements.json")) == {"results": []}
    report = verify(blind)
    assert (report.sound, report.methods, report.others) == (True, (), ())


class Asking:
    """A method that would ask a chat model; it must not be scored."""

    asks = True

    def score(self, case: Case) -> None:
        raise AssertionError("a model was asked")


@pytest.mark.parametrize("says", [True, False])
def test_no_chat_model_is_asked_whatever_the_pack_says(says: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    part, *rest = packed_method("overlap")
    pack = evidence_pack(CASE, [(replace(part, asks=says), *rest)], [], report_content(CASE, {}, "Ada"))
    monkeypatch.setattr(registry, "load", lambda *_, **__: Asking())
    (found,) = verify(pack.data).methods
    assert (found.state, found.why) == (CheckState.NOT_RUN, "it asks a chat model, which may answer otherwise")


def test_what_is_no_pack_is_refused(pack: EvidencePack) -> None:
    for change in (lambda files: files.pop("manifest.json"), lambda files: files.update({"manifest.json": b"[1]"})):
        with pytest.raises(DataError, match="no readable manifest"):
            verify(changed(pack.data, change))
    with pytest.raises(DataError, match="not a zip"):
        verify(b"PK\x03\x04 nothing")
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("manifest.json", b"0" * 210_000_000)
    with pytest.raises(DataError, match="unpacks to more than 200 MB"):
        verify(bomb.getvalue())
