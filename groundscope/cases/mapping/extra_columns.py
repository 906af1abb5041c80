"""Columns beside the texts of a row that look like labels or splits: read where that is sure, named where it is not."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from groundscope.cases.formats import Shape, Values
from groundscope.cases.labels import TAKEN, ColumnUse, LabelReading, is_number, label, reversed_sense, word_of
from groundscope.cases.mapping.field_mapping import column_uses, fields_of_rows, guess
from groundscope.files.fields import plain_names
from groundscope.files.rows import Row

_SHOWN = 6


@dataclass(frozen=True, slots=True)
class ExtraColumns:
    """The columns that look like labels or splits, and of these the ones that are read without asking.

    Attributes:
        label: None also where several columns of labels do not agree.
    """

    columns: tuple[ColumnUse, ...]
    label: ColumnUse | None
    split: ColumnUse | None

    @classmethod
    def of(cls, rows: Sequence[Values], *, scores: bool = False) -> "ExtraColumns":
        """Look through rows; with `scores`, any number may be one."""
        uses = column_uses(fields_of_rows([Row(0, row) for row in rows]))
        sure = [use for use in uses if use.sure and "." not in use.name and not (scores and any(map(is_number, use.words)))]
        labels, splits = ([use for use in sure if use.part == part] for part in ("label", "split"))
        agree = all(len({label(row.get(use.name), use.name).grounded for use in labels}) == 1 for row in rows)
        return cls(tuple(uses), labels[0] if labels and agree else None, splits[0] if len(splits) == 1 else None)

    def added(self, shape: Shape, values: Values) -> Values:
        """A row with its label and split under the names that the shape reads."""
        if "grounded" not in (shape.uses or ()):
            return values
        more: Values = {}
        if self._labels(shape, values) and self.label:
            read = label(values.get(self.label.name), self.label.name)
            more = {"grounded": read.grounded, "contradicted": read.contradicted}
        if self.split and values.get("split") in (None, ""):
            more["split"] = values.get(self.split.name)
        return values | more

    def labels(self, shape: Shape, values: Values) -> list[tuple[str, LabelReading]]:
        """The labels of a row as they are written, each with what it is taken for."""
        if not self._labels(shape, values) or not self.label:
            return shape.labels(values)
        value = values.get(self.label.name)
        return [(word_of(value), label(value, self.label.name))]

    def _labels(self, shape: Shape, values: Values) -> bool:
        return bool(self.label) and "grounded" in (shape.uses or ()) and values.get("grounded") in (None, "")

    def notes(self, rows: Sequence[Row], shapes: Collection[Shape], labels: Counter[tuple[str, str]]) -> tuple[str, list[str]]:
        """What to ask about a column of labels, or nothing; and what to say of all these columns."""
        unread = sorted(word for word, meaning in labels if "(no word" in meaning)
        notes = [f"Not read as labels: {', '.join(unread[:_SHOWN])}. A label is one of {TAKEN}."] if unread else []
        if not shapes or any(shape.uses is None for shape in shapes):
            return "", notes
        named = dict.fromkeys(name for shape in shapes for name in shape.uses or ())
        used = named | plain_names(named, {})
        filled = any("grounded" in (shape.uses or ()) for shape in shapes)
        taken = [use for use in (self.label, self.split) if filled and use and use.name not in used]
        left = [use for use in self.columns if use.name.partition(".")[0] not in used and use not in taken]
        for use in taken:
            sense = ": yes there means not grounded" if use.part == "label" and reversed_sense(use.name) else ""
            notes.append(f"The column {use.title} is read as the {use.part}{sense}.")
        for use in (use for use in left if use.scores):
            score = max((word for word in use.words if label(word).why), key=len)
            notes.append(f"The column {use.title} is not used: numbers such as {score} are scores and no labels.")
        unsure = ""
        for use in (use for use in left if not use.scores):
            line = self.line(rows, use)
            words = f"The column {use.title} ({', '.join(use.words[:_SHOWN])}) looks like a {use.part} and is not used"
            notes.append(f'{words}; to use it: --map "{line}"')
            if use.part == "label" and not labels and not unsure:
                unsure = f'{words}: what do its values mean? Say it: --map "{line}"'
        if unread and not unsure and len(unread) == len(labels) and "label" in used and "grounded" not in used:
            unsure = f'{notes[0]} Say which values mean grounded: --map "{self.line(rows, None)}"'
        return unsure, notes

    @staticmethod
    def line(rows: Sequence[Row], use: ColumnUse | None) -> str:
        """The mapping to copy: as it is guessed, with the column; the values that mean grounded are for the user to check."""
        file = fields_of_rows(rows)
        named = (other for other in column_uses(file) if use and use.name in plain_names({other.name: 0}, {}))
        mapping = guess(file, next(named, use))
        mapping = replace(mapping, context=mapping.context or "FIELD", answer=mapping.answer or "FIELD")
        ours = mapping.label or mapping.sentence_label
        return (replace(mapping, grounded=("VALUE",)) if ours and not mapping.grounded else mapping).line
