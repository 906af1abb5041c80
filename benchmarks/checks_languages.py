"""Sentences of this project's own in German, French, Spanish and Japanese, half of them with a figure that their source lacks."""

from typing import NamedTuple


class ForeignSentence(NamedTuple):
    """A sentence of an answer and its source; `wrong` is the words that the source lacks, empty where it is sound."""

    language: str
    source: str
    answer: str
    wrong: str = ""


SENTENCES = (
    ForeignSentence(
        "German",
        "Die Kündigungsfrist beträgt drei Monate zum Monatsende.",
        "Gekündigt werden kann mit einer Frist von 3 Monaten zum Monatsende.",
    ),
    ForeignSentence(
        "German",
        "Der Kaufpreis beträgt 1.250.000 Euro und ist am 1. März 2021 fällig.",
        "Fällig sind 1,25 Mio. € am 01.03.2021.",
    ),
    ForeignSentence(
        "German",
        "Der Verzugszins liegt bei 9,5 Prozent jährlich.",
        "Auf den Rückstand entfallen 9,5 % Zinsen im Jahr.",
    ),
    ForeignSentence(
        "German",
        "Die Mängelrechte stehen in den §§ 434 bis 442 BGB.",
        "Die Mängelrechte folgen aus § 437 BGB.",
    ),
    ForeignSentence(
        "German",
        "Das Urteil erging am 12.10.2019 nach zwei Verhandlungstagen.",
        "Nach 2 Verhandlungstagen erging das Urteil am 12. Oktober 2019.",
    ),
    ForeignSentence(
        "German",
        "Die Kündigungsfrist beträgt drei Monate zum Monatsende.",
        "Gekündigt werden kann mit einer Frist von sechs Monaten zum Monatsende.",
        "sechs",
    ),
    ForeignSentence(
        "German",
        "Der Kaufpreis beträgt 1.250.000 Euro und ist am 1. März 2021 fällig.",
        "Fällig sind 250.000 Euro am 1. März 2021.",
        "250.000",
    ),
    ForeignSentence(
        "German",
        "Der Verzugszins liegt bei 9,5 Prozent jährlich.",
        "Auf den Rückstand entfallen 5 % Zinsen im Jahr.",
        "5 %",
    ),
    ForeignSentence(
        "German",
        "Die Mängelrechte stehen in den §§ 434 bis 442 BGB.",
        "Die Mängelrechte folgen aus § 473 BGB.",
        "473",
    ),
    ForeignSentence(
        "German",
        "Das Urteil erging am 12.10.2019 nach zwei Verhandlungstagen.",
        "Nach zwei Verhandlungstagen erging das Urteil am 12. November 2019.",
        "12. November 2019",
    ),
    ForeignSentence(
        "French",
        "Le loyer mensuel est fixé à 1 200,50 euros.",
        "Le bail prévoit un loyer mensuel de 1.200,50 €.",
    ),
    ForeignSentence(
        "French",
        "La caution est limitée à trente mille euros.",
        "La caution couvre au plus 30 000 euros.",
    ),
    ForeignSentence(
        "French",
        "Le pourvoi a été formé le 3 février 2018 contre l'arrêt d'appel.",
        "Le pourvoi contre l'arrêt d'appel date du 03/02/2018.",
    ),
    ForeignSentence(
        "French",
        "Le taux d'intérêt est de 4,25 % par an.",
        "Les intérêts courent au taux de 4,25 pour cent par an.",
    ),
    ForeignSentence(
        "French",
        "L'article 1240 oblige l'auteur du dommage à le réparer.",
        "L'auteur du dommage doit le réparer selon l'art. 1240.",
    ),
    ForeignSentence(
        "French",
        "Le loyer mensuel est fixé à 1 200,50 euros.",
        "Le bail prévoit un loyer mensuel de 200,50 €.",
        "200,50",
    ),
    ForeignSentence(
        "French",
        "La caution est limitée à trente mille euros.",
        "La caution couvre au plus 13 000 euros.",
        "13 000",
    ),
    ForeignSentence(
        "French",
        "Le pourvoi a été formé le 3 février 2018 contre l'arrêt d'appel.",
        "Le pourvoi contre l'arrêt d'appel date du 3 août 2018.",
        "3 août 2018",
    ),
    ForeignSentence(
        "French",
        "Le taux d'intérêt est de 4,25 % par an.",
        "Les intérêts courent au taux de 25 % par an.",
        "25 %",
    ),
    ForeignSentence(
        "French",
        "L'article 1240 oblige l'auteur du dommage à le réparer.",
        "L'auteur du dommage doit le réparer selon l'article 1204.",
        "1204",
    ),
    ForeignSentence(
        "Spanish",
        "El plazo de prescripción es de cinco años desde la entrega.",
        "La acción prescribe a los 5 años de la entrega.",
    ),
    ForeignSentence(
        "Spanish",
        "El vendedor recibió 2.400.000 euros en concepto de señal.",
        "La señal recibida fue de 2,4 millones de euros.",
    ),
    ForeignSentence(
        "Spanish",
        "La sentencia se notificó el 14 de mayo de 2020 a las partes.",
        "Las partes recibieron la sentencia el 14/05/2020.",
    ),
    ForeignSentence(
        "Spanish",
        "El recargo asciende al 7,5 por ciento de la deuda.",
        "El recargo es del 7,5 % de la deuda.",
    ),
    ForeignSentence(
        "Spanish",
        "El artículo 1902 impone la reparación del daño causado.",
        "El daño causado debe repararse conforme al art. 1902.",
    ),
    ForeignSentence(
        "Spanish",
        "El plazo de prescripción es de cinco años desde la entrega.",
        "La acción prescribe a los quince años de la entrega.",
        "quince",
    ),
    ForeignSentence(
        "Spanish",
        "El vendedor recibió 2.400.000 euros en concepto de señal.",
        "La señal recibida fue de 400.000 euros.",
        "400.000",
    ),
    ForeignSentence(
        "Spanish",
        "La sentencia se notificó el 14 de mayo de 2020 a las partes.",
        "Las partes recibieron la sentencia el 4 de mayo de 2020.",
        "4 de mayo",
    ),
    ForeignSentence(
        "Spanish",
        "El recargo asciende al 7,5 por ciento de la deuda.",
        "El recargo es del 75 % de la deuda.",
        "75 %",
    ),
    ForeignSentence(
        "Spanish",
        "El artículo 1902 impone la reparación del daño causado.",
        "El daño causado debe repararse conforme al artículo 1920.",
        "1920",
    ),
    ForeignSentence("Japanese", "賃料は月額12万円とする。", "賃料は月額120,000円である。"),
    ForeignSentence("Japanese", "契約期間は2020年4月1日から2年間である。", "契約は2020年4月1日に始まる。"),
    ForeignSentence("Japanese", "遅延損害金は年14.6%とする。", "遅延損害金は年14.6パーセントである。"),
    ForeignSentence("Japanese", "民法第415条は債務不履行による損害賠償を定める。", "損害賠償は民法415条による。"),
    ForeignSentence("Japanese", "売買代金は三百万円である。", "売買代金は300万円である。"),
    ForeignSentence("Japanese", "賃料は月額12万円とする。", "賃料は月額2万円である。", "2万円"),
    ForeignSentence("Japanese", "契約期間は2020年4月1日から2年間である。", "契約は2020年4月11日に始まる。", "4月11日"),
    ForeignSentence("Japanese", "遅延損害金は年14.6%とする。", "遅延損害金は年4.6%である。", "4.6%"),
    ForeignSentence("Japanese", "民法第415条は債務不履行による損害賠償を定める。", "損害賠償は民法第451条による。", "451"),
    ForeignSentence("Japanese", "売買代金は三百万円である。", "売買代金は300円である。", "300円"),
)  # fmt: skip
