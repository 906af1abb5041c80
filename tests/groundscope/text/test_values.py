"""Values of a text: equal ones are equal however they are written, changed ones are missed, and what follows says how."""

from groundscope.text.values.grammar import read_values
from groundscope.text.values.lookup import ContextValues
from groundscope.text.values.types import Standing, ValueKind, ValueLookup
from tests.loops import each

EQUAL = r"""
Cover runs from May 2, 2021 to May 1, 2022. | Cover: 5/2/21-5/1/22
Invoices of 03/15/2021-04/14/2021 are open. | from March 15, 2021 to April 14, 2021
The weekly stipend is $640. | a stipend of $640 per week
The quarterly fee: $75 | $75 each quarter
The bonus is $900. | an annual bonus of $900
He has two brothers. One brother sued. | He has only one brother.
A pause of 8 workweeks is granted. | a pause of eight weeks
within six workdays | within six business days
Exports rose by a quarter. | Exports rose by 25%.
Wages doubled. | twice the wages
The fee is 4x the cost. | four times the cost
The margin was 2.5 to 1.00. | a margin of 2.5x
The margin was 2.5:1. | 2.5 to 1
The jury split 8-4. | The jury split 8 to 4.
A split of 70/30 was agreed. | a 70-30 split
Costs fell from 7 to 2 | Costs fell to 2
The pill has 250mg. | 250 milligrams
The pill has 250 mg. | 0.25 g
The tank holds 3 L. | 3,000 ml
The loss was $(6.2) million. | a loss of $6.2 million
The loss was $(0.45) per share. | 45 cents
The margin was (3.5)%. | 3.5 percent
Turnout fell 150 basis points. | Turnout fell 1.5 percentage points.
Turnout fell 1.5 percentage points. | Turnout fell 150 bps.
In the fiscal year ended March 31, 2018, sales rose. | Sales rose in FY18.
It closes at 4 p.m. ET. | It closes at 4 p.m. Eastern Time.
It closes at 4 p.m. ET. | It closes at 4 p.m.
in the autumn of 2003 | in fall 2003
on October 9, 2003 | in fall 2003
Three quarters of a million letters came. | 750,000 letters
within twelve days | by the twelfth day
Le prix est de 84 000 €. | 84 k€
Der Preis ist 84.000 €. | 84 TEUR
1,2 millones de euros | 1,2 M€
It weighs 50 pounds. | 50 lbs
U.S. Patent No. 7,310,552 issued. | the '552 patent
U.S. Patent No. 7,310,552 issued. | US Patent 7,310,552
Locker no. 18 is empty. | Locker 18 is empty.
Account No. 3310-7740021 | account 3310-7740021
Claims 2-9 and 31 were rejected. | Claims 2 through 9 and claim 31
He filed a W-9 form. | a Form W-9
The lot is zone C4. | zoned C-4
a type 3 permit | a Type III permit
Part IV.B.2 of the brief | Part IV.B
Absatz 3 Satz 2 | Abs. 3 S. 2
Artikel 9 Absatz 2 Buchstabe a | Art. 9 Abs. 2 lit. a
NJW 2014, 3345 Rn. 21 | Rn. 21
§ 12. Keys.\n(a) Lost keys.\n(b) Spare keys. | § 12(b)
42 U.S.C. § 1983 | Title 42
on May 4, 2020 | in May
each Thursday | on Thursdays
on May 4, 2020 | on Monday, May 4, 2020
Monday through Friday | on Tuesday
50 kilometers | a 50-kilometer walk
50 km | 50 kilometres
2,000 square feet | 2,000 sq. ft.
10 mg | 10 milligrams
$5,000 per day | $5,000 daily
$5,000 per day | $5,000/day
5% per year | 5% per annum
5% per year | a rate of 5%
Exhibit No. 3 | Exhibit 3
Exhibit 3 | Exhibit No. 3
The docket number is 19-1392. | No. 19-1392
No. 19-1392 | The docket number is 19-1392.
No. 19 Civ. 1234 | 19-CV-1234
19-cv-01234 | No. 19 Civ. 1234
利率为百分之五 | 5%
5. Termination. Either party may end it. | Section 5
1. Term.\n4. Fees. Ten dollars.\n7. Notices. | Sections 4 and 7
2. Compensation. (a) Base pay. (b) Bonus. | Section 2(b)
5.2 Late Fees. Ten dollars. | § 5.2
ARTICLE V\nTerm | Section 5
(3) The tenant pays. | Item 3
V. Damages\nThe court | Clause 5
18 U.S.C. §§ 1961, 1962 | 18 U.S.C. §§ 1961-1962
U.S. Const. amend. XIV | the Fourteenth Amendment
the First Amendment | U.S. Const. amend. I
U.S. Const. art. I, § 8 | Article I, Section 8
Treas. Reg. § 1.401 | section 401
The term was extended from 30 to 60 days. | The term is 60 days.
The fee is $1,500,000. | a fee of $1.5 million
USD 2,300 | 2,300 dollars
20 000 000 EUR | EUR 20,000,000
€20m | 20 million euros
CHF 1'000 | CHF 1,000
£3bn | 3 billion pounds
half a million dollars | $500,000
fifty cents | $0.50
US$5,000 | five thousand dollars
1.250.000 Euro | €1,250,000
C$ 50,000 | 50,000 Canadian dollars
100万円 | ¥1,000,000
1億2000万円 | ¥120,000,000
１００万円 | 100万円
two and a half percent | 2.5%
250 basis points | 2.5 percent
5 per cent | 5%
one-half of one percent | 0.5%
33 1/3 percent | 33⅓%
2½% | 2.5 percent
half of the members | 50% of the members
two-thirds of the vote | 2/3 of the vote
three-quarters of the shares | 3/4 of the shares
株主の3分の2 | two-thirds of the holders
one hundred and eighty shares | 180 shares
two million five hundred thousand shares | 2.5 million shares
a dozen jurors | twelve jurors
12-member jury | a jury of 12 members
five voting members | five members
3 people | three persons
thirty (30) shares | 30 shares
20 000 shares | 20,000 shares
12,34,567 rupees | INR 1,234,567
twice the rent | two times the rent
treble damages | three times the damages
Ninth Circuit | 9th Circuit
(2d Cir. 2010) | Second Circuit
by a vote of 5 to 4 | a five-to-four decision
the 21st amendment | the Twenty-First Amendment
Amendment XIV | the Fourteenth Amendment
Fourth and Fifth Amendments | the 4th Amendment
Article IX | Article 9
Art. 9 | article nine
Chapter Eleven | Chapter 11
Title VII | Title 7
Part II | Part 2
Schedule 3 | Schedule III
Annex III | Annex 3
Count II | Count Two
§ 1983 | Section 1983
42 U.S.C. § 1983 | section 1983
42 USC 1983 | 42 U.S.C. § 1983
42 U.S.C. §§ 1981, 1983 and 1985 | 42 U.S.C. § 1985
Fed. R. Civ. P. 12(b)(6) | Rule 12(b)(6)
Rule 12(b)(6) | Federal Rule of Civil Procedure 12(b)(6)
Rule 37(e) | Rule 37
17 C.F.R. § 240.10b-5 | Rule 10b-5
sections 3, 4 and 7 | section 4
§ 362(d), (e) and (g) | § 362(e)
§§ 10-15 | sections 10 to 15
Exh. B | Exhibit B
Exhibits A, B and C | Exhibit B
s. 98(2) | section 98(2)
¶ 12 | paragraph 12
Rn. 24 | para. 24
pp. 12-15 | page 13
§ 823 Abs. 1 BGB | section 823(1)
Art. 6 Abs. 1 lit. f | Article 6(1)(f)
第9条 | Article 9
Case No. 1:12-cv-00345 | No. 12-cv-345
$5 to $10 million | $5 million to $10 million
between 5 and 10 percent | 5%
$.75 | 75 cents
The price is $5 million. | a price of 5 million
on the 3rd of March 2021 | in March 2021
"""
CHANGED = r"""
The war lasted from 1914 to 18. | It ended in 1916.
U.S. Patent No. 7,310,552 issued. | the '525 patent
Locker no. 18 is empty. | Locker 81 is empty.
Account No. 3310-7740021 | account 3310-7740012
The lot is zoned C-4. | zoned C-2
She holds an O-1A visa. | an O-1B visa
The fund filed a 20-F. | a 10-K
a stage 2 tumor | a stage 3 tumor
Series D shares convert. | Series E shares
Part IV.B.2 of the brief | Part IV.C
Az. II ZR 88/16 | Az. IX ZR 88/16
§ 12. Keys.\n(a) Lost keys.\n(b) Spare keys. | § 12(c)
Cover runs from May 2, 2021 to May 1, 2022. | Cover: 5/2/21-6/1/22
The weekly stipend is $640. | $640 a month
The weekly stipend is $640. | a monthly stipend of $640
A fee of $75 per month is due. | The annual fee is $75.
There were four bidders. | There was only one bidder.
Owner has three vehicles. | Owner has only a single vehicle.
The term is two years. | The term is a year.
The pause is 8 workweeks. | a pause of 8 workdays
Exports rose by a quarter. | Exports rose by a third.
Fines are three times the gain. | Fines are double the gain.
The fee is 4x the cost. | 5x the cost
The odds were 3:1. | The odds were 8:1.
The jury split 8-4. | The jury split 9-3.
The vote was 8-4. | The vote was 4-8.
A split of 70/30 was agreed. | an 80/20 split
The pill has 250 mg. | 2.5 g
The pill has 250 mg. | 350mg
The loss was $(6.2) million. | a loss of $2.6 million
Turnout fell 150 basis points. | Turnout fell 15 percentage points.
In the fiscal year ended March 31, 2018, sales rose. | Sales rose in FY17.
It closes at 4 p.m. ET. | It closes at 4 p.m. Pacific Time.
in the autumn of 2003 | in spring 2003
Three quarters of a million letters came. | 650,000 letters
The levy is 6%. There are 6 tenants. | It is due on the 6th of each month.
The levy is 6%. It is due on the first. | It is due on the sixth of each month.
Le prix est de 84 000 €. | 94 k€
There are 7 lots. | There are 9 lots: x
on May 4, 2020 | in June
each Thursday | each Friday
Monday, May 4, 2020 | Tuesday, May 4, 2020
on May 4, 2020 | Tuesday, May 4, 2020
Monday through Friday | on Sunday
50 miles | 50 kilometers
three acres | three hectares
2,000 square feet | 2,000 square meters
2,000 square feet | 2,000 feet
10 mg | 10 g
10 gallons | 10 liters
$5,000 per day | $5,000 per week
5% per year | 5% per month
$40 an hour | $40 a day
5% | 5 percentage points
5 percentage points | 5%
Exhibit 3 | Exhibit No. 4
No. 19-1392 | The docket number is 19-1393.
No. 19 Civ. 1234 | 19-CR-1234
利率为百分之五 | 6%
It begins on April 1, 2021 and lasts 12 months. | until March 30, 2022
5. Termination. Either party may end it. | Section 6
5. Termination. Either party may end it. | Exhibit 5
2. Compensation. (a) Base pay. (b) Bonus.\n3. Leave. (c) Sick pay. | Section 2(c)
42 U.S.C. §§ 2000e to 2000e-17 | § 2000f
18 U.S.C. §§ 1961-1968 | 28 U.S.C. § 1962
Section 5(a)-(d) | Section 5(e)
Exhibits A through D | Exhibit E
Counts I-IV | Count V
from 2019 through 2021 | in 2022
on March 12-14, 2021 | March 15, 2021
from January 1, 2020 to December 31, 2023 | May 5, 2021
U.S. Const. amend. XIV | the Fifteenth Amendment
U.S. Const. art. I, § 8 | Article II, Section 8
The cap was raised from $200,000 to $275,000. | The cap is now $257,000.
The cap was raised from $200,000 to $275,000. | The cap is now $475,000.
The term was extended from 30 days to 60 days. | The term is 45 days.
The rate fell from 5% to 3%. | The rate is 4%.
The staff grew from 20 to 40 clerks. | There are 30 clerks.
Rule 1.9 | Rule 9
Rule 1.15 | Rule 15
§ 1.9 | § 9
Two of the three judges agreed. | Two of the five judges agreed.
The vote was 2-1. | The vote was 3-0.
Shares vest over four (4) years with a one-year cliff. | Shares vest over five years.
The fee is 2.5%. | 5%
The toll is $5.50 per mile. | $5 per mile
1,200 shares | 200 shares
$10,000 | $10
$1.2 million | $1.2 billion
$5 | €5
C$5 | $5
five percent | 15%
250 basis points | 250%
$1,198,500 | $1.2 million
three members | five members
12-member jury | 6-member jury
two-thirds of the members | three-fourths of the members
three times the damages | two times the damages
treble damages | double damages
half of the members | a third of the members
60 days | 60 people
section 60 | 60 members
180 shares | 18 shares
five hundred shares | five thousand shares
Ninth Circuit | Tenth Circuit
a 5-4 decision | a 6-3 decision
a three-judge panel | a five-judge panel
Form 10-K | Form 10-Q
Class 2 felony | Class 3 felony
Fourteenth Amendment | Fourth Amendment
21st Amendment | 22nd Amendment
Article IX | Article XI
Chapter 11 | Chapter 7
Title VII | Title IX
Count II | Count III
§ 1983 | § 1984
§ 1983 | § 1983 note
42 U.S.C. § 1983 | 28 U.S.C. § 1983
Rule 12(b)(6) | Rule 12(b)(1)
Rule 37 | section 37
Rule 803(6), and Rule 902(11) or (12) | Rule 803(12)
§§ 10-15 | § 16
section 5 | sections 5 and 6
10b-5 | 10b-6
article 6(1)(a) | article 6(1)(f)
Exhibit A | Exhibit B
Schedule A | Schedule B
page 12 | page 13
Dkt. 14 | Dkt. 15
No. 12-345 | No. 12-354
VIII ZR 30/18 | VIII ZR 31/18
C-131/12 | C-131/13
410 U.S. 113 | 410 U.S. 131
[2015] UKSC 2 | [2015] UKSC 3
100万円 | 200万円
株主の3分の2 | 株主の3分の1
20 000 000 EUR | 20 000 EUR
£3bn | £3m
0.5% | 5%
$5 to $10 million | $15 million
2/3 of votes | 1/3 of votes
five to ten years | 91 months
The panel has three members. | The panel has five members, who serve two terms.
Tuition is $30,000. Books cost $1,500. | Tuition is $31,500.
Tuition is $30,000. Books cost $1,500. | Books cost $28,500.
It pays $50,000 per person and $90,000 per crash. | It pays $140,000 per crash.
It pays $50,000 per person and $90,000 per crash. | It pays a limit of $40,000 per person.
The fine for speeding is $150. The fine for littering is $250. | The fine is $400.
The retainer is $900. The filing fee is $40. The cap is $5,000. | The cap is $940.
Interest is 4% in May and 7% in June. | The interest is 11%.
The note bears 4%, or 7% after a default. | The fee is 3%.
Custody is two years, followed by three years of probation. | Probation is five years.
The trial begins on May 3, 2021. Reports are due 30 days before it. | The trial begins on April 3, 2021.
The order was entered on June 1, 2020. He has 14 days to answer. | The order was entered on June 15, 2020.
The order was entered on June 1, 2020. He has 14 days to answer. | The order was entered in May 2020.
The warranty covers 12 to 24 months. | The warranty covers at least 18 months.
The warranty covers 12 to 24 months. | The maximum warranty is 20 months.
The warranty covers 12 to 24 months. | The warranty covers 14 to 20 months.
Bids must be at least $10,000 but not more than $40,000. | Bids must be $10,000 to $30,000.
The lease starts on March 1, 2022 and ends on May 31, 2022. | The lease starts on April 1, 2022.
The lease starts on March 1, 2022 and ends on May 31, 2022. | The lease lasts four months.
The price is $80,000. The deposit is 10% of the price. | The price is $8,000.
Rent is $1,500 per month. Parking is $100 per month. | Parking is $18,000 a year.
Rent is $1,500 per month. | Rent is $18,100 a year ($1,500 × 12).
The bill is due on the fifteenth day after delivery. | The bill is due within 10 days after delivery.
Three members: (1) a judge; (2) a juror. The rest: (3) x; (4) y; (5) z. | six members
"""
COMPUTED = """
Tuition is $30,000. Books cost $1,500. | Tuition and books cost $31,500. | $30,000 + $1,500 in the sources
Revenue was $9 million and costs were $7 million. | The profit was $2 million. | $9 million - $7 million in the sources
The land cost $5. The barn cost $2. The road cost $1. | All in all, a total of $8 | $5 + $2 + $1 in the sources
The price is $80,000. The deposit is 10% of the price. | The deposit is $8,000. | 10% of $80,000 in the sources
Rent is $1,500 per month. | Annual rent is $18,000. | $1,500 times 12
The premium is $600 a year. | That is $50 per month. | $600 divided by 12
Notice is due 30 days before the sale of May 31, 2021. | Notice is due on May 1, 2021. | May 31, 2021 minus 30 days
The loan of July 1, 2019 runs for ten years. | It matures in July 2029. | July 1, 2019 plus ten years
The shares vest on the second anniversary of May 5, 2020. | They vest on May 5, 2022. | May 5, 2020 plus second anniversary
The bill is due on the tenth day after delivery. | within 10 days | tenth day after in the sources
From March 1, 2022. It ends on May 31, 2022. | for three months | from March 1, 2022 to May 31, 2022 in the sources
The call ran from 9:30 a.m. to 11:15 a.m. | It lasted 105 minutes. | from 9:30 a.m. to 11:15 a.m. in the sources
not less than 10 nor more than 60 days' notice | 10 to 60 days | within 10 nor more than 60 days, which the sources state
at least 2 but not more than 6 years | four years | within 2 but not more than 6 years, which the sources state
From July 1, 2022 to July 1, 2024 | in force in 2023 | within July 1, 2022 to July 1, 2024, which the sources state
It covers 12 to 24 months. | A term of 18 months is possible. | within 12 to 24 months, which the sources state
They get increases ranging from 3% to 5%. | a rise of 4% | within 3% to 5%, which the sources state
It begins on April 1, 2021 and lasts 12 months. | until March 31, 2022 | the day before April 1, 2021 plus 12 months
It rose from 5% to 10%. | a rise of 5 percentage points | 10% - 5% in the sources
from 2019 through 2021 | in 2020 | within 2019 through 2021, which the sources state
on March 12-14, 2021 | March 13, 2021 | within March 12-14, 2021, which the sources state
from January 2021 to March 2021 | February 2021 | within January 2021 to March 2021, which the sources state
The cap was raised from $200,000 to $275,000. | It rose by $75,000. | $275,000 - $200,000 in the sources
The term was extended from 30 to 75 days. | It was extended by 45 days. | from 30 to 75 days in the sources
The fee ranges from $5 to $10. | The fee was $7. | within $5 to $10, which the sources state
Two years in custody, followed by three years of probation. | five years | Two years + three years in the sources
The staff grew from 20 to 45 clerks. | 25 more clerks came. | 45 - 20 in the sources
The filing fee is $30 and service costs $5. | The fees come to $35. | $30 + $5 in the sources
He paid $100 of the $250 due. | $150 remained. | $250 - $100 in the sources
He owes $10, $20 and $40. | He owes $70. | $10 + $20 + $40 in the sources
Three members of the board and two members of the staff came. | Five members came in all. | Three + two in the sources
The trustee acts within 10 to 20 days. | He acted after 15 days. | within 10 to 20 days, which the sources state
The order of March 1, 2021. An appeal lies within 30 days. | Until March 31, 2021 | March 1, 2021 plus 30 days
It ran from January 1, 2020 to January 1, 2023. | for three years | from January 1, 2020 to January 1, 2023 in the sources
The fee is 20% of $50,000. | The fee is $10,000. | 20% of $50,000 in the sources
Rent is $50 per day for 30 days. | The rent is $1,500. | $50 times 30 in the sources
"""
COARSER = """
The amount was $1,198,500. | about $1.2 million | $1,198,500 in the sources
The amount was $1,198,500. | nearly $1.2 million | $1,198,500 in the sources
1,204 shares were sold | more than 1,200 shares | 1,204 in the sources
42 U.S.C. §§ 2000e to 2000e-17 | § 2000e-2(a) | within a range that the sources cite
29 C.F.R. §§ 1910.1-1910.1450 | § 1910.1200 | within a range that the sources cite
§§ 1940-1954.06 | § 1950.5 | within a range that the sources cite
Clauses 4.1 to 4.6 | Clause 4.3 | within a range that the sources cite
Section 5(a)-(d) | Section 5(c) | within a range that the sources cite
Exhibits A through D | Exhibit C | within a range that the sources cite
Counts I-IV | Count III | within a range that the sources cite
Sections 7B-7F | section 7D | within a range that the sources cite
Appendix C-2 to C-6 | Appendix C-4 | within a range that the sources cite
§§ 10-15 | section 12 | within a range that the sources cite
The lease of May 5, 2020 | the lease of May 2020 |
"""
OTHER_LANGUAGES = """
de | Die Strafe beträgt 10.000 Euro. | Die Strafe beträgt 10.000 €. | Die Strafe beträgt 1.000 Euro.
de | Die Gebühr stieg von 10 Euro auf 20 Euro. | Die Gebühr beträgt 20 €. | Die Gebühr beträgt 15 €.
de | 2,5 Mio. Euro | 2.500.000 EUR | 2,5 Milliarden Euro
de | Zinsen von 5,5 % | Zinsen von 5,5 Prozent | Zinsen von 5 Prozent
de | VIII ZR 30/18, Rn. 24 | VIII ZR 30/18, Rn. 24 | VIII ZR 30/18, Rn. 25
de | §§ 305 bis 310 BGB | § 307 BGB | § 311 BGB
fr | une amende de 20 000 euros | une amende de 20.000 € | une amende de 2 000 euros
fr | 10,5 % du capital | 10,5 pour cent du capital | 10 % du capital
fr | 2 millions d'euros | 2 000 000 € | 3 millions d'euros
fr | art. L. 123-4 | article L. 123-4 | article L. 123-5
es | una multa de 20.000 euros | una multa de 20 000 € | una multa de 2.000 euros
es | el 5 por ciento | el 5 % | el 15 %
es | el artículo 14 | el art. 14 | el artículo 15
ja | 罰金は100万円である。 | 罰金は1,000,000円である。 | 罰金は10万円である。
ja | 民法第709条 | 民法709条 | 民法第710条
ja | 利率は年5パーセント | 利率は年5％ | 利率は年3％
ja | ３人の委員 | 3人の委員 | 5人の委員
"""


def rows(table: str) -> list[tuple[str, ...]]:
    return [tuple(cell.strip().replace("\\n", "\n") for cell in line.split("|")) for line in table.strip().splitlines()]


def looked_up(source: str, answer: str, language: str = "en") -> list[ValueLookup]:
    context = ContextValues.of([source], language)
    return [context.look_up(value, answer) for value in read_values(answer, language)]


def missing(source: str, answer: str, language: str = "en") -> bool | None:
    """None where no value is read."""
    lookups = looked_up(source, answer, language)
    return any(lookup.standing is Standing.MISSING for lookup in lookups) if lookups else None


@each(("source", "answer"), rows(EQUAL))
def test_equal_values_are_equal_however_they_are_written(source: str, answer: str) -> None:
    assert missing(source, answer) is False
    assert all(lookup.standing is not Standing.COMPUTED for lookup in looked_up(source, answer))


@each(("source", "answer"), rows(CHANGED))
def test_a_changed_value_is_missing(source: str, answer: str) -> None:
    assert missing(source, answer) is True


@each(("source", "answer", "note"), rows(COMPUTED))
def test_a_value_that_follows_by_one_step_says_so(source: str, answer: str, note: str) -> None:
    (lookup,) = looked_up(source, answer)
    assert (lookup.standing, lookup.note) == (Standing.COMPUTED, note)
    assert source[lookup.start : lookup.end]


@each(
    ("source", "answer"),
    [
        ("Rent is $1,500 per month.", "Rent is $18,000 a year ($1,500 × 12)."),
        ("The deposit is $3,000. Rent is $1,500.", "$1,500 x 2 = $3,000."),
        ("It costs $900. She paid $150 and $250.", "She paid $400 in all, so $500 ($900 less $400) is open."),
        ("The price is $80,000; the fee is 5%.", "The fee is $4,000 (5% of $80,000)."),
    ],
)
def test_a_step_that_an_answer_writes_out_is_computed(source: str, answer: str) -> None:
    assert missing(source, answer) is False


@each(("source", "answer", "note"), rows(COARSER))
def test_a_coarser_value_is_covered(source: str, answer: str, note: str) -> None:
    (lookup,) = looked_up(source, answer)
    assert (lookup.standing, lookup.note) == (Standing.COVERED, note)


@each(("language", "source", "same", "other"), rows(OTHER_LANGUAGES))
def test_figures_are_read_in_other_languages(language: str, source: str, same: str, other: str) -> None:
    assert missing(source, same, language) is False
    assert missing(source, other, language) is True


@each(
    ("source", "answer"),
    [
        # What a sentence itself counts, and what the sources enumerate.
        ("There are three exceptions.", "There are two exceptions: consent and emergency."),
        ("The rule has three limbs: (1) notice; (2) harm; (3) cause; (4) loss.", "The rule has four limbs."),
        ("The latest of four dates counts.", "One date is fixed, and three other dates are not."),
        ("Failure on one part is enough.", "All three parts must be shown."),
        # Words that are no value of the sources.
        ("The court erred.", "First, the court erred. Second, it did not."),
        ("The court erred.", "On the one hand, no one objected; a second letter came."),
        ("The test has three elements.", "The third element fails."),
    ],
)
def test_small_numbers_raise_no_false_alarm(source: str, answer: str) -> None:
    assert not missing(source, answer)


@each(
    ("text", "read"),
    [
        ("He may march to May Lee's house, as April Lin did on Good Friday.", []),
        ("Sunday Times readers may, since March, wed.", [(ValueKind.DATE, "March")]),
        ("No one came to Part of it; I think (1) so.", []),
        ("COVID-19 is a third-party risk 24/7.", []),
        ("$1,200.50 for 12 shares", [(ValueKind.MONEY, "$1,200.50"), (ValueKind.NUMBER, "12")]),
        ("§§ 78u-4 and 78u-5", [(ValueKind.PROVISION, "§§ 78u-4"), (ValueKind.PROVISION, "78u-5")]),
        ("§ 5 and 200 people", [(ValueKind.PROVISION, "§ 5"), (ValueKind.NUMBER, "200")]),
        ("the company's 5 employees", [(ValueKind.NUMBER, "5")]),
    ],
)
def test_values_are_read_whole(text: str, read: list[tuple[ValueKind, str]]) -> None:
    assert [(v.kind, text[v.start : v.end]) for v in read_values(text)] == read


@each(
    ("text", "key"),
    [("180 shares", "180"), ("one hundred eighty", "180"), ("1,200.0", "1200"), ("5 %", "5%"), ("$1.5 million", "usd 1500000")],
)
def test_keys_are_canonical(text: str, key: str) -> None:
    assert [v.key for v in read_values(text)] == [key]
