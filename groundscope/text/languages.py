"""Language of a text, and what is compared in it.

Function words decide, and the script where it is not Latin. Looked at for this: py3langid 0.4.0 takes 554 of 14,922 English
pieces of the samples for another language ("Res ipsa loquitur applies." is French to it) and half a second to load.
"""

import re
from collections import Counter

from groundscope.runtime.byte_cache import keep
from groundscope.text.values.words import READ_LANGUAGES

_NAMES = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese", "nl": "Dutch",
    "da": "Danish", "no": "Norwegian", "sv": "Swedish", "pl": "Polish", "cs": "Czech", "ro": "Romanian", "tr": "Turkish",
    "fi": "Finnish", "hu": "Hungarian", "ja": "Japanese", "zh": "Chinese", "ko": "Korean", "ru": "Russian", "uk": "Ukrainian",
    "el": "Greek", "ar": "Arabic", "he": "Hebrew", "hi": "Hindi", "bn": "Bengali", "ta": "Tamil", "th": "Thai",
}  # fmt: skip
_ENGLISH = (
    "over men also per plus the of and to a in is that it was for on as with by be at this are from or an were not "
    "have has had which but its they their under any such may shall must would if who when no than been will can "
    "could should does did do there what where whether after before only all pro he she his her because court section "
    "act claim party plaintiff defendant rule law what how your you we our so "
)
_WORDS = {
    "de": "der die das den dem des ein eine einen einem einer eines und oder aber ist sind war waren wird werden wurde "
    "wurden hat haben hatte kann können konnte muss müssen soll sollen darf dürfen nicht kein keine keinen mit von "
    "vom zum zur bei beim nach aus auf für über unter zwischen durch gegen ohne sich auch nur noch wenn weil dass daß "
    "als wie im am ins ans er sie es wir ihr ihm gemäß laut beträgt gilt diese dieser dieses jede jeder bis seit "
    "wegen sowie somit deshalb jedoch beklagte kläger gericht vertrag frist klage urteil monate monaten tage tagen "
    "jahre jahren abs satz recht haftet schuldet zahlen",
    "fr": "à le la les un une des du de et ou mais est sont était étaient sera seront a ont avait peut peuvent doit doivent "
    "ne pas que qui dont où dans par pour sur avec sans sous entre vers chez au aux ce cet cette ces il elle ils "
    "elles son sa ses leur leurs se en y plus très si lorsque lorsqu qu selon après avant depuis jusqu ainsi donc car "
    "tout toute tous mois jours jour ans année tribunal contrat délai article loi défendeur demandeur cour être fait",
    "it": "il lo la i gli le un una uno di del della dello dei degli delle e o ma è sono era erano sarà ha hanno aveva può "
    "possono deve devono non che chi cui dove in nel nella nei nelle per con senza su sul sulla tra fra da dal dalla "
    "dai al alla ai alle si suo sua loro questo questa questi quello quella come più molto se quando perché anche "
    "dopo prima secondo ogni tutti mesi mese giorni giorno anni anno termine contratto tribunale attore convenuto "
    "articolo legge sentenza entro stato stata venditore conduttore sanzione danni ammonta ammontano domanda pena "
    "pagare",
    "es": "el la los las un una unos unas de del y o pero es son era fue fueron ser está están ha han había puede pueden "
    "debe deben no que quien cuyo donde en por para con sin sobre entre hasta desde según al se su sus lo este "
    "esta estos estas ese esa como más muy si cuando porque también después antes todo toda todos cada meses mes días "
    "día años año plazo contrato tribunal demandante demandado artículo ley sentencia arrendatario arrendador "
    "vendedor comprador multa pena daños asciende ascienden demanda pagar",
    "pt": "o os as um uma uns umas de do da dos das e ou mas é são era foi foram ser está estão tem têm tinha pode podem "
    "deve devem não que quem cujo onde em no na nos nas por pelo pela pelos pelas para com sem sobre entre até desde "
    "segundo ao à aos se seu sua seus suas este esta isto esse essa como mais muito quando porque também depois antes "
    "todo cada meses mês dias dia anos ano prazo contrato tribunal autor réu artigo lei sentença vendedor comprador "
    "inquilino multa pena danos pagar pedido após termina",
    "nl": "de het een en of maar is zijn was waren wordt worden werd werden heeft hebben had kan kunnen moet moeten mag "
    "mogen niet geen met van voor op aan bij naar uit in over onder tussen door tegen zonder zich ook nog als omdat "
    "dat die deze dit dan er hij zij ze wij hun haar volgens na tot sinds binnen bedraagt maanden maand dagen dag "
    "jaren jaar termijn overeenkomst rechtbank eiser gedaagde artikel wet vonnis huurder verhuurder verkoper koper "
    "schade vordering boete aansprakelijk nietig beroep schuldenaar",
    "da": "og i at det en den til er som på de med han af for ikke der var mig sig men et har om vi havde hun nu over da "
    "fra du ud sin dem os op man hans hvor eller hvad skal selv her alle vil blev kunne ind når være dog noget ved "
    "måneder dage år retten fristen kravet",
    "no": "og i det på som er en til å han av for med at var de ikke den har jeg om et men så seg hun hadde fra vi du kan "
    "da ble ut skal vil ved etter også eller når være bare hva måneder dager år retten fristen",
    "sv": "och i att det som en på är av för med den till inte han de ett om hade jag men var sig från vi så kan när nu "
    "över eller vid efter också där har ska skall enligt blev vara mot genom inom månader dagar år domstolen fristen "
    "tidsfristen talan",
    "pl": "i w na z do się nie jest to że o jak od po przez za ale co przy lub oraz jego może który która które został "
    "została dla ma są był była było także tylko sąd umowa termin miesięcy miesiące dni lat rok wynosi zgodnie",
    "cs": "a v na se je to že s z do o k i ve po pro jsou za by nebo podle jako od který která které není byl byla bylo "
    "může soud smlouva lhůta měsíců měsíce dnů let činí",
    "ro": "și în de la cu pe este din nu se că pentru sau care mai un o al ale sunt fost prin după dacă dar poate trebuie "
    "luni zile ani termenul contractul instanța",
    "tr": "ve bir bu da de için ile olarak olan daha çok gibi ancak kadar veya değil en göre sonra ise her ay gün yıl süre "
    "sözleşme mahkeme eder olduğu tarafından",
    "fi": "ja on ei se että oli hän joka mutta tai kuin ovat myös sen jos vain kun mukaan jälkeen ennen kuukautta päivää "
    "vuotta sopimus tuomioistuin määräaika",
    "hu": "a az és hogy nem is egy ez volt de van meg csak vagy mint már lehet kell szerint után között hónap nap év "
    "szerződés bíróság határidő",
}  # fmt: skip
_LANGUAGES = tuple(_WORDS)
_SHARED = frozenset(_ENGLISH.split())
_SETS = tuple(frozenset(words.split()) - _SHARED for words in _WORDS.values())
_OF_WORD = {word: tuple(i for i, words in enumerate(_SETS) if word in words) for word in frozenset().union(*_SETS)}
"""The languages that have a word."""
_WORD = re.compile(r"\b[^\W\d_]{2,}\b|(?<!\S)[àéèíyoeaiv](?!\S)|\AO(?=\s)")
"""Letters alone are words between blanks only: "(e)" is a paragraph, "D.C." a place, a first "O" the Portuguese article."""
_READ = 4_000
"""Characters that are looked at."""
_SCRIPT_READ = 500
_LEAST, _SHARE = 2, 0.15
"""Least number and share of words of a language in a text of it: English quotes Latin, and names have "de", "la" and "von"."""
_SCRIPTS = (
    ("ja", "\u3040", "\u30ff"), ("ko", "\uac00", "\ud7af"), ("zh", "\u4e00", "\u9fff"), ("ru", "\u0400", "\u04ff"),
    ("el", "\u0370", "\u03ff"), ("ar", "\u0600", "\u06ff"), ("he", "\u0590", "\u05ff"), ("hi", "\u0900", "\u097f"),
    ("bn", "\u0980", "\u09ff"), ("ta", "\u0b80", "\u0bff"), ("th", "\u0e00", "\u0e7f"),
)  # fmt: skip
_SCRIPT = re.compile("|".join(f"(?P<{code}>[{first}-{last}])" for code, first, last in _SCRIPTS))
_LATIN = re.compile(r"[A-Za-z]")
_FORMS = re.compile(
    r"(?P<de>[äöüß]|(?:ung|ungen|heit|keit|lich)\b)|(?P<es>[ñ¿¡]|(?:ción|idad)\b)|(?P<it>[ìòù]|(?:zion[ei]|ono|zz[aeio]|tt[aio])\b)"
    r"|(?P<pt>[ãõ]|dade\b)|(?P<fr>[êîœ]|\b[ldsn]'[a-zéh])|(?P<nl>ij|oep|oer|aar|heid\b)|(?P<sv>å)|(?P<pl>[łąęż])|(?P<cs>[řěů])"
    r"|(?P<ro>[șț])|(?P<tr>[ığ])|(?P<hu>[őű])"
)
"""Letters and endings of a language, which English names may have, too: no evidence without one of its words."""
_VERSUS = re.compile(r"\bvs?\.\s")
_LATIN_PHRASE = re.compile(r"\bde\s(?:facto|jure|iure|novo|minimis|bene)\b")
_CASE_NAME = 3
"""Weight of "v." in English: the parties before and after it have any language."""
_SHORT = 4
"""Letters of a capitalised word within a text that is part of a name: "De La Cruz", "El Paso"."""
_KANA_LEAST = 0.05
"""Share of kana in a text that is Japanese rather than Chinese."""


def language_of(text: str) -> str:
    """Language of a text, by its first 4,000 characters, as ISO code; "en" where there is no evidence of another one. Cached."""
    return _language(text[:_READ])


@keep(megabytes=2)
def _language(text: str) -> str:
    script = None if text.isascii() else _by_script(text[:_SCRIPT_READ])
    if script:
        return script
    words, counts = _WORD.findall(text), [0] * len(_LANGUAGES)
    english = _CASE_NAME * len(_VERSUS.findall(text)) + len(_LATIN_PHRASE.findall(text))
    for i, word in enumerate(words):
        if i > 0 and len(word) <= _SHORT and not word.islower():
            continue
        lower = word.lower()
        english += lower in _SHARED
        for language in _OF_WORD.get(lower, ()):
            counts[language] += 1
    if max(counts) < _LEAST - 1 or max(counts) < english:
        return "en"
    shapes = {m.lastgroup for m in _FORMS.finditer(text)}
    evidence = [count + (count > 0 and code in shapes) for count, code in zip(counts, _LANGUAGES, strict=True)]
    best = max(range(len(counts)), key=evidence.__getitem__)
    enough = evidence[best] >= _LEAST and counts[best] >= _SHARE * len(words) and evidence[best] > english
    return _LANGUAGES[best] if enough else "en"


def _by_script(text: str) -> str | None:
    """Language of the script that has most letters; None if that is the Latin one."""
    counts = Counter(m.lastgroup or "" for m in _SCRIPT.finditer(text))
    # A character of these scripts stands for a syllable or a word.
    wide = 3 * sum(counts[code] for code in ("ja", "zh", "ko"))
    other = sum(counts.values()) - wide // 3
    if wide + other <= len(_LATIN.findall(text)) or not counts:
        return None
    if counts["ja"] >= _KANA_LEAST * (counts["zh"] + counts["ja"]) and counts["ja"]:
        return "ja"
    best = max(counts, key=counts.__getitem__)
    return "uk" if best == "ru" and any(c in text for c in "іїєґ") else best


def what_is_read(language: str) -> str:
    """Say in one sentence what of an answer in a language, by its ISO code, was looked up."""
    if language == "en":
        return "Figures, dates, sections, names, citations, quotations and marks to sources were looked up."
    name = _NAMES.get(language)
    left = "names are not" if language in READ_LANGUAGES else "names and numbers in words are not"
    why = f"as the answer is in {name}" if name else "as its language is not read"
    return f"Figures, dates, sections, quotations and marks to sources were looked up; {left}, {why}."
