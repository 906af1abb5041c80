"""Units of time by their names in languages."""

import re
from decimal import Decimal
from functools import cache

from groundscope.text.values.numbers import by_first_letter

UNITS = {
    "second": Decimal(1) / 60,
    "minute": Decimal(1),
    "hour": Decimal(60),
    "day": Decimal(1440),
    "week": Decimal(10_080),
    "fortnight": Decimal(20_160),
    "month": Decimal(1),
    "year": Decimal(12),
    "decade": Decimal(120),
}
IN_MONTHS = frozenset(["month", "year", "decade"])
"""Months have no fixed number of days."""
_NAMES = {
    "en": {
        "second": "seconds",
        "minute": "minute minutes min mins",
        "hour": "hour hours hr hrs",
        "day": "day days",
        "week": "week weeks wk wks",
        "fortnight": "fortnight fortnights",
        "month": "month months mo mos",
        "year": "year years yr yrs",
        "decade": "decade decades",
    },
    "de": {
        "minute": "minute minuten",
        "hour": "stunde stunden",
        "day": "tag tage tagen tages kalendertag kalendertage kalendertagen werktag werktage werktagen arbeitstag arbeitstage "
        "arbeitstagen bankarbeitstage bankarbeitstagen geschäftstage geschäftstagen",
        "week": "woche wochen",
        "month": "monat monate monaten monats",
        "year": "jahr jahre jahren jahres",
        "decade": "jahrzehnt jahrzehnte jahrzehnten",
    },
    "fr": {
        "minute": "minute minutes",
        "hour": "heure heures",
        "day": "jour jours",
        "week": "semaine semaines",
        "month": "mois",
        "year": "an ans année années",
        "decade": "décennie décennies",
    },
    "es": {
        "minute": "minuto minutos",
        "hour": "hora horas",
        "day": "día días dia dias",
        "week": "semana semanas",
        "month": "mes meses",
        "year": "año años",
        "decade": "década décadas",
    },
    "it": {
        "minute": "minuto minuti",
        "hour": "ora ore",
        "day": "giorno giorni",
        "week": "settimana settimane",
        "month": "mese mesi",
        "year": "anno anni",
        "decade": "decennio decenni",
    },
    "pt": {
        "minute": "minuto minutos",
        "hour": "hora horas",
        "day": "dia dias",
        "week": "semana semanas",
        "month": "mês meses mes",
        "year": "ano anos",
        "decade": "década décadas",
    },
    "nl": {
        "minute": "minuut minuten",
        "hour": "uur uren",
        "day": "dag dagen kalenderdag kalenderdagen werkdag werkdagen",
        "week": "week weken",
        "month": "maand maanden",
        "year": "jaar jaren",
        "decade": "decennium decennia",
    },
}
SHORT = frozenset("min mins hr hrs wk wks mo mos yr yrs".split())
"""Read after figures only."""


@cache
def unit_names(language: str) -> tuple[re.Pattern[str], dict[str, str]]:
    """What finds names of units after a blank, a figure or a hyphen, and name -> unit."""
    words = {w: unit for unit, ws in _NAMES["en"].items() for w in ws.split() if language == "en" or w not in SHORT}
    words |= {w: unit for unit, ws in _NAMES.get(language, {}).items() for w in ws.split()}
    written = {form for w in words for form in (w, w[0].upper() + w[1:], w if w in SHORT else w.upper())}
    return re.compile(rf"[\s\d-](?P<unit>{by_first_letter(written)})(?!\w)"), words
