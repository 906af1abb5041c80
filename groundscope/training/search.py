"""A search of learning rate, epochs and batch size: each setting is trained, and dev alone chooses, as for the paper's table 2.

The chosen model is saved as `finetune` saves one, with the table in its record and card. A finished setting is not trained again
when a stopped search resumes; of the others only the figures are stored, so that disk holds two models at most.

Departs from the paper: it states none of the three values, nor whether it searched them; `GRID` is this project's.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any

from groundscope.models.weights.grounding import RECORD, record
from groundscope.training._folder import MODEL, SEARCH
from groundscope.training.finetuning import describe, finetune
from groundscope.training.options import Options, Watch
from groundscope.training.pairs import Pair

GRID = MappingProxyType({"rate": (1e-5, 2e-5, 5e-5), "epochs": (2.0, 5.0), "batch": (8, 16)})
"""Values that are tried of each option; all combinations are trained."""


def search(
    train: Sequence[Pair],
    dev: Sequence[Pair],
    base: Path,
    place: Path,
    options: Options,
    *,
    name: str = "model",
    fixed: Collection[str] = (),
    about: Mapping[str, Any] | None = None,
    watch: Watch = lambda _: None,
    tell: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Train every setting of the grid, and leave the one with the best macro-F1 on dev as `finetune` does.

    Its record has `search`: a row a setting, with the figures of table 2 and whether it was chosen. Of equal settings the one
    with the higher AUROC counts, then the first. Options of the grid named in `fixed` stay as `options` has them; `tell` hears
    a sentence before each setting.
    """
    if finished := record(place / MODEL):
        return finished
    settings = {place / SEARCH / f"{number:02d}": s for number, s in enumerate(grid(options, fixed), 1)}
    for number, (where, setting) in enumerate(settings.items(), 1):
        if not record(where / MODEL):
            tell(f"Setting {number} of {len(settings)}: {setting_words(setting)}.")
            finetune(train, dev, base, where, setting, name=name, about=about, watch=watch)
        _drop_all_but(_best(settings), settings)
    best = _best(settings)
    rows = [{"setting": setting_words(s), **record(p / MODEL)["dev_after"], "chosen": p == best} for p, s in settings.items()]
    chosen = {**record(best / MODEL), "search": rows}
    describe(best / MODEL, name, chosen)
    (best / MODEL).rename(place / MODEL)
    return chosen


def finished_settings(place: Path) -> int:
    """Count the settings that a running or stopped search has trained."""
    return sum(bool(record(where / MODEL)) for where in (place / SEARCH).glob("*"))


def setting_words(setting: Options) -> str:
    """Name a setting by what is searched."""
    epochs = "1 epoch" if setting.epochs == 1 else f"{setting.epochs:g} epochs"
    return f"learning rate {setting.rate:g}, {epochs}, batches of {setting.batch}"


def grid(options: Options, fixed: Collection[str]) -> list[Options]:
    """List the settings that a search tries."""
    values = {name: (getattr(options, name),) if name in fixed else tried for name, tried in GRID.items()}
    return [replace(options, **dict(zip(values, chosen, strict=True))) for chosen in product(*values.values())]


def _best(places: Collection[Path]) -> Path:
    """The finished setting that dev likes best; the first of equal ones."""
    figures = {place: trained["dev_after"] for place in places if (trained := record(place / MODEL))}
    return max(figures, key=lambda place: (figures[place]["f1"], figures[place]["auroc"]))


def _drop_all_but(best: Path, places: Collection[Path]) -> None:
    """Delete the weights of the settings that are behind; their records stay."""
    for model in (place / MODEL for place in places if place != best):
        for file in model.glob("*"):
            if file.name != RECORD:
                file.unlink()
