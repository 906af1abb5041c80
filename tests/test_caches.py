"""Every cache of the product has a bound in bytes, or states here why what it holds stays small."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOPS = ("groundscope", "scorers", "components", "pages", "models")

_MODELS = "models in memory: one a method and number format, which is what the user chose"
_OBJECTS = "small objects without texts of cases"
_FILES = "facts about files of weights"
_TRAINING = "words and texts of the training, in the process that trains"
_FIGURES = {
    "components/opened/run_figures.py": "measured _draws _again compared sliced levels three agreed hard _gold beside",
    "components/copies/sensitivity.py": "_measured",
    "components/copies/stability.py": "_measured",
    "components/errors/page.py": "_counted _ordered",
    "components/opened/record.py": "_counted",
    "components/opened/runs.py": "_read_run",
    "components/thresholds/page.py": "_on_test _tuned_on _search",
    "components/thresholds/promises.py": "_outcomes",
    "components/thresholds/tune.py": "tuning _shares on_test ranking leaks",
}
"""Files and their caches of figures of runs, without texts, of so many runs."""
REASONS = {
    **{f"{file}: {name}": "figures of runs" for file, names in _FIGURES.items() for name in names.split()},
    "components/methods/advice.py: _paces": "one number for each method of six runs, once",
    "groundscope/citations/reader/code_names.py: code_name": "names of reporters, which are cut from citations of limited length",
    "groundscope/citations/reader/code_names.py: one_code": "pairs of such names",
    "groundscope/citations/types.py: section_name": "numbers of pages and sections, which are cut in the same way",
    "groundscope/citations/_comparing_parts.py: range_of": "the ends of a range, of a citation of limited length",
    "groundscope/text/english.py: _is_english": "words of at most 40 letters, 20,000 of them",
    "groundscope/text/values/months.py: month_names": "the months of a language",
    "groundscope/text/values/periods.py: _unit_names": "the units of a language",
    "groundscope/runtime/byte_cache.py: _parts": "names of the fields of the product's own classes",
    "groundscope/rag/corpora/documents.py: measured": "lives as long as the call that cuts one document",
    "groundscope/rag/forecast.py: _cut": "64 numbers under hashes",
    "groundscope/files/typed.py: _adapter": "classes of the product that are read from JSON, some ten",
    "groundscope/files/sandbox.py: _line": "one number a reading that waits",
    "groundscope/files/private.py: _users": "one number",
    "groundscope/methods/_parameters.py: _declared": _OBJECTS,
    "groundscope/grounding/rules/frozen_rules.py: _seen": "what is frozen, once a database",
    "groundscope/storage/database.py: _opened": "one store a folder",
    "groundscope/storage/sqlite.py: _shared": "two files a folder",
    "groundscope/chat/clients/ceilings.py: gate": _OBJECTS,
    "groundscope/chat/clients/provider.py: usual_way": _OBJECTS,
    "groundscope/chat/clients/model.py: chat_model": _OBJECTS,
    "groundscope/models/embedders/__init__.py: embedder": _OBJECTS,
    "groundscope/models/embedders/local.py: _load": "one model",
    "groundscope/models/embedders/sentences.py: _loaded": _MODELS,
    "groundscope/methods/asking/published.py: published": "a message of some hundred characters each, 32 of them",
    "groundscope/chat/prompt_files.py: shipped": "instructions of some thousand characters each, those of 64 tasks",
    "groundscope/models/weights/memory.py: _loaded": "as many models as half of the memory holds, one on a graphics card",
    "groundscope/models/weights/files.py: _sampled": _FILES,
    "groundscope/models/weights/files.py: _sha256": _FILES,
    "groundscope/models/weights/grounding.py: _read": _FILES,
    "groundscope/grounding/rules/frozen_rules.py: _parsed": "figures of 64 frozen sets of thresholds, 2,000 queries a method",
    "components/methods/weights.py: _checks": "one check of a folder a method",
    "components/citations/sources.py: _sample": "the samples that ship",
    "components/opened/run_figures.py: power_of": "a number a size",
    "components/runs/study.py: _read": "a table of some rows and their thresholds, of eight studies",
    "components/opened/runs.py: _manifest": "what folders of runs state of themselves",
    "components/scoring/app_worker.py: _cold": "one id a method",
    "groundscope/runtime/extras.py: missing": "a sentence an extra",
    "models/changes.py: _OPPOSITE": _TRAINING,
    "models/rewording.py: _SYNONYM": _TRAINING,
    "models/evidence_views.py: _words": _TRAINING,
    "models/evidence_views.py: sentences_of": _TRAINING,
    "models/public.py: _rows": _TRAINING,
}
"""A cache that counts entries or nothing, and why its bytes are few."""

_CACHES = {"lru_cache", "cache", "cache_data", "cache_resource"}
_EMPTY = {"dict", "list", "set", "OrderedDict", "deque", "defaultdict"}


def _name(node: ast.expr) -> str:
    called = node.func if isinstance(node, ast.Call) else node
    return called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""


def _is_empty(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Dict):
        return not value.keys
    if isinstance(value, ast.List):
        return not value.elts
    return isinstance(value, ast.Call) and _name(value) in _EMPTY and not value.args


def unbounded(text: str) -> Iterator[str]:
    """Names of the caches of a module that have no bound in bytes; what is made without arguments is made once."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = node.args
            constant = not (given.posonlyargs or given.args or given.kwonlyargs or given.vararg or given.kwarg)
            if not constant and any(_name(decorator) in _CACHES for decorator in node.decorator_list):
                yield node.name
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        if isinstance(node, ast.Assign | ast.AnnAssign) and _is_empty(node.value):
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def test_every_cache_is_bounded_in_bytes_or_says_why_not() -> None:
    files = [ROOT / "app.py", *(path for top in TOPS for path in sorted((ROOT / top).rglob("*.py")))]
    found = {f"{path.relative_to(ROOT)}: {name}" for path in files for name in unbounded(path.read_text(encoding="utf-8"))}
    assert found - set(REASONS) == set()
    assert set(REASONS) - found == set(), "these caches are gone"
