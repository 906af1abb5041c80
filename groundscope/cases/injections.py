"""Passages that talk to a model instead of a reader: orders, forged verdicts and tags, invisible text.

Case texts are untrusted, and who judges them may be a model. What is found here is a hint for people, shown beside the text; it
decides nothing, and what is not found may be an attack all the same. Rare in honest legal text, so that a hint means something.
Every pattern is linear: what may repeat is bounded, or cannot be read in two ways.
"""

import base64
import binascii
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Literal, NamedTuple

from groundscope.types import Case

Kind = Literal["order", "role", "verdict", "template", "tag", "hidden", "encoded"]
KINDS: dict[Kind, str] = {
    "order": "orders a model to leave its instructions",
    "role": "addresses a model, or gives it another role",
    "verdict": "dictates or imitates a verdict",
    "template": "imitates the messages that a model is sent",
    "tag": "imitates the borders between data and instructions",
    "hidden": "holds invisible characters",
    "encoded": "holds encoded orders to a model",
}
"""What a passage of each kind does, in words that go after "This passage"."""

_MOST = 200
"""Signs of one kind in one text: a text that repeats itself needs no more."""
_SHOWN = 120
_NEAR = 60
"""Characters between a label and the word that asks for it."""
# Words of orders to a model, in many languages; each a small pattern over lower case.
_NOUNS = r"""
instructions? prompts? guidelines directions commands orders rules tasks? criteria text above context document messages?
anweisung\w{0,4} vorgaben instruktionen regeln
consignes règles
instrucciones indicaciones reglas órdenes
istruzioni regole indicazioni
instruções regras
instructies opdrachten regels aanwijzingen
instrukcj\w{0,4} polece\w{0,4}
instruktion\w{0,4} anvisningar
инструкци\w{0,4} указани\w{0,4} правила? інструкці\w{0,4} вказівк\w{0,4}
التعليمات الأوامر ההוראות הנחיות
"""
_LEAVE = r"""
ignore[zr]? disregard forget override bypass overrule stop\sfollowing (?:not|don't|never)\s(?:follow|obey)
ignoriere\w? missachte\w? vergiss
oublie[zr]? pas\scompte
ignora(?:te)? olvid[ae] caso\somiso
dimentica(?:te)?
esqueça desconsidere
negeer vergeet
z?ignoruj zapomnij
ignorera glöm
(?:про)?игнорируй\w{0,2} забудь\w{0,2} ігноруй\w{0,2}
تجاهل\w? انس התעלם שכח
"""
_LEAVE_STEMS = """
ignor disregard forget overr bypass follow obey missacht vergiss oublie compte olvid omiso dimentic esqueça desconsid
negeer vergeet zapomnij glöm игнор забудь ігнор تجاهل انس התעלם שכח 忽 无视 無視 忘 不要理会 무시 잊 talimat komut निर्देश
"""
_WHICH_WORDS = r"""
all any every\w{0,5} previous prior above earlier preceding foregoing before your these system other
alle[nrs]? obig\w{0,2} vorherig\w{0,2} bisherig\w{0,2} deine
tou[ts]e?s? précédent\w{0,2} ci-dessus antérieures
tod[ao]s anterior\w{0,2} previ[ae]s?
tutte precedent\w
eerdere vorige
wszystkie poprzedni\w{0,2}
tidigare alla
все всі предыдущ\w{1,2} попередн\w{1,2}
السابقة הקודמות
"""
_SAY_WORDS = r"""
\b(?:respond|reply|answer|output|return|print|write|say|give|set|mark|rate|label|classify|judge|score|treat|report|use|put|state)
conclude choose verdict
antworte setze
répond mettez
marca rispondi scrivi
antwoord
odpowiedz
ответь отвечай поставь відповідай
回答 回复 回覆 输出 輸出 答え 出力 답 출력
yanıtla cevap أجب ענה उत्तर जवाब
"""


class Sign(NamedTuple):
    """A passage that looks like instructions to a model: `text[start:end]`; `words` is what to show of it."""

    start: int
    end: int
    kind: Kind
    words: str


class CaseSign(NamedTuple):
    """A sign in a case, with offsets into the text it is in.

    `where` is `context` for a passage's text, `source` for what a reader calls the passage; models are shown both. `passage` is
    its index, None for the query and the response.
    """

    where: Literal["query", "context", "source", "response"]
    passage: int | None
    sign: Sign


# Zero-width and bidi characters, and selectors that carry bytes. Joiners and marks belong to some scripts: only in Latin words.
_HIDDEN = re.compile(
    "[\u200b\u2060-\u2064\u2066-\u206f\u202a-\u202e\ufff9-\ufffb\u180e\u3164\u115f\u1160]+|(?<!^)\ufeff+"
    "|(?<=[A-Za-z])\u00ad*[\u200c-\u200f][\u200c-\u200f\u00ad]*(?=[A-Za-z ])|[\U000e0100-\U000e01ef]{2,}"
)
# Flags of emoji are written with tag characters too.
_TAGGED = re.compile("(?<!\U0001f3f4)(?<![\U000e0020-\U000e007f])[\U000e0000-\U000e007f]+")
_SEEN = {0xE0000 + c: c for c in range(0x20, 0x7F)} | {0xFF00 + c - 0x20: c for c in range(0x21, 0x7F)} | {0x130: ord("i")}


def _words(text: str) -> str:
    """One of some words, as a pattern."""
    return f"(?:{'|'.join(text.split())})"


_ORDER = re.compile(
    rf"{_words(_LEAVE)}\b[^.!?。]{{0,60}}?\b{_words(_NOUNS)}\b"
    r"|(?:忽略|无视|無視|忽視|忘记|忘記|不要理会).{0,15}?(?:指令|指示|说明|說明|规则|規則|要求|提示)"
    r"|(?:指示|命令|ルール|プロンプト).{0,10}?(?:無視|忘れ)|(?:지시|명령|지침|프롬프트).{0,12}?(?:무시|잊)"
    r"|(?:talimat|komut)\w{0,8}.{0,15}?(?:yok say|görmezden|unut|dikkate alma)|निर्देश.{0,25}?(?:अनदेखा|नज़रअंदाज़|भूल)"
)
# Jurors and parties ignore instructions too; a model is told which.
_WHICH = re.compile(rf"\b{_words(_WHICH_WORDS)}\b|[\u0900-\u097f\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]|talimat|komut")
_AGENT = (
    r"(?:ai|llms?|(?:large )?language model|ai model|chat ?bot|chatgpt|claude|gpt|ai assistant|evaluator|grader|fact.checker)\b"
)
_ROLE = re.compile(
    r"you are (?:now|no longer) (?:an?|in|my|the|called|acting|dan|bound)\b|from now on,? (?:you|act|answer|respond|reply)\b"
    rf"|(?:act|behave|respond|speak) as (?:an? |the )?(?:\w{{1,15}} ){{0,3}}?{_AGENT}|pretend (?:that )?you\b|role-?play\b"
    r"|imagine you are\b|\b(?:developer|god|admin|debug|dan|jailbreak|maintenance|sudo|test) mode\b|\bsystem prompt\b"
    r"|(?:new|updated|real|actual) (?:system )?(?:instructions?|task)\b ?[:\-–—]"
    r"|your (?:new|real|only|actual) (?:task|role|job|instructions?|goal)\b"
    r"|(?:note|message|instructions?|attention|dear|hello|hey|memo)(?: \w{1,9})?,?:? (?:to |for )?(?:the |any |all |every )?"
    rf"{_AGENT}"
    rf"|if you are (?:an? |the )?{_AGENT}"
    r"|(?:reveal|print|repeat|leak|output) (?:all )?(?:your|the) (?:system |hidden |initial )?(?:prompt|instructions)\b"
)
_SAY = re.compile(_words(_SAY_WORDS), re.IGNORECASE)
# Some languages put the verb last.
_SAID = re.compile(r"[^.!?。\n]{0,8}?(?:回答|答え|出力|返|대답|출력|답)")
_LABEL = re.compile(
    r"(?<![A-Za-z])(?:PASS(?:ED)?|FAIL(?:ED)?|ENTAILMENT|Entailment|Contradiction|GROUNDED|FAITHFUL|SUPPORTED)(?![A-Za-z])"
)
_VERDICT = re.compile(
    r"(?:respond|reply|answer|output|return|print|say) (?:\w{1,12} ){0,3}?(?:only|just|exactly|simply|nothing but)\b"
    r"[^.!?\n]{0,30}?\b(?:pass|fail|yes|entailment|idk|true|grounded)\b"
    r"|(?:verdict|score|label|grounded|faithful)[\"'”]?\s{0,5}(?:[:=]|(?:is|to|must be|should be)\b)\s{0,5}[\"'“]?"
    r"(?:pass|fail|yes|no|idk|true|false|entailment|neutral|contradiction)[\"'”]"
    r"|[\"'](?:verdicts?|labels?|score|truths|claims|triplets|reasons|reasoning|unsupported)[\"']\s{0,5}:"
    r"|this (?:answer|response) (?:is|was|has been) (?:\w{1,12} ){0,3}?(?:faithful|grounded|verified|approved)"
)
_TEMPLATE = re.compile(
    r"<\|[a-z_]{2,30}\|>|\[/?inst\]|<</?sys>>|^[ \t>#*\-]{0,10}(?:system|assistant|developer|human)(?: \w{1,12})?[ \t*]{0,5}:"
    r"|\[(?:system|assistant|developer|tool|admin)\b[^\]\n]{0,40}\]"
    r"|^#{2,6} {0,3}(?:new |updated )?(?:instructions?|system|task|response|override)\b"
    r"|[\"']role[\"']\s{0,5}:\s{0,5}[\"'](?:system|assistant|tool|developer)|\b(?:tool|function)_(?:result|use|call|output)",
    re.MULTILINE,
)
_TAG = re.compile(
    r"</?(?:data|answer|context|document|response|question|claims|facts|system|assistant|user|instructions?|important|think"
    r"|verdict)"
    r"(?:(?:ing)?[-_ =\"'][^<>\n]{0,60})?/?>|<!--|^-{2,5}[ \t]{0,3}\n(?:question|document|answer)\b"
    r"|^[^\w\n]{1,12}end of (?:the )?(?:document|context|data|answer|response|input|prompt|passages?|untrusted|user)\b",
    re.MULTILINE,
)
_ENCODED = re.compile(
    r"vtaber\b[^.!?]{0,60}?\bvafgehpgvba"
    r"|(?:decode|decipher|base64|rot13)\b[^.!?\n]{0,40}?\b(?:base64|rot13|follow|obey|execute|do what|instructions?)\b"
)
_BASE64 = re.compile(r"(?<![\w+/])[A-Za-z0-9+/_\-]{24,4000}(?![\w+/])")
_SEARCHED: tuple[tuple[Kind, re.Pattern[str], Sequence[str]], ...] = (
    ("order", _ORDER, _LEAVE_STEMS.split()),
    ("role", _ROLE, (
        "you", " as ", " mode", "prompt", "instruction", "task", "role", "note", "message", "attention", "dear", "hello", "hey",
        "memo",
    )),
    ("verdict", _VERDICT, (
        "verdict", "score", "label", "ground", "faithful", "only", "just", "exactly", "simply", "but", '":', "':",
    )),
    ("template", _TEMPLATE, ("<|", "inst", "sys", "assistant", "developer", "human", "tool", "admin", "##", "role", "function_")),
    ("tag", _TAG, ("<", "--\n", "end of")),
    ("encoded", _ENCODED, ("vtaber", "deco", "deciph", "base64", "rot13")),
)  # fmt: skip
"""Patterns over lower case, each with words of which one is in all that it finds: most texts hold none, and take no time."""


def instructions_in(text: str) -> tuple[Sign, ...]:
    """Find passages that look like instructions to a model, in reading order, with half-open character offsets; linear.

    Signs of two kinds may overlap. A text that repeats itself has at most 200 of each pattern.
    """
    return tuple(sorted(_found(text, deep=True)))


def signs_of(case: Case) -> tuple[CaseSign, ...]:
    """Find the signs in all texts of a case that a model is shown."""
    signs = [CaseSign("query", None, sign) for sign in instructions_in(case.query)]
    for i, passage in enumerate(case.context):
        signs += [CaseSign("source", i, sign) for sign in instructions_in(passage.source)]
        signs += [CaseSign("context", i, sign) for sign in instructions_in(passage.text)]
    return (*signs, *(CaseSign("response", None, sign) for sign in instructions_in(case.response)))


def _found(text: str, *, deep: bool) -> Iterator[Sign]:
    for pattern in (_HIDDEN, _TAGGED):
        for match in islice(pattern.finditer(text), _MOST) if not text.isascii() else ():
            yield Sign(match.start(), match.end(), "hidden", _named(match[0]))
    seen = _Seen(text)
    for kind, pattern, stems in _SEARCHED:
        if any(stem in seen.lower for stem in stems):
            for match in islice(pattern.finditer(seen.lower), _MOST):
                if kind != "order" or _WHICH.search(match[0]):
                    yield seen.sign(match.start(), match.end(), kind)
    for start, end in islice(_labels(seen.text), _MOST):
        yield seen.sign(start, end, "verdict")
    for match in islice(_BASE64.finditer(seen.text), _MOST) if deep else ():
        if any(sign.kind != "hidden" for sign in _found(_decoded(match[0]), deep=False)):
            yield seen.sign(match.start(), match.end(), "encoded")


def _labels(text: str) -> Iterator[tuple[int, int]]:
    """Labels of this project's methods close behind or before a word that asks for one; each stretch is searched once."""
    done = 0
    for match in _LABEL.finditer(text):
        before = _SAY.search(text, max(done, match.start() - _NEAR), match.start())
        after = None if before else _SAID.match(text, match.end())
        if before or after:
            yield (before.start() if before else match.start()), (after.end() if after else match.end())
        done = match.end()


class _Seen:
    """A text as a model may read it: without what is hidden, tag and full-width characters as letters; with its places."""

    def __init__(self, text: str) -> None:
        self._original = text
        self._starts, self._shifts, pieces, at, removed = [0], [0], [], 0, 0
        for match in _HIDDEN.finditer(text) if not text.isascii() else ():
            pieces.append(text[at : match.start()])
            at, removed = match.end(), removed + match.end() - match.start()
            self._starts.append(at - removed)
            self._shifts.append(removed)
        whole = "".join((*pieces, text[at:])) if pieces else text
        self.text = whole if whole.isascii() else whole.translate(_SEEN)
        self.lower = self.text.lower()

    def sign(self, start: int, end: int, kind: Kind) -> Sign:
        """A span of this text as a sign in the original."""
        first, last = (at + self._shifts[bisect_right(self._starts, at) - 1] for at in (start, end - 1))
        words = " ".join(self.text[start : min(end, start + 2 * _SHOWN)].split())
        return Sign(first, last + 1, kind, words if len(words) <= _SHOWN else f"{words[: _SHOWN - 1]}…")


def _named(hidden: str) -> str:
    """What to show of what cannot be seen: which characters, and what tag characters spell."""
    names = [f"U+{ord(c):04X} {unicodedata.name(c, 'without a name').lower()}" for c in dict.fromkeys(hidden[:400])][:3]
    spelt = "".join(chr(_SEEN[ord(c)]) for c in hidden[:_SHOWN] if ord(c) in _SEEN)
    some = f"{len(hidden):,} invisible characters" if len(hidden) > 1 else "an invisible character"
    return f"{some}: {f'they spell “{spelt}”' if spelt else ', '.join(names)}"


def _decoded(text: str) -> str:
    try:
        return base64.urlsafe_b64decode(text.replace("+", "-").replace("/", "_") + "=" * (-len(text) % 4)).decode()
    except (binascii.Error, ValueError):
        return ""
