"""What checks and methods say of a response: one ordered list of findings, which every view, export and rule reads."""

from groundscope.findings.exact import exact_findings
from groundscope.findings.finding import Certainty, Finding, FindingKind
from groundscope.findings.listing import FindingList, MethodReading, findings_of

__all__ = [
    "Certainty", "Finding", "FindingKind", "FindingList", "MethodReading", "differs", "exact", "exact_findings", "finding",
    "findings_of", "listing",
]  # fmt: skip
