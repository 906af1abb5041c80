"""Words for contrast pairs: opposites that change what a sentence says, and other words that keep it."""

OPPOSITES: tuple[tuple[str, str], ...] = tuple(
    (a, b)
    for line in (
        "increase decrease, increased decreased, increases decreases, rise fall, rose fell, higher lower, more fewer",
        "large small, larger smaller, early late, earlier later, first last, first second, old new, older newer, open closed",
        "accept reject, accepted rejected",
        "agree disagree, agreed disagreed, win lose, won lost, buy sell, bought sold, good bad, better worse",
        "strong weak, stronger weaker, inside outside, above below, before after, with without, always never, allow prevent",
        "allows prevents, allowed prevented, include exclude, includes excludes, including excluding, possible impossible",
        "likely unlikely, able unable, easy difficult, high low, long short, longer shorter, male female, mother father",
        "brother sister, son daughter, husband wife, he she, his her, morning evening, public private, local national",
        "domestic foreign, majority minority, maximum minimum, positive negative, begin end, began ended, give take, gave took",
        "send receive, sent received, borrow lend, support oppose, supported opposed, approve reject, approved rejected",
        "confirm deny, confirmed denied, because although, all some, many few, most some, both neither, only also, must may",
        "can cannot, will may, should must, grant deny, granted denied, affirmed reversed, upheld overturned, valid invalid",
        "lawful unlawful, federal state, civil criminal, known unknown, direct indirect, internal external, express implied",
        "licensor licensee, lessor lessee, landlord tenant, employer employee, lender borrower, buyer seller, debtor creditor",
        "plaintiff defendant, claimant respondent, appellant respondent, trustee beneficiary, principal agent, insurer insured",
        "mortgagor mortgagee, assignor assignee, guarantor guarantee, disclosing receiving, parent child, majority dissent",
        "trial appeal, judge jury, liable immune, mandatory optional, voluntary compulsory, temporary permanent, joint several",
        "exclusive shared, written oral, prospective retrospective, substantive procedural, subjective objective",
        "sufficient insufficient, reasonable unreasonable, conditional unconditional, revocable irrevocable, void voidable",
        "dismissed allowed, admitted excluded, adequate inadequate, consistent inconsistent, relevant irrelevant",
    )
    for a, _, b in (pair.strip().partition(" ") for pair in line.split(","))
)
"""Either word for the other makes another statement in most sentences."""

SAME: tuple[tuple[str, ...], ...] = tuple(
    tuple(words.strip().split("="))
    for words in (
        "must=is required to=has to=shall|may=is permitted to=is allowed to|can=is able to|before=prior to|after=following|"
        "if=where=in the event that|although=even though=though|also=in addition=as well|many=numerous=a large number of|"
        "about=approximately=around=roughly|buy=purchase|help=assist|show=demonstrate=indicate|shows=demonstrates=indicates|"
        "showed=demonstrated=indicated|start=begin=commence|started=began|get=obtain|said=stated|says=states|provides=supplies|"
        "such as=for example|important=significant|different=distinct|need=require|needs=requires|allow=permit=let|"
        "allows=permits=lets|include=comprise|includes=comprises|company=firm=business|people=persons|car=vehicle|"
        "wants=wishes|want=wish|asked=requested|because of=owing to=due to|in order to=so as to|while=whereas|"
        "currently=at present|usually=typically|often=frequently|main=principal|agreement=contract|court=tribunal|"
        "held=ruled=found|holds=rules|requires=demands|at least=no less than=a minimum of|more than=over=in excess of|"
        "less than=under|terminate=end|disclose=reveal|confidential=secret|notice=notification|obligations=duties|"
        "pursuant to=under=in accordance with|damages=compensation|liable=responsible|shall not=must not|cannot=is unable to|"
        "two=2|three=3|four=4|five=5|six=6|seven=7|eight=8|nine=9|ten=10|twelve=12|percent=per cent|lawyer=attorney=counsel|"
        "statute=act|lawsuit=action|sue=bring an action against|sued=brought an action against|unless=except where|"
        "attempt=try|attempted=tried|concerning=regarding=about|prohibits=forbids=bars|prohibited=forbidden=barred|"
        "evidence=proof|decision=ruling|overruled=set aside|therefore=for that reason|however=nevertheless|under=according to"
    ).split("|")
)
"""Each may stand for the others in most sentences."""
