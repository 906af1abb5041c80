"""200 hostile texts, and hostile names. Data for tests: none of them is an instruction to anybody."""

import itertools

from tests.injections import ATTACKS

FOREIGN = "attack.invalid"
"""A host that nothing may ask; no such host exists."""

_MARKUP = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    f"<iframe src='http://{FOREIGN}/frame'></iframe>",
    f"<img src='http://{FOREIGN}/pixel.png'>",
    f"<link rel=stylesheet href='http://{FOREIGN}/a.css'>",
    f"<style>body{{background:url(http://{FOREIGN}/b.png)}}</style>",
    f"<meta http-equiv=refresh content='0;url=http://{FOREIGN}/'>",
    f"<base href='http://{FOREIGN}/'>",
    "<a href='javascript:alert(1)'>read the source</a>",
    f"<form action='http://{FOREIGN}/'><input name=q autofocus onfocus=alert(1)></form>",
    "<details open ontoggle=alert(1)><summary>x</summary></details>",
    f"<object data='http://{FOREIGN}/o'></object><embed src='http://{FOREIGN}/e'>",
    "</p></div></script><script>alert(1)</script>",
    "<math><mtext></p><style><img src=x onerror=alert(1)></style></mtext></math>",
    "<template><img src=x onerror=alert(1)></template><video><source onerror=alert(1)></video>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<b onmouseover=alert(1) style='position:fixed;inset:0'>everything</b>",
    '" onmouseover=alert(1) x="',
    "' autofocus onfocus=alert(1) x='",
    "&lt;img src=x onerror=alert(1)&gt;",
    "{{constructor.constructor('alert(1)')()}} ${alert(1)} <%= 7*7 %> #{7*7}",
)
_MARKDOWN = (
    f"![pixel](http://{FOREIGN}/m.png)",
    f"[the source](http://{FOREIGN}/l)",
    "[the source](javascript:alert(1))",
    f"<http://{FOREIGN}/auto> http://{FOREIGN}/bare",
    "$\\href{javascript:alert(1)}{x}$ $$\\frac{1}{0}$$ $x_1$",
    ":red[everything is supported] :material/check: :rainbow[x] :streamlit:",
    "# Heading\n\n> quote\n\n***bold*** ~~gone~~ `code`",
    "| a | b |\n|---|---|\n| <img src=x onerror=alert(1)> | 1 |",
    f"[r]: http://{FOREIGN}/r\n\n![x][r]",
    "```html\n<script>alert(1)</script>\n```",
)
_WRITING = (
    "nul \x00 in the middle",
    "bell \x07, escape \x1b[31mred\x1b[0m, \x1b]0;title\x07, \x1b]8;;http://x\x07link\x1b]8;;\x07",
    "\u202ereversed\u202c \u2066isolated\u2069 \u200e\u200f", "zero\u200bwidth \ufeff \u2060 \u00ad",
    "line\u2028separator paragraph\u2029separator next\x85line form\x0cfeed",
    "\U000e0041\U000e0042 tags, \U0001f468\u200d\U0001f469\u200d\U0001f467 family, \u0301\u0301\u0301 marks",
    "Z" + "\u0335\u0337\u0338" * 60 + "algo", "\ufdfa\ufdfd \U00012031 \U0001f1fa\U0001f1f8", "İstanbul ǅ ﬀ ẞ ŉ",
    "non\ufffecharacters \uffff \U0010ffff", "tabs\t\t\tand\r\ncarriage\rreturns\n\n\n\nand lines",
    "法律文書は、賃借人が五日以内に支払うことを定める。", "قال القاضي إن العقد صحيح، والإيجار مستحق.", "=1+1",
    "=HYPERLINK(\"http://" + FOREIGN + "/x\";\"x\")", "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1+1", "＝1+1",
    "'; DROP TABLE results; --", "\" OR 1=1 --", "../../../../etc/passwd", "..\\..\\windows\\win.ini",
    "$(touch /tmp/attacked) `id` ; rm -rf x | cat & true", "%s %n %d {0} {} {x!r} %(name)s", "file:///etc/passwd",
    "data:text/html,<script>alert(1)</script>", "null undefined NaN Infinity -0 1e999 true", "[" * 2_000, "{\"a\":" * 500,
    "x" * 20_000, "a." * 2_000, "((((((((((a+)+)+)+)+)+)+)+)+)+)$ " + "a" * 3_000 + "!", "“" * 500 + "quoted" + "”" * 499,
    "410 U.S. 113 " * 300, "§" * 1_000, "1,2,3," * 500, "-" * 3_000, "\n---\n" * 200, "Source: " * 200,
)  # fmt: skip
_AROUND = ("{}", 'The tenant said "{}" in court.', "Source: {}\nThe rent is due.")


def _all() -> tuple[str, ...]:
    live = [around.replace("{}", one) for around in _AROUND for one in _MARKUP + _MARKDOWN]
    return tuple(itertools.islice(dict.fromkeys([*(a.text for a in ATTACKS), *_WRITING, *live]), COUNT))


COUNT = 200
TEXTS = _all()
assert len(TEXTS) == COUNT

NAMES = (
    "<b>$x$</b> \x1b[31m", "../../escaped", "..", "/etc/passwd", "a\x00b", "\u202egpj.exe\u202c", "n" * 300, "con", "NUL.txt",
    '"quoted" and \'quoted\'', "=1+1", "@SUM(1)", "![x](http://" + FOREIGN + "/n.png)", "<img src=x onerror=alert(1)>",
    ":red[name]", " ", ".", "-rf", "--help", "%2e%2e%2f", "a\nb\r\nSet-Cookie: x=1", "法".join("ab") * 40, "\ufeff\u200b",
    "a/b\\c:d*e?f|g",
)  # fmt: skip
"""For runs, models, sets, files and authors."""
