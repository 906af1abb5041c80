"""The page of a trace in another program."""

from urllib.parse import quote, urlsplit

from groundscope.errors import DataError

_PLACE = "{trace}"


def checked_link(link: str) -> str:
    """Refuse a template that makes no link.

    Raises:
        DataError: it is no address of http or https, or has no place for the id.
    """
    try:
        parts = urlsplit(link)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in {"http", "https"} or not parts.netloc or _PLACE not in link:
        raise DataError(
            "The link must be an address of http or https with {trace} in it, such as https://traces.example/t/{trace}."
        )
    return link


def link_to(link: str, trace: str) -> str:
    """Write the address of a trace."""
    return link.replace(_PLACE, quote(trace, safe=""))
