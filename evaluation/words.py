"""Time, money and numbers of things in words, for pages and for the shell."""


def spell(seconds: float) -> str:
    """A duration: `0.4 s`, `12 s`, `3 min 5 s`, `2 h 10 min`."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def money(dollars: float) -> str:
    """US dollars: small sums with four places, so that a call is not shown as nothing."""
    return f"${dollars:,.2f}" if dollars >= 0.1 or dollars == 0 else f"${dollars:.4f}"


def counted(number: int, what: str) -> str:
    """So many of something: `1 triple`, `2 triples`."""
    return f"{number:,} {what}{'s' * (number != 1)}"
