"""The evidence pack: everything that a review rests on in one zip, with a manifest of SHA-256 that `verify` checks."""

import io
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from typing import Any, NamedTuple

from groundscope import __version__
from groundscope.cases.dataset import to_jsonl
from groundscope.grounding.export import MethodReading, to_json
from groundscope.review._tables import now
from groundscope.review.decisions import StoredDecision, case_key, unlabelled
from groundscope.review.report import ReportContent
from groundscope.review.report_docx import docx_report
from groundscope.review.report_pdf import pdf_report
from groundscope.runtime.machine import stamp
from groundscope.types import Case

FORMAT, VERSION = "groundscope-evidence", 1
MANIFEST, CASE, JUDGEMENTS, METHODS = "manifest.json", "case.jsonl", "judgements.json", "methods.json"
_TIME = (1980, 1, 1, 0, 0, 0)
"""Of every file in the zip, so that the same review makes the same bytes."""
_README = """This is the record of a review of one answer, made with Groundscope {version}.

case.jsonl        the question, the sources and the answer, as they were read
judgements.json   what each method said of each sentence, at which threshold, and how often it is right
methods.json      the methods with their settings, signatures and weights
decisions.jsonl   what was decided, by whom, when, and whether blind
environment.json  the machine and the versions
report.docx, report.pdf   the report
manifest.json     the SHA-256 of each file

Check it with:  python -m groundscope verify THIS_FILE
It names every byte that was changed, and scores again where the methods can run. Who can change a file can also write a new
manifest: compare the seal that `verify` prints, the SHA-256 of the manifest, with the one that you were given.
"""


class PackedMethod(NamedTuple):
    """A method of the pack.

    Attributes:
        weights: (name, revision) of what it needs.
    """

    id: str
    options: Mapping[str, Any]
    weights: tuple[tuple[str, str], ...]
    asks: bool
    reading: MethodReading


class EvidencePack(NamedTuple):
    """The file, and its seal: the SHA-256 of the manifest, to be handed over on another way."""

    data: bytes
    seal: str


def evidence_pack(
    case: Case, methods: Sequence[PackedMethod], decisions: Iterable[StoredDecision], content: ReportContent
) -> EvidencePack:
    """Make the pack."""
    bare = unlabelled(case)
    files = {
        CASE: to_jsonl([bare]).encode(),
        JUDGEMENTS: to_json(bare, [m.reading for m in methods]).encode(),
        METHODS: _json([_method(m) for m in methods]),
        "decisions.jsonl": "".join(f"{json.dumps(_decision(d), ensure_ascii=False)}\n" for d in decisions).encode(),
        "environment.json": _json({"groundscope": __version__, "machine": stamp()}),
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
            "files": {name: {"sha256": sha256(data).hexdigest(), "bytes": len(data)} for name, data in files.items()},
        }
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in {MANIFEST: manifest, **files}.items():
            packed.writestr(zipfile.ZipInfo(name, _TIME), data, zipfile.ZIP_DEFLATED)
    return EvidencePack(out.getvalue(), sha256(manifest).hexdigest())


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def _method(m: PackedMethod) -> dict[str, Any]:
    weights = [{"name": name, "revision": revision} for name, revision in m.weights]
    fields = {"id": m.id, "options": dict(m.options), "asks": m.asks, "weights": weights}
    return {**fields, "signature": m.reading.signature, "threshold": m.reading.threshold}


def _decision(d: StoredDecision) -> dict[str, Any]:
    return {**d._asdict(), "decision": asdict(d.decision)}
