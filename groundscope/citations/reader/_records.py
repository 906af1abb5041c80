"""Cites to the record of a case (pleadings, transcripts, exhibits): no authorities, but what a later Id. refers to."""

import re
from collections.abc import Iterator

from groundscope.citations.reader.party_names import sentence_cut

_NUMBER = r"\*?\d{1,6}[A-Za-z]?(?:[-:.,]\*?\d{1,6}[A-Za-z]?){0,5}"
_AT = r"(?:at|pp?\.|¶{1,2}|§{1,2}|[Pp]aras?\.|[Pp]aragraphs?|[Ss]ections?|[Aa]rt\.|[Aa]rticle|cl\.|ll?\.|Nos?\.|[Nn]umber|\#)"
_LETTER = r"[A-Z]{1,3}(?:-?\d{1,4})?(?:-[A-Z]{1,2})?(?!\w)"
_SHORT = (
    r"(?:Compl|Countercl|Cross-Compl|Ans|Pet|Pleading|Dkt|Doc|ECF|Tr|Hrg|Exhs?|Exs?|App|Appx|App'x|Rec|ROA|Decls?|Affs?|Aff'd|Depo?|"
    r"Br|Opp|Opp'n|Mot|Mots|Mem|Memo|MTD|MSJ|FAC|SAC|TAC|PSR|PSI|P?SOF|DSOF|SUF|SMF|Stip|Stmt|Interrogs?|RFA|RFP|Resp|Objs?|Ord|Op|"
    r"Agmt|Sched|Att|Attach|Encl|Annex|Instr|Rpt|Add|Ltr|Mins|Joint App|PX|DX|GX|JX)\.?"
)
_INITIALS = (
    r"(?:R\.|RT|CT|JA|SA|AR|CR|DE|T\.|J\.\s?A\.|S\.\s?A\.|A\.\s?R\.|C\.\s?R\.|D\.\s?E\.|R\.\s?T\.|C\.\s?T\.|R\.\s?O\.\s?A\.)"
)
_LETTERED = r"(?:Exhibits?|Appendix|Schedule|Attachment|Annex|Tab|Enclosure)"
_WORD = (
    r"(?:Complaint|Counterclaim|Answer|Reply|Petition|Transcript|Record|Declaration|Affidavit|Deposition|Brief|Opposition|Motion|"
    r"Memorandum|Docket|Order|Opinion|Stipulation|Statement|Lease|Agreement|Contract|Policy|Deed|Will|By-?laws|Charter|Handbook|Manual|"
    r"Report|Letter|E-?mail|Invoice|Notice|Guaranty|Indenture|Mortgage|Licen[cs]e|Plan|Warrant|Indictment|Settlement|Release)"
)
_OF = r"\s(?:of|in|to|for|on|re)(?:\s(?!I(?:d|bid)\b)(?:of|in|to|for|on|re|the|[A-Z][\w.'-]{0,17})){1,8}"
# Every cite begins with a capital: so the scan jumps from one to the next.
_CAPITAL = re.compile(r"[A-Z](?<![\w&'.-].)")
_RECORD = re.compile(
    rf"(?:(?P<short>{_SHORT}(?:(?:\s{_SHORT}|\sSumm\.\sJ\.){{1,3}}|{_OF})?,?\s(?:{_AT}\s?(?:{_AT}\s?)?)?{_NUMBER}|{_SHORT}\s{_LETTER})"
    rf"|(?P<initials>{_INITIALS}\s?(?:{_AT}\s?)?{_NUMBER})"
    rf"|(?P<lettered>{_LETTERED}\s(?:Nos?\.\s)?(?:{_NUMBER}|{_LETTER}))"
    rf"|(?P<reply>(?:Reply|Opposition|Response|Brief)\s{_NUMBER}(?=\s{{0,2}}[.;,)\]]|$))"
    rf"|(?P<word>{_WORD},?\s{_AT}\s?(?:{_AT}\s?)?{_NUMBER}))"
    rf"(?:,?\s?{_AT}\s?{_NUMBER}){{0,3}}"
)
_WHOSE = re.compile(
    r"(?:(?<![\w.'’&-])(?!(?:See|Cf|But|Also|Accord|Citing|Quoting|The|In|Under|At)\b)[A-Z][\w.'’&-]{0,17}\s){1,5}$"
)
_OPENS = re.compile(
    r"(?:^|[.;:!?)(\"'—-]\s{0,3}|\n\s{0,3}|\b(?:[Ss]ee|[Cc]f\.|also|e\.g\.,?|generally|accord|[Cc]iting|[Qq]uoting)\s)$"
)
_CLOSES = re.compile(r"\s{0,2}(?:[.;,)\]]|$)")
_BEFORE = 60


def records(text: str) -> Iterator[tuple[int, int]]:
    """Find the spans of cites to a record; "Exhibit A" inside a sentence is a thing that it speaks of, and no cite."""
    end = 0
    for capital in _CAPITAL.finditer(text):
        m = _RECORD.match(text, capital.start()) if capital.start() >= end else None
        if m is None:
            continue
        start, end = max(0, m.start() - _BEFORE), m.end()
        before = text[start : m.start()]
        if m["short"] or m["word"] or m["reply"]:
            whose = _WHOSE.search(before)
            yield (start + whose.start() + sentence_cut(whose.group()) if whose else m.start()), m.end()
        elif _OPENS.search(before) and (m["initials"] or _CLOSES.match(text, m.end())):
            yield m.span()
