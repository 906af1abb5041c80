"""Evidence pack: everything that a review rests on in one zip, with a manifest of SHA-256 hashes; and its verification."""

import io
import json
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from enum import StrEnum
from hashlib import sha256
from typing import Any, NamedTuple

from groundscope import __version__
from groundscope.cases.dataset import read, to_jsonl
from groundscope.errors import DataError, GroundscopeError
from groundscope.experiments.plan import Part
from groundscope.findings import Certainty, FindingList
from groundscope.findings.listing import MethodReading, checked
from groundscope.grounding.export import findings_json, to_json
from groundscope.methods import Method, registry
from groundscope.review.decisions import StoredDecision, case_key, unlabelled
from groundscope.review.report import ReportContent, pdf_report
from groundscope.review.report_docx import docx_report, zipped
from groundscope.runtime.machine import stamp
from groundscope.storage.sqlite import now
from groundscope.types import Case, Judgement

FORMAT, VERSION = "groundscope-evidence", 1
MANIFEST, CASE, JUDGEMENTS, METHODS = "manifest.json", "case.jsonl", "judgements.json", "methods.json"
ENVIRONMENT = "environment.json"
_README = """This is the record of a review of one answer, made with Groundscope {version}.

case.jsonl        the question, the sources and the answer, as they were read
judgements.json   the findings as they stood on the page, and what each method said of each sentence, at which threshold, and how
                  often it is right; without findings and methods where the reviewer had not seen any
methods.json      the methods with their settings, signatures and weights
decisions.jsonl   what was decided, by whom, when, and whether blind; `settles` marks what settles a difference
environment.json  the machine and the versions
report.docx, report.pdf   the report
manifest.json     the SHA-256 of each file, and under "missing" what stood on the page and is not in the pack, with the reason

Check it with:  python -m groundscope verify THIS_FILE
It names every byte that was changed, scores again where the methods can run, and says what it could not score again. Who can
change a file can also write a new manifest: compare the seal that `verify` prints, the SHA-256 of the manifest, with the one that
you were given.
"""


class EvidencePack(NamedTuple):
    """The file, and its seal: the SHA-256 of the manifest, to be handed over on another way."""

    data: bytes
    seal: str


def evidence_pack(
    case: Case,
    methods: Sequence[tuple[Part, Method, MethodReading]],
    decisions: Iterable[StoredDecision],
    content: ReportContent,
    findings: FindingList | None = None,
) -> EvidencePack:
    """Make the pack; `findings` are those that the reviewer has seen, None = none."""
    bare = unlabelled(case)
    readings = [reading for *_, reading in methods]
    decided = ({**d._asdict(), "decision": asdict(d.decision)} for d in decisions)
    files = {
        CASE: to_jsonl([bare]).encode(),
        # Of a blind review nothing may stand in it that the reviewer was not to see.
        JUDGEMENTS: to_json(bare, readings, findings).encode() if findings or readings else _json({"results": []}),
        METHODS: _json([_method(*packed) for packed in methods]),
        "decisions.jsonl": "".join(f"{json.dumps(d, ensure_ascii=False)}\n" for d in decided).encode(),
        ENVIRONMENT: _json({"groundscope": __version__, "machine": stamp()}),
        "report.docx": docx_report(content),
        "report.pdf": pdf_report(content),
        "README.txt": _README.format(version=__version__).encode(),
    }
    manifest = _json(
        {
            "format": FORMAT,
            "version": VERSION,
            "created": now(),
            "case": case_key(case),
            "missing": [left._asdict() for left in content.left_out],
            "files": {name: {"sha256": sha256(data).hexdigest(), "bytes": len(data)} for name, data in files.items()},
        }
    )
    return EvidencePack(zipped({MANIFEST: manifest, **files}), sha256(manifest).hexdigest())


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def _method(part: Part, method: Method, reading: MethodReading) -> dict[str, Any]:
    weights = [{"name": needed.name, "revision": needed.revision} for needed in method.requirements()]
    fields = {"id": part.loads, "options": dict(part.options), "asks": part.asks, "weights": weights}
    return {**fields, "signature": reading.signature, "threshold": reading.threshold}


MOST_BYTES, MOST_FILES = 200_000_000, 100
"""Of a pack, unpacked."""
CLOSE = 1e-4
"""Supports that differ by less are the same figures on another processor."""


class CheckState(StrEnum):
    """The outcome of one check; the values are shown."""

    SAME = "same"
    CLOSE = "close"
    CHANGED = "changed"
    MISSING = "missing"
    ADDED = "not in the manifest"
    NOT_RUN = "not scored again"
    NOT_PACKED = "not in the pack"


class PackCheck(NamedTuple):
    """One file, one method, or what else the pack says: its name, how it came out, and what to know of that."""

    name: str
    state: CheckState
    why: str = ""

    @property
    def sound(self) -> bool:
        """Whether nothing speaks against it."""
        return self.state in (CheckState.SAME, CheckState.CLOSE) or self.unchecked

    @property
    def unchecked(self) -> bool:
        """Whether it could not be done again, so that nothing speaks for it either."""
        return self.state in (CheckState.NOT_RUN, CheckState.NOT_PACKED)


class PackReport(NamedTuple):
    """The outcome of all checks; where a file is changed there are only `files`. `others`: findings, and what the pack lacks."""

    seal: str
    created: str
    files: tuple[PackCheck, ...]
    methods: tuple[PackCheck, ...]
    others: tuple[PackCheck, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether every file is as it was packed, and no figure is another; `unchecked` names what that says nothing of."""
        return all(check.sound for check in (*self.files, *self.methods, *self.others))

    @property
    def unchecked(self) -> tuple[PackCheck, ...]:
        """What the pack says, or should, and could not be done again."""
        return tuple(check for check in (*self.methods, *self.others) if check.unchecked)


def verify(data: bytes, *, scores: bool = True) -> PackReport:
    """Check a pack."""
    files = _files(data)
    manifest = _manifest(files)
    checks = tuple(_checked(manifest["files"], files))
    methods: tuple[PackCheck, ...] = ()
    others: tuple[PackCheck, ...] = ()
    if all(check.sound for check in checks):
        try:
            (case,), document = read(CASE, files[CASE]).cases, json.loads(files[JUDGEMENTS])
            packed = zip(json.loads(files[METHODS]), document["results"], strict=True)
            methods = tuple(PackCheck(str(r["method"]), *_again(case, m, r)) for m, r in packed) if scores else ()
            version = str(json.loads(files.get(ENVIRONMENT, b"{}")).get("groundscope", "of another version"))
            lacks = (PackCheck(str(m["name"]), CheckState.NOT_PACKED, str(m["why"])) for m in manifest.get("missing", ()))
            others = (*_others(case, document, version, again=scores), *lacks)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise DataError(f"The pack's figures cannot be read ({type(error).__name__}).") from None
    return PackReport(sha256(files[MANIFEST]).hexdigest(), str(manifest.get("created", "")), checks, methods, others)


def _files(data: bytes) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            entries = packed.infolist()
            if len(entries) > MOST_FILES or sum(e.file_size for e in entries) > MOST_BYTES:
                most = f"{MOST_BYTES // 1_000_000} MB or {MOST_FILES} files"
                raise DataError(f"The file unpacks to more than {most}: it is not an evidence pack.")
            if len({e.filename for e in entries}) < len(entries):
                raise DataError("The pack has two files of one name; it was changed.")
            return {e.filename: _unpacked(packed, e) for e in entries}
    except _DAMAGED as error:
        raise DataError(f"The file is not a zip, or it is damaged ({error}).") from None


_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError)


def _unpacked(packed: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """A file of the pack; nothing of one whose bytes do not unpack, which then is not what the manifest says."""
    try:
        return packed.read(entry)
    except _DAMAGED:
        return b""


def _manifest(files: Mapping[str, bytes]) -> dict[str, Any]:
    try:
        manifest: dict[str, Any] = json.loads(files[MANIFEST])
        valid = manifest["format"] == FORMAT and isinstance(manifest["files"], dict)
        newer = valid and int(manifest["version"]) > VERSION
    except (KeyError, TypeError, ValueError, RecursionError):
        valid = newer = False
    if not valid:
        raise DataError(f"The file has no readable {MANIFEST}: it is not an evidence pack.")
    if newer:
        raise DataError("A newer Groundscope made this pack; update Groundscope to check it.")
    return manifest


def _checked(listed: Mapping[str, Any], files: Mapping[str, bytes]) -> Iterator[PackCheck]:
    for name, facts in listed.items():
        digest = facts.get("sha256") if isinstance(facts, dict) else None
        this = sha256(files.get(name, b"")).hexdigest()
        if name not in files:
            yield PackCheck(name, CheckState.MISSING)
        elif this != digest:
            yield PackCheck(name, CheckState.CHANGED, f"its SHA-256 is {this}, the manifest says {digest}")
        else:
            yield PackCheck(name, CheckState.SAME)
    yield from (PackCheck(name, CheckState.ADDED) for name in files if name not in listed and name != MANIFEST)
    yield from (PackCheck(name, CheckState.MISSING) for name in (CASE, JUDGEMENTS, METHODS) if name not in listed)


_NO_SCORES = "only the files were to be checked"


def _others(case: Case, document: Mapping[str, Any], version: str, *, again: bool) -> Iterator[PackCheck]:
    """The findings of exact checks, which need no model; and what rests on answers that are not in the pack."""
    if "findings" in document:
        checks = _checks_again(case, document["findings"], version) if again else (CheckState.NOT_RUN, _NO_SCORES)
        yield PackCheck("findings of checks", *checks)
    if not again and document["results"]:
        yield PackCheck("figures of all methods", CheckState.NOT_RUN, _NO_SCORES)
    if any(result["record"] for result in document["results"]) or any(f["worth"] for f in document.get("findings", ())):
        why = "that was counted on labelled answers, which are not in the pack"
        yield PackCheck("how often checks and methods are right", CheckState.NOT_RUN, why)


def _checks_again(case: Case, findings: Iterable[Mapping[str, Any]], version: str) -> tuple[CheckState, str]:
    before = [f for f in findings if f["certainty"] != Certainty.DOUBTFUL]
    after = json.loads(json.dumps(findings_json(FindingList(checked(case), ()))))["findings"]
    if before == after:
        return CheckState.SAME, f"{len(before):,}, word for word"
    if version != __version__:
        return CheckState.NOT_RUN, f"Groundscope {version} made them, and this is {__version__}"
    return CheckState.CHANGED, "the checks find something else"


def _again(case: Case, method: Mapping[str, Any], result: Mapping[str, Any]) -> tuple[CheckState, str]:
    """Score once more, without anything that is kept from before."""
    try:
        scorer = registry.load(str(method["id"]), **method["options"])
    except ValueError as error:
        # What methods there are instead does not matter here.
        return CheckState.NOT_RUN, f"it is not here: {str(error).partition(';')[0]}"
    except GroundscopeError as error:
        return CheckState.NOT_RUN, str(error)
    try:
        # As the method says, not the pack: a forged one must not have a model asked, elsewhere or at the user's cost.
        if scorer.asks:
            return CheckState.NOT_RUN, "it asks a chat model, which may answer otherwise"
        if why := scorer.unavailable():
            return CheckState.NOT_RUN, why
        if scorer.signature != method["signature"]:
            return CheckState.NOT_RUN, f"here it is another version ({scorer.signature})"
        judgement = scorer.score(case)
    except GroundscopeError as error:
        return CheckState.NOT_RUN, str(error)
    return _compared(judgement, result)


def _compared(judgement: Judgement, result: Mapping[str, Any]) -> tuple[CheckState, str]:
    before = [result["support"], *(s["support"] for s in result["sentences"])]
    after = [judgement.support, *(s.support for s in judgement.sentences)]
    if str(judgement.status) != result["status"] or [x is None for x in before] != [x is None for x in after]:
        return CheckState.CHANGED, "it judges other sentences, or has another state"
    most = max((abs(a - b) for a, b in zip(before, after, strict=True) if a is not None), default=0.0)
    if most == 0:
        return CheckState.SAME, f"{len(before):,} figures, to the last digit"
    return (CheckState.CLOSE if most < CLOSE else CheckState.CHANGED), f"figures differ by at most {most:.2g}"
