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
_ORDER = "minute hour day week month year decade second fortnight".split()
_NAMES = {
    "en": "minute minutes min mins, hour hours hr hrs, day days, week weeks wk wks, month months mo mos, year years yr yrs, "
    "decade decades, seconds, fortnight fortnights",
    "de": "minute minuten, stunde stunden, tag tage tagen tages kalendertag kalendertage kalendertagen werktag werktage werktagen "
    "arbeitstag arbeitstage arbeitstagen bankarbeitstage bankarbeitstagen geschäftstage geschäftstagen, woche wochen, "
    "monat monate monaten monats, jahr jahre jahren jahres, jahrzehnt jahrzehnte jahrzehnten",
    "fr": "minute minutes, heure heures, jour jours, semaine semaines, mois, an ans année années, décennie décennies",
    "es": "minuto minutos, hora horas, día días dia dias, semana semanas, mes meses, año años, década décadas",
    "it": "minuto minuti, ora ore, giorno giorni, settimana settimane, mese mesi, anno anni, decennio decenni",
    "pt": "minuto minutos, hora horas, dia dias, semana semanas, mês meses mes, ano anos, década décadas",
    "nl": "minuut minuten, uur uren, dag dagen kalenderdag kalenderdagen werkdag werkdagen, week weken, maand maanden, jaar jaren, "
    "decennium decennia",
}
"""Names of the units of `_ORDER` in languages."""
SHORT = frozenset("min mins hr hrs wk wks mo mos yr yrs".split())
"""Read after figures only."""


@cache
def unit_names(language: str) -> tuple[re.Pattern[str], dict[str, str]]:
    """What finds names of units after a blank, a figure or a hyphen, and name -> unit."""
    words = {
        word: unit
        for code in ("en", language)
        for unit, names in zip(_ORDER, _NAMES.get(code, "").split(", "), strict=False)
        for word in names.split()
        if language == "en" or word not in SHORT
    }
    written = {form for w in words for form in (w, w[0].upper() + w[1:], w if w in SHORT else w.upper())}
    return re.compile(rf"[\s\d-](?P<unit>{by_first_letter(written)})(?!\w)"), words
