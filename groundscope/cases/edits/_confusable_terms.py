"""The edit operator on legal terms that are taken for each other, with the difference in a few words.

The pairs are chosen so that either word fits the other's place in a sentence (same part of speech, regular plural in -s).
"""

import re
from collections import defaultdict
from collections.abc import Iterator

from groundscope.cases.edits.source import Edit, EditSource, Operator, keep_case
from groundscope.types import ErrorType

PAIRS: tuple[tuple[str, str, str], ...] = (
    ("rescission", "reformation", "rescission undoes a contract, reformation corrects its words"),
    ("rescind", "reform", "to rescind undoes a contract, to reform corrects its words"),
    ("void", "voidable", "void never had effect, voidable has it until avoided"),
    ("assignment", "novation", "an assignment transfers rights, a novation replaces the contract"),
    ("assignment", "delegation", "rights are assigned, duties are delegated"),
    ("assignment", "sublease", "an assignment transfers the whole term, a sublease less than it"),
    ("accord", "novation", "an accord promises a substitute performance, a novation substitutes a party or contract at once"),
    ("condition precedent", "condition subsequent", "one must happen before a duty arises, the other ends a duty"),
    ("warranty", "representation", "a warranty promises that a thing is so, a representation asserts it to induce"),
    ("warranty", "guaranty", "a warranty vouches for a thing, a guaranty for another's debt"),
    ("indemnity", "contribution", "indemnity shifts the whole loss, contribution shares it"),
    ("liquidated damages", "punitive damages", "agreed compensation, against punishment"),
    ("compensatory damages", "punitive damages", "one makes whole, the other punishes"),
    ("expectation", "reliance", "expectation gives the bargain, reliance restores what was spent on it"),
    ("restitution", "compensation", "restitution measures the defendant's gain, compensation the claimant's loss"),
    ("estoppel", "waiver", "estoppel rests on another's reliance, waiver on giving up a known right"),
    ("waived", "forfeited", "waived is given up knowingly, forfeited is lost by not asserting it"),
    ("waiver", "forfeiture", "waiver is a knowing surrender, forfeiture a loss by failing to act"),
    ("claim preclusion", "issue preclusion", "one bars a whole claim, the other a single determined issue"),
    ("res judicata", "collateral estoppel", "one bars a claim, the other an issue"),
    ("personal jurisdiction", "subject-matter jurisdiction", "power over the party, against power over the kind of case"),
    ("general jurisdiction", "specific jurisdiction", "any claim, against claims connected with the forum"),
    ("jurisdiction", "venue", "jurisdiction is power to decide, venue the proper place"),
    ("notice of removal", "motion to remand", "removal goes to federal court, remand sends back"),
    ("joinder", "intervention", "a party is joined by others, an intervenor comes of its own accord"),
    ("counterclaim", "crossclaim", "against an opposing party, against a co-party"),
    ("dismissal with prejudice", "dismissal without prejudice", "the first bars a new suit, the second does not"),
    ("with prejudice", "without prejudice", "one bars a new suit, the other does not"),
    ("summary judgment", "default judgment", "no genuine dispute of fact, against failure to defend"),
    ("entry of default", "default judgment", "the clerk's note of a failure to plead, against the judgment that may follow"),
    ("affidavit", "deposition", "a written sworn statement, against testimony on questions"),
    ("interrogatory", "deposition", "written questions, against oral examination"),
    ("subpoena", "summons", "a subpoena calls for evidence, a summons brings in a party"),
    ("verdict", "judgment", "the jury's finding, against the court's decision"),
    ("vacated", "reversed", "vacated clears the decision away, reversed decides the other way"),
    ("de novo", "for abuse of discretion", "no deference, against great deference"),
    ("clear error", "abuse of discretion", "review of facts, against review of discretionary rulings"),
    ("preponderance of the evidence", "clear and convincing evidence", "more likely than not, against highly probable"),
    ("burden of proof", "burden of production", "to persuade, against to bring some evidence"),
    ("burden of persuasion", "burden of production", "to persuade, against to bring some evidence"),
    ("presumption", "inference", "a presumption must be drawn until rebutted, an inference may be"),
    ("privilege", "immunity", "a privilege keeps evidence or excuses an act, an immunity bars liability or suit"),
    ("absolute immunity", "qualified immunity", "no liability at all, against none unless the law was clearly established"),
    ("attorney-client privilege", "work-product protection", "confidential advice, against preparation for litigation"),
    ("probable cause", "reasonable suspicion", "probable cause supports arrest and search, suspicion a brief stop"),
    ("robbery", "burglary", "taking from a person by force, against entering to commit a crime"),
    ("theft", "robbery", "robbery adds force or fear"),
    ("assault", "battery", "the threat, against the contact"),
    ("libel", "slander", "written, against spoken"),
    ("murder", "manslaughter", "murder needs malice"),
    ("parole", "probation", "parole follows prison, probation replaces it"),
    ("pardon", "commutation", "a pardon forgives the crime, a commutation shortens the sentence"),
    ("recklessness", "negligence", "a known risk disregarded, against a risk that should have been known"),
    ("negligence", "strict liability", "fault, against none needed"),
    ("gross negligence", "ordinary negligence", "an extreme departure from care, against a simple one"),
    ("intentionally", "negligently", "on purpose, against without due care"),
    ("knowingly", "recklessly", "aware of the fact, against disregarding a risk of it"),
    ("actual cause", "proximate cause", "but-for causation, against the legal limit of liability"),
    ("comparative negligence", "contributory negligence", "reduces recovery, against bars it"),
    ("jointly and severally", "severally", "each for the whole, against each for a share"),
    ("invitee", "licensee", "there for the owner's business, against there by permission only"),
    ("easement", "license", "an interest in land, against a revocable permission"),
    ("lease", "license", "exclusive possession, against permission to use"),
    ("joint tenancy", "tenancy in common", "with survivorship, against without it"),
    ("lessor", "lessee", "the one who lets, against the one who rents"),
    ("mortgagor", "mortgagee", "the borrower, against the lender"),
    ("attachment", "perfection", "attachment binds the debtor, perfection others"),
    ("secured", "unsecured", "with collateral, against without it"),
    ("voluntary", "involuntary", "by the debtor's own act, against by others'"),
    ("preference", "fraudulent transfer", "favours one creditor, against defrauds all"),
    ("merger", "consolidation", "one company survives, against a new one is formed"),
    ("derivative", "direct", "for the company, against for the holder's own harm"),
    ("duty of care", "duty of loyalty", "to inform oneself and act prudently, against not to prefer oneself"),
    ("business judgment", "entire fairness", "deference to directors, against proof of fair dealing and price"),
    ("actual authority", "apparent authority", "from the principal's words to the agent, against those to the third party"),
    ("employee", "independent contractor", "the employer controls an employee's manner of work"),
    ("disparate treatment", "disparate impact", "intent, against effect of a neutral practice"),
    ("infringement", "misappropriation", "of a patent, mark or copyright, against of a secret"),
    ("novelty", "obviousness", "one reference discloses all, against several make it plain"),
    ("trademark", "copyright", "a sign of origin, against an author's work"),
    ("descriptive", "suggestive", "states a quality, against hints at it"),
    ("generic", "descriptive", "the name of the thing, against a quality of it"),
    ("deduction", "credit", "a deduction lowers income, a credit the tax"),
    ("tax avoidance", "tax evasion", "lawful, against a crime"),
    ("gross income", "adjusted gross income", "before, against after certain deductions"),
    ("legal custody", "physical custody", "who decides, against where the child lives"),
    ("annulment", "divorce", "no valid marriage, against the end of one"),
    ("alimony", "child support", "for the spouse, against for the child"),
    ("executor", "administrator", "named by the will, against appointed by the court"),
    ("bequest", "devise", "of personal property, against of land"),
    ("revocable", "irrevocable", "the settlor may undo it, against may not"),
    ("trustee", "settlor", "holds the property, against gave it"),
    ("refugee", "asylee", "admitted from abroad, against granted protection in the country"),
    ("asylum", "withholding of removal", "discretionary with a path to residence, against mandatory and narrower"),
    ("inadmissible", "deportable", "barred from entry, against removable after it"),
    ("rulemaking", "adjudication", "general rules, against a single case"),
    ("legislative rule", "interpretive rule", "binds and needs notice and comment, against explains"),
    ("standing", "ripeness", "the right party, against the right time"),
    ("ripeness", "mootness", "too early, against too late"),
    ("data controller", "data processor", "decides why and how, against acts for the controller"),
    ("pseudonymised", "anonymised", "still personal data, against no longer"),
    ("undertaking", "affidavit", "a promise to the court, against sworn evidence"),
    ("misfeasance", "nonfeasance", "a wrongful act, against a failure to act"),
)
"""Term, term, difference."""

_NEIGHBOURS: dict[str, list[tuple[str, str]]] = defaultdict(list)
for _one, _other, _difference in PAIRS:
    _NEIGHBOURS[_one].append((_other, _difference))
    _NEIGHBOURS[_other].append((_one, _difference))
_LONGEST_FIRST = "|".join(sorted(map(re.escape, _NEIGHBOURS), key=len, reverse=True))
_TERM = re.compile(rf"\b(?P<term>{_LONGEST_FIRST})(?P<many>s?)\b", re.IGNORECASE)


def _terms(source: EditSource) -> Iterator[Edit]:
    """A legal term's confusable neighbour; of nested terms the longest counts, and a plural stays one."""
    for m in source.found(_TERM):
        for other, difference in _NEIGHBOURS[m["term"].casefold()]:
            many = "s" if m["many"] and not other.endswith("s") else ""
            new = keep_case(m.group(), other + many)
            why = "“{new}” is not “{old}”: {difference}."
            yield from source.unsaid(m.start(), m.end(), new, why, difference=difference)


OPERATORS = (
    Operator("term", "Confusable term", ErrorType.TERMINOLOGICAL_ERROR, _terms, "It holds no term with a confusable neighbour."),
)
