"""Language of a text: English is never taken for another one; numbers in words of the languages that are read."""

import json
import re
from decimal import Decimal

import pytest

from groundscope.paths import ROOT
from groundscope.text.languages import language_of, what_is_read
from groundscope.text.values.words import READ_LANGUAGES, number_words

SENTENCES = {
    "de": "Die Frist beträgt sechs Monate.|Der Mieter schuldet 500 Euro.|Eine Kündigung bedarf der Schriftform.",
    "fr": "Le délai est de six mois.|Les parties supportent les frais.|Cette clause est nulle.",
    "es": "El plazo es de treinta días.|Las partes asumen las costas.|La multa asciende a 10.000 euros.|Esta cláusula es nula.",
    "it": "Il termine è di trenta giorni.|Le parti sostengono le spese.|Il prezzo scadeva il 3 maggio.|Questa clausola è nulla.",
    "pt": "O prazo é de trinta dias.|O vendedor responde pelos vícios.|O recurso foi rejeitado.|Esta cláusula é nula.",
    "nl": "De termijn is dertig dagen.|De werkgever moet het loon betalen.|Dit beding is nietig.|De straf is vijf jaar.",
    "sv": "Fristen är sex månader.",
    "da": "Fristen er seks måneder.",
    "pl": "Termin wynosi sześć miesięcy.",
    "ja": "罰金は200万円である。|判決 (U.S. Supreme Court) は5年後に言い渡された。",
    "zh": "罚款为200万元。",
    "ko": "벌금은 200만원이다.",
    "ru": "Срок составляет шесть месяцев.",
    "uk": "Строк становить шість місяців.",
    "el": "Η προθεσμία είναι έξι μήνες.",
    "ar": "المدة ستة أشهر.",
    "hi": "अवधि छह महीने है।",
    "en": "Rent is due.|$200|Yes.||Res ipsa loquitur applies.|Quantum meruit.|Pro se.|In re Pan Am Corp.|Lewis v. De La Cruz"
    "|Forum non conveniens|Los Angeles v. El Paso de Robles|Société Générale v. Banco de la Nación|Von der Leyen v. Van den Berg"
    "|Inter alia, de facto and de jure|The D.C. Cir.|§ 2000e-5(e)(i)|Nemo dat quod non habet|La Quinta Inns|Le Monde sued Google."
    "|Der Spiegel published it.|Las Vegas Sands Corp. v. ACE Gaming|The German word Treu und Glauben means good faith."
    "|He pleaded nolo contendere, per curiam.",
}


@pytest.mark.parametrize(("language", "sentence"), [(code, s) for code, listed in SENTENCES.items() for s in listed.split("|")])
def test_the_language_of_a_sentence(language: str, sentence: str) -> None:
    assert language_of(sentence) == language


def test_no_text_of_the_samples_and_no_piece_of_one_is_taken_for_another_language() -> None:
    texts = set[str]()
    for line in (ROOT / "sample_data" / "legal_qa.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        texts |= {case["query"], case["response"], *(p["text"] for p in case["context"])}
    pieces = {piece for text in texts for piece in re.split(r"(?<=[.?!;,])\s", text)}
    assert len(pieces) > 5_000
    assert [text for text in texts | pieces if language_of(text) != "en"] == []


def test_a_sentence_says_what_was_looked_up() -> None:
    assert what_is_read("en") == "Figures, dates, sections, names, citations, quotations and marks to sources were looked up."
    assert what_is_read("de").endswith("were looked up; names are not, as the answer is in German.")
    assert what_is_read("ja").endswith("names and numbers in words are not, as the answer is in Japanese.")
    assert what_is_read("xx").endswith("names and numbers in words are not, as its language is not read.")


@pytest.mark.parametrize(
    ("language", "text", "numbers"),
    [
        ("de", "sechs Monate, zweiunddreißig Tage, hundertzwanzig", [6, 32, 120]),
        ("de", "fünf Millionen und 5 Millionen; ein Monat, eins, der dritte Tag", [5_000_000]),
        ("de", "zwei Drittel, ein Viertel", [Decimal(2) / 3, Decimal("0.25")]),
        ("fr", "soixante et onze, quatre-vingt-dix-neuf, un mois", [71, 99]),
        ("fr", "un immeuble neuf est à neuf membres", [9]),
        ("es", "treinta y dos, mil doscientos, dos tercios", [32, 1200, Decimal(2) / 3]),
        ("it", "ventuno, duecentomila, due terzi", [21, 200_000, Decimal(2) / 3]),
        ("pt", "vinte e um, mil e duzentos", [21, 1200]),
        ("nl", "tweeëndertig, tweehonderdduizend, twee derde", [32, 200_000, Decimal(2) / 3]),
        ("ja", "百", []),
        ("da", "toogtredive", []),
    ],
)
def test_numbers_in_words(language: str, text: str, numbers: list[Decimal | int]) -> None:
    values = list(number_words(text, language))
    assert [value for _, _, value in values] == numbers
    assert (language in READ_LANGUAGES) or not values
    assert all(text[start:end] == text[start:end].strip() and start < end for start, end, _ in values)
