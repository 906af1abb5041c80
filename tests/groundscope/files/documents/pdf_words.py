"""The words of the PDF documents in this folder: `make_pdfs.py` sets them, and the tests ask for them again."""

import re

PARAGRAPHS = (
    "A tenancy of business premises rests on two promises that few people read twice. The landlord promises quiet "
    "enjoyment, and the tenant promises to leave the premises as they were. Both promises sound older than any statute, "
    "and both have been reinterpreted by every generation of judges that had to apply them. What follows describes the "
    "present understanding, which is considerably narrower than the commentaries of the last century suggested.",
    "Termination is the harder half of the subject. A notice of termination must identify the premises, the parties and "
    "the day on which the tenancy ends, and it must reach the other side in an understandable form. Where the notice "
    "contradicts itself, the interpretation that a reasonable recipient would have chosen prevails. The Smith-Jones "
    "commission called this the principle of the charitable reader, and the description has survived the commission "
    "itself.",
    "A non-compete covenant may accompany the sale of a business that occupies the premises. Such a covenant binds the "
    "seller within a radius that the parties determine, and only for the period that the purchaser genuinely requires. A "
    "non-compete covenant without any limit of time is unenforceable, notwithstanding the consideration that was paid for "
    "it. Long-term covenants are therefore written with a calendar beside them.",
    "Compensation for improvements depends on authorisation. An improvement that the landlord authorised in writing is "
    "compensated at its residual value, whereas an unauthorised improvement is merely tolerated. The administrative "
    "tribunal decides disagreements about the residual value in proceedings that are deliberately uncomplicated. Its "
    "determinations are published, with the names of the parties removed, at the beginning of every quarter.",
    "The deposit stands apart from the rent. It is administered by an independent custodian, who acknowledges the receipt "
    "within fourteen days and distributes the interest annually. If the custodian becomes insolvent, the tenant ranks "
    "before all unsecured creditors of the custodian. No authority has questioned this ranking since the consolidation of "
    "the insolvency legislation.",
    "Repairs are divided by their cause rather than by their cost. Deterioration through ordinary use falls to the "
    "landlord, and deterioration through carelessness falls to the tenant. An inspection at the commencement of the "
    "tenancy establishes the condition of the premises, and photographs taken on that occasion are admissible without "
    "further authentication. A tenant who declines the inspection cannot afterwards dispute what the photographs show.",
    "Subletting requires consent, which the landlord may not unreasonably withhold. Silence for twenty-one days after a "
    "complete request counts as consent, a presumption that was introduced because correspondence had a habit of "
    "disappearing. The subtenant acquires no relationship with the landlord, except in the circumstances that the "
    "schedule enumerates. Those circumstances are exceptional, and the schedule is exhaustive.",
    "Disputes about service charges are the commonest of all. The landlord prepares an itemised statement, the tenant has "
    "a month for objections, and an independent accountant certifies whatever remains. Certification is conclusive "
    "between the parties, unless the accountant has overlooked an arithmetical contradiction. The expense of the "
    "certification follows the event.",
    "Insurance belongs to the landlord, who recovers the premium from the tenant in proportion to the occupied area. A "
    "tenant whose activities increase the premium pays the whole of the increase. Where the premises become "
    "uninhabitable, the rent is suspended for the duration of the reconstruction, however long that may be. Neither party "
    "can terminate during the reconstruction unless the planning authority has refused its permission.",
    "Assignment differs from subletting in its consequences. The assignee becomes responsible for every obligation that "
    "falls due after the assignment, and the assignor guarantees the performance of the assignee for the remainder of the "
    "term. Guarantees that extend beyond the term are disregarded. The registration of an assignment is compulsory, and "
    "an unregistered assignment is ineffective against a subsequent purchaser who acted in good faith.",
)
"""Own words; every sentence stands once."""

NOTES = (
    "The commission sat for three winters and heard the evidence of forty-one landlords.",
    "An earlier draft of the statute had proposed a period of seven days.",
    "The custodian may charge nothing for the acknowledgement of a receipt.",
)
CLAUSES = (
    ("1", "Definitions", ()),
    ("1.1", "", "In this agreement the premises means the warehouse at the northern end of the harbour, together with its yard."),
    ("1.2", "", "The rent is payable in the following circumstances:"),
    ("(a)", "", "on the first working day of each month, by transfer to the account of the landlord;"),
    ("(b)", "", "where the tenant has been granted a concession under clause 3.1, on the day that the concession names; and"),
    ("(iii)", "", "in any other event, within ten days after the landlord has sent an itemised invoice to the tenant."),
    ("2", "Termination", ()),
    (
        "2.1",
        "",
        "Either party may terminate this agreement by a notice of three months, which takes effect at the end of a quarter.",
    ),
    (
        "2.2",
        "",
        "A notice under clause 2.1 is ineffective unless it is accompanied by a statement of the reasons for the termination.",
    ),
    ("3", "Concessions", ()),
    ("3.1", "", "The landlord may grant a concession in writing, and a concession once granted is irrevocable for that quarter."),
)
TABLE = (
    ("Item", "Due", "Amount"),
    ("Rent of the warehouse", "monthly", "4,200"),
    ("Share of the insurance premium", "yearly", "1,150"),
    ("Cleaning of the yard", "quarterly", "310"),
)


def sentences(*paragraphs: str) -> list[str]:
    """The sentences of paragraphs."""
    return [s for p in paragraphs for s in re.split(r"(?<=\.) ", p)]
