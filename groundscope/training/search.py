"""A search of learning rate, epochs and batch size: each setting is trained, and dev alone chooses, as for the paper's table 2.

The chosen model is saved as `finetune` saves one, with the table in its record and card. A finished setting is not trained again
when a stopped search resumes; of the others only the figures are stored, so that disk holds two models at most.

Departs from the paper: it states none of the three values, nor whether it searched them; `GRID` is this project's.
"""

import json
import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any

from groundscope.models.weights.grounding import RECORD, record
from groundscope.training._folder import PLAN, SEARCH, alone, begin_or_resume, writable
from groundscope.training.finetuning import check_free, describe, discard, finetune, origin, partial_folder
from groundscope.training.options import Options, Watch
from groundscope.training.own_models import name_of
from groundscope.training.pairs import Pair

GRID = MappingProxyType({"rate": (1e-5, 2e-5, 5e-5), "epochs": (2.0, 5.0), "batch": (8, 16)})
"""Values that are tried of each option; all combinations are trained."""


def search(
    train: Sequence[Pair],
    dev: Sequence[Pair],
    base: Path,
    folder: Path,
    options: Options,
    *,
    fixed: Collection[str] = (),
    about: Mapping[str, Any] | None = None,
    watch: Watch = lambda _: None,
    tell: Callable[[str], None] = lambda _: None,
    replace: bool = False,
) -> dict[str, Any]:
    """Train every setting of the grid, and write the one with the best macro-F1 on dev, as `finetune` does.

    Its record has `search`: a row a setting, with the figures of table 2 and whether it was chosen. Of equal settings the one
    with the higher AUROC counts, then the first. Options of the grid named in `fixed` stay as `options` has them; `tell` hears
    a sentence before each setting.
    """
    if replace:
        discard(folder)
    check_free(folder)
    settings, partial = _settings(options, fixed), partial_folder(folder)
    places = dict(zip(_places(partial, settings), settings, strict=True))
    with writable(partial), alone(partial):
        check_free(folder)
        begin_or_resume(partial, {"search": [asdict(s) for s in settings], **origin(train, dev, base, about)})
        (partial / SEARCH).mkdir(exist_ok=True)
        try:
            for number, (place, setting) in enumerate(places.items(), 1):
                if not record(place):
                    tell(f"Setting {number} of {len(places)}: {setting_words(setting)}.")
                    finetune(train, dev, base, place, setting, about=about, watch=watch)
                _drop_all_but(_best(places), places)
        except BaseException:
            if not any((partial / SEARCH).iterdir()):
                shutil.rmtree(partial, ignore_errors=True)
            raise
        best = _best(places)
        rows = [{"setting": setting_words(s), **record(p)["dev_after"], "chosen": p == best} for p, s in places.items()]
        chosen = {**record(best), "search": rows}
        describe(best, name_of(folder), chosen)
        best.rename(folder)
        shutil.rmtree(partial, ignore_errors=True)
    return chosen


def under_way(folder: Path) -> tuple[int, int] | None:
    """Count the finished settings of a running or stopped search, and all of them; None where there is no search."""
    partial = partial_folder(folder)
    try:
        settings = json.loads((partial / PLAN).read_text(encoding="utf-8")).get("search", ())
    except (OSError, ValueError):
        return None
    return (sum(bool(record(place)) for place in _places(partial, settings)), len(settings)) if settings else None


def _places(partial: Path, settings: Collection[Any]) -> list[Path]:
    return [partial / SEARCH / f"{number:02d}" for number in range(1, len(settings) + 1)]


def setting_words(setting: Options) -> str:
    """Name a setting by what is searched."""
    epochs = "1 epoch" if setting.epochs == 1 else f"{setting.epochs:g} epochs"
    return f"learning rate {setting.rate:g}, {epochs}, batches of {setting.batch}"


def _settings(options: Options, fixed: Collection[str]) -> list[Options]:
    grid = {name: (getattr(options, name),) if name in fixed else values for name, values in GRID.items()}
    return [replace(options, **dict(zip(grid, values, strict=True))) for values in product(*grid.values())]


def _best(places: Collection[Path]) -> Path:
    """The finished setting that dev likes best; the first of equal ones."""
    figures = {place: trained["dev_after"] for place in places if (trained := record(place))}
    return max(figures, key=lambda place: (figures[place]["f1"], figures[place]["auroc"]))


def _drop_all_but(best: Path, places: Collection[Path]) -> None:
    """Delete the weights of the settings that are behind; their records stay."""
    for place in places:
        if place != best and place.is_dir():
            for file in place.iterdir():
                if file.name != RECORD:
                    file.unlink()
