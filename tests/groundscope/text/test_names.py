"""Names of an answer: which are read, and which the sources have in some spelling."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.text.context_names import ContextNames, definitions
from groundscope.text.english import is_english, is_written_together
from groundscope.text.names import FactKind, read_names
from tests.loops import each


def names(text: str) -> list[str]:
    return [text[i.start : i.end] for i in read_names(text)]


def missing(answer: str, *sources: str) -> list[str]:
    context, defined = ContextNames.of(sources), definitions(answer)
    lookups = {answer[i.start : i.end]: context.look_up_item(answer, i, defined) for i in read_names(answer)}
    return [name for name, lookup in lookups.items() if not lookup.stands]


def paid(payer: str) -> str:
    return f"The price was paid by {payer} on time."


@each(
    ("text", "expected"),
    [
        ("The law of the land binds it.", []),
        ("Goldberg appealed.", ["Goldberg"]),
        ("It failed. Goldberg appealed. Laches barred it.", ["Goldberg"]),
        ("- Goldberg paid.\n- Damages follow.", ["Goldberg"]),
        ("Holding: Goldberg pays; Notice is due.", ["Goldberg"]),
        ("1. Notice is due.\n2. Goldberg pays.\nA. Waiver\nB. Estoppel", ["Goldberg"]),
        ("Acme sued the tenant.", ["Acme"]),
        ("Shell owns the land.", ["Shell"]),
        ("Acme Corp. paid.", ["Acme Corp"]),
        ("Notice must be given. Tenants may refuse. Waiver requires intent. However, it failed.", []),
        ("Counsel argued that it failed. Lenders refused. Everyone agreed. Congress declined.", []),
        ("Goods sold the day before are excluded. Money paid by mistake is returned.", []),
        ("Unauthorised use is a breach. Pre-contractual duties exist. Mens rea is required.", []),
        ("THE COURT HELD THAT NOTICE WAS GIVEN", []),
        ("It was the Chief Justice, Mr. Smith, Judge Mary Jones and Attorney General Wu.", ["Smith", "Mary Jones", "Wu"]),
        ("It is due on Monday, 5 March.", []),
        ("The Securities and Exchange Commission and Mary Jones sued.", ["Securities and Exchange Commission", "Mary Jones"]),
        ("So did Smith and Jones.", ["Smith", "Jones"]),
        ("It was Ludwig van der Berg or Juan de la Cruz.", ["Ludwig van der Berg", "Juan de la Cruz"]),
        ("It was eBay, al-Hariri, O'Brien and AT&T.", ["eBay", "al-Hariri", "O'Brien", "AT&T"]),
        ("It was J.K. Rowling or J. R. Tolkien.", ["J.K. Rowling", "J. R. Tolkien"]),
        ("It was Acme Holdings, Inc. of New York.", ["Acme Holdings, Inc. of New York"]),
        ("It was Smith's house in the U.K. then.", ["Smith", "U.K"]),
        ("Class C votes, so does tenant B, and Company X.", ["Class C", "tenant B", "Company X"]),
        ("First, rent is due; then Second, it is late. Thirdly, it ends.", []),
        ("Plaintiff's Motion failed, and so did the Complaint.", []),
        ("It was Three Rivers, HM Treasury and Booking.com.", ["Three Rivers", "HM Treasury", "Booking.com"]),
        ("It was Acme plc v Dickman and March v Stramare in March.", ["Acme plc v Dickman", "March v Stramare"]),
        ("As Exhibit A and Schedule B say, I am right.", []),
        ("It cost US $5 or CA$6 by 5 PM ET, 6 p.m. (PT), 7 p.m. Eastern, 17:00 GMT and noon UTC.", []),
        ("By 5:00 PM Eastern Time, noon ET or midnight Pacific Daylight Time.", []),
        ("It cost IBM $5 in the PT Boat Museum.", ["IBM", "PT Boat Museum"]),
        (
            "Nota bene, the Force Majeure clause. Sua sponte, it said Res ipsa loquitur, Prima Facie and Writ of Habeas Corpus.",
            [],
        ),
        ("Inter alia, the Res Judicata Doctrine and AI apply. So does Stare Decisis.", []),
        ("It was the Space Force and Prima Foods.", ["Space Force", "Prima Foods"]),
        ("The Justice Department and Justice Scalia.", ["Justice Department", "Scalia"]),
        ("If you ask, I'll write; I’ve read it. Note: I'm late. So they're out, and We'd go. What's next?", []),
        ("👉 Brevity counts. Is it due? ✅ Delaying is. 1️⃣ Paying is. Risk: 🔴 High\n† Monthly.\n💡 Tip: pay.", []),
        ("Dear [Your Name]: on [DATE] in [City, ZIP] [XX] met [Petersen].", ["Petersen"]),
        ("I'm Gemini. I am Copilot, an AI Assistant. ChatGPT can make mistakes.", []),
        ("It is at 5 Elm Dr., Ste. 210. I.e., it is near. E.g., a walk.", ["Elm Dr"]),
        (
            "Apple issued the policy. Carter must pay. Mason was the notary. Gap bought Macy's.",
            ["Apple", "Carter", "Mason", "Gap", "Macy"],
        ),
        ("According to King, it fell. The King agreed. King denied the claim.", ["King", "King"]),
        ("Price is the factor. Land must pass. Land sold May 1 is his. Lender must pay. Notice is the rule.", []),
        ("Schrems I was decided. Yesterday I paid. The Phase I report is out.", ["Schrems I", "Phase I"]),
    ],
)
def test_names_are_read(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_where_capitals_say_other_things_no_name_is_read() -> None:
    assert list(read_names("Der Mieter verklagte die Goldberg GmbH.", "de")) == []


@each(
    ("one", "other"),
    [
        # Initials.
        ("the Securities and Exchange Commission", "the SEC"), ("the S.E.C.", "the SEC"), ("the United Kingdom", "the UK"),
        ("the U.K.", "the United Kingdom"), ("the Department of Justice", "the DOJ"), ("the Federal Trade Commission", "FTC"),
        ("the European Union", "the EU"), ("the United States Patent and Trademark Office", "the USPTO"),
        ("the Internal Revenue Service", "the IRS"), ("the Fair Labor Standards Act", "FLSA"), ("the United States", "the U.S."),
        ("the Immigration & Naturalization Service", "INS"), ("International Business Machines Corporation", "IBM"),
        ("the Americans with Disabilities Act", "the ADA"), ("New York", "N.Y."), ("General Motors", "GM"),
        ("the European Court of Human Rights", "the ECtHR"), ("Procter & Gamble Co.", "P&G"),
        ("Her Majesty's Revenue and Customs", "HMRC"), ("HM Revenue & Customs", "HMRC"),
        ("HM Treasury", "His Majesty's Treasury"), ("the US Department of Agriculture", "the USDA"),
        # Forms of companies, abbreviations.
        ("Acme Corp.", "Acme Corporation"), ("Acme, Inc.", "Acme"), ("Acme Ltd.", "Acme Limited"), ("Acme Co.", "Acme Company"),
        ("Acme LLC", "Acme L.L.C."), ("Acme L.P.", "Acme LP"), ("Bosch GmbH", "Bosch"), ("Total S.A.", "Total"),
        ("Smith & Wesson", "Smith and Wesson"),
        ("Smith Bros.", "Smith Brothers"), ("Bell Atl. Corp.", "Bell Atlantic Corporation"),
        ("the Nat'l Fed'n of Indep. Bus.", "the National Federation of Independent Business"), ("ACME CORP.", "Acme Corp."),
        ("the Dep't of Labor", "the Department of Labor"), ("St. Louis", "Saint Louis"),
        # Letters.
        ("José Muñoz", "Jose Munoz"), ("Müller", "Mueller"), ("Müller", "Muller"), ("Weiß", "Weiss"), ("Łukasz", "Lukasz"),
        ("Ørsted", "Orsted"), ("JOHN SMITH", "John Smith"),
        ("Wal-Mart", "Walmart"), ("Wal Mart", "Walmart"), ("Coca-Cola", "Coca Cola"), ("Mary-Jane Smith", "Mary Jane Smith"),
        ("the Smiths", "Smith"), ("the Kennedys", "Kennedy"), ("the Joneses", "Jones"),
        # People.
        ("Justice Scalia", "Scalia"),
        ("Mr. Smith", "Dr. Smith"), ("John A. Smith", "John Smith"), ("Joanne Rowling", "J. Rowling"),
        ("J. K. Rowling", "J.K. Rowling"), ("Ruth Bader Ginsburg", "R.B. Ginsburg"),
        ("Martin King, Jr.", "Martin King"), ("Robert Smith III", "Robert Smith"), ("Rafic al-Hariri", "Rafic Hariri"),
        # Places and things.
        ("the law of Germany", "the German law"), ("English law", "the law of England"),
        ("the Delaware court", "the court of Delaware"),
        ("the Department of Justice", "the Justice Department"), ("the State Department", "the Dep't of State"),
        ("the Justice Department", "the DOJ"),
        ("Ann of Reno, NV", "Ann of Reno, Nevada"), ("Ann of Bend, OR 97701,", "Ann of Bend, Oregon"),
        ("Ann of Peoria, Ill.,", "Ann of Peoria, Illinois,"), ("Ann of Salem, Mass.,", "Ann of Salem, Massachusetts,"),
        ("West Virginia", "W. Va."), ("New Mexico", "a New Mexican court"), ("Northern Ireland", "a Northern Irish court"),
        ("Manufacturers & Traders Trust", "Mfrs. & Traders Trust"), ("California Civil Code", "Cal. Civ. Code"),
        ("Olympus Fund V, L.P.", "Olympus Fund"), ("Mary T. Kowalski", "Mary Kowalski"), ("Mary T. Kowalski", "M. T. Kowalski"),
        ("the Northern District of Ohio", "the N.D. Ohio"), ("the Middle District of Florida", "the M.D. Fla."),
        ("William Chen", "Bill Chen"), ("the Delgados", "Delgado"), ("Juror No. 5", "Juror Number 5"),
        ("Canada", "a Canadian"), ("the Ninth Circuit", "the 9th Cir."), ("Vitamin D", "vitamin D"), ("class C", "Class C"),
    ],
)  # fmt: skip
def test_two_spellings_are_one_name(one: str, other: str) -> None:
    assert missing(paid(other), paid(one)) == []
    assert missing(paid(one), paid(other)) == []


@each(
    ("source", "answer"),
    [
        ("John Smith and Mary Jones", "Smith"), ("Smith, John", "John Smith"), ("John and Mary Smith", "John Smith"),
        ("Classes A, B and C", "Class B"), ("witnesses A through D", "Witness C"), ("Companies X, Y, and Z", "Company Y"),
        ("the Second, Third and Ninth Circuits", "the Third Circuit"), ("the tenant", "the Tenant"),
        ("John Paul Stevens", "John Stevens"),
        ("the covid-19 order", "the COVID-19 order"), ("Booking.com", "Booking"),
        ("the data protection officer", "the Data Protection Officer"), ("The New York Times", "the Times"),
        ("the Court of Justice of the European Union", "the CJEU"), ("the University of Michigan", "Michigan University"),
        ("Acme Holdings, Inc.", 'Acme Holdings, Inc. ("AHI"), and AHI'),
        ("ABC Corp.", 'ABC Corp. (hereinafter "Vendor"); Vendor'),
        ("the Leasehold Reform Act 1967", 'the Leasehold Reform Act 1967 (the "LRA"), and by the LRA'),
        ("Ann of Austin, TX 78701,", "Texas"), ("Ann of Salem, Mass.,", "Massachusetts"), ("Ann of Gary, IN,", "Indiana"),
        ("North and South Carolina", "North Carolina"), ("West Virginia and Virginia", "Virginia"),
        ("the blood alcohol content was", "BAC"), ("a letter of intent was", "the LOI"), ("the loan-to-value ratio", "the LTV"),
        ("a motion for summary judgment and", "the MSJ"), ("a temporary restraining order", "the TRO"),
        ("Chapter 7 of the Code", "Chapter VII of the Code"), ("Tier 1", "Tier I"),
        ("Samuel L. Roe and Samuel R. Roe", "Samuel R. Roe"),
        ("the Eastern and Western Districts of Missouri", "the Eastern District of Missouri"),
        ("Ann", "the Chief Justice, the President, the Plaintiff, Mr., and the Supreme Court"),
    ],
)  # fmt: skip
def test_a_name_is_in_the_sources(source: str, answer: str) -> None:
    assert missing(paid(answer), paid(source)) == []


@each(
    ("source", "answer"),
    [
        ("Walmart", "Mart"), ("Anne", "Ann"), ("Ann", "Anne"), ("Johnson", "Johnston"), ("William", "Williams"),
        ("Williams", "William"), ("Harris", "Harrison"), ("Julia", "Julian"), ("Ross", "Rossi"), ("Kim", "Kimberly"),
        ("the blacksmith", "Smith"), ("the smith", "Mr. Smith"), ("Müller", "Möller"), ("José Muñoz", "José Núñez"),
        ("O'Brien", "O'Connor"), ("McDonald", "McDowell"), ("Li", "Wu"), ("al-Hariri", "al-Assad"),
        ("Jan van der Berg", "Jan van der Meer"),
        ("Acme Corp.", "Apex Corp."), ("Acme Corp.", "Acme Bank"), ("the Securities and Exchange Commission", "the FTC"),
        ("the DOJ", "the Federal Trade Commission"), ("New York", "New Jersey"), ("North Carolina", "South Carolina"),
        ("the Second Circuit", "the Ninth Circuit"), ("Germany", "a French bank"), ("the Clean Air Act", "the Clean Water Act"),
        ("Class B", "Class C"), ("Company X", "Company Y"), ("Vitamin D", "Vitamin B"), ("tenant A", "tenant B"),
        ("Witnesses A-C", "Witness D"), ("Mr. King", "Mr. Prince"), ("Mary Smith", "J. Smith"), ("F-16", "F-35"),
        ("John Smith and Mary Jones", "John Jones"), ("Mr. John Smith and Ms. Mary Jones", "Ms. Mary Smith"),
        ("John Smith, and then Jones did", "John Jones"), ("covid-19", "COVID-21"),
        ("Peter M. Brown and Anna K. Green", "Anna Brown"), ("Jones, Mary; Smith, John", "John Jones"),
        ("Acme Holdings, Inc.", 'Zenith Holdings, Inc. ("ZHI")'),
        *((f"the bank. Robert Alvarez {verb} Linda Petersen", "Robert Petersen") for verb in "sued owes paid met".split()),
        ("Robert Alvarez for Linda Petersen", "Robert Petersen"), ("Juan de la Cruz and Ann Berg", "Juan Berg"),
        ("the Department of Labor", "the Department of Justice"), ("the Department of Labor", "the Justice Department"),
        ("the Ministry of Finance", "the Ministry of Justice"), ("the Department of Labor", "the State Department"),
        ("West Virginia", "Virginia"), ("Virginia", "West Virginia"), ("W. Va.", "Virginia"), ("New Mexico", "Mexico"),
        ("Baxter Co. and the Department of Labor", "the Department of Commerce"), ("Acme Co., EU Commission", "the EU Council"),
        ("Int'l Paper and Gen. Gas", "Interstate Paper"), ("Olympus Fund V, L.P.", "Olympus Fund VI, L.P."),
        ("Schrems II", "Schrems I"), ("Robert Roe Jr.", "Robert Roe, Sr."), ("Robert Roe Jr.", "Robert Roe III"),
        ("the Phase III trial", "the Phase II trial"), ("Mary T. Kowalski", "Mary J. Kowalski"), ("J. P. Roe", "J. D. Roe"),
        ("Judge Ramos", "Judge Ramo"), ("Ms. Delgado", "Mr. Delgados"), ("a tort claim of", "the FTC"),
        ("N.D. Ohio and S.D. Iowa", "the Southern District of Ohio"), ("the N.D. Tex. and the C.D. Cal.", "the C.D. Tex."),
        ("Denise Roe. Attorney Priya Bose", "Priya Roe"),
        ("Mr. West in Virginia", "West Virginia"), ("Acme Co.", "Colorado"), ("the LA Times", "Louisiana"),
    ],
)  # fmt: skip
def test_another_name_is_missing(source: str, answer: str) -> None:
    assert missing(paid(answer), paid(source))


def test_an_english_word_before_a_company_belongs_to_its_name() -> None:
    assert missing("Apex Holdings sold the land.", "Zenith Holdings sold the land.")
    assert not missing("Buyer Smith sold the land.", "Mr. Smith sold the land.")
    assert missing("Hope Smith sold the land.", "Ms. Joy Smith sold the land.")


@each(
    ("word", "english"),
    [
        *(
            (w, True)
            for w in "notice tenants estoppel indemnitors subrogated unauthorised honoured non-payment whistleblowers".split()
        ),
        *((w, False) for w in "goldberg walmart garcia nguyen mcdonald delaware pfizer".split()),
    ],
)
def test_words_of_the_language(word: str, english: bool) -> None:
    assert is_english(word) is english


def test_a_name_of_two_others_is_told_with_them() -> None:
    text = paid("John Smith and Mary Jones")
    answer = "It was John Jones."
    stands, note, place = ContextNames.of(["Nothing.", text]).look_up_item(answer, *read_names(answer))
    assert (stands, note) == (False, "the sources have John Smith and Mary Jones")
    assert place == (1, text.index("Mary"), text.index(" on time"))


WORDS = st.sampled_from(
    r"Smith Mary Acme Inc. of the and v. J. U.S. Class A C 9th Cir. Notice Court SEC de la O'Neil Wal-Mart . , ; ü Ä".split()
)


@pytest.mark.parametrize("extra", ["", " Zed paid."])
@given(st.lists(WORDS, max_size=14).map(" ".join))
def test_every_text_has_its_own_names(extra: str, text: str) -> None:
    items = list(read_names(text))
    assert all(i.kind is FactKind.NAME and text[i.start : i.end].strip() and i.key for i in items)
    assert all(a.end <= b.start for a, b in pairwise(items))
    assert missing(text, text + extra) == []


def test_a_word_is_written_together_or_set_apart() -> None:
    together = ("termination", "proposed", "reinterpreted", "cooperate", "nonpayment", "unlawful")
    apart = ("noncompete", "longterm", "smithjones", "wellestablished", "n" * 10_000)
    assert [w for w in together if not is_written_together(w)] == []
    assert [w for w in apart if is_written_together(w)] == []
