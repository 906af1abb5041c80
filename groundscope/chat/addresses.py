"""Blocked addresses: link-local and metadata services, in every notation that reaches them.

Loopback and private networks are allowed: local model servers run there. One check serves typed addresses of chat models and
embedders, addresses in the environment, and what a name turns out to stand for.
"""

import ipaddress
import re
import socket

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

# Link-local or not, these are metadata services: AWS over IPv6, Google, Alibaba, Azure, Oracle.
_METADATA = {
    ipaddress.ip_address(a) for a in ("fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "168.63.129.16", "192.0.0.192")
}
# Networks whose addresses end in an IPv4 one: compatible, mapped and translated (RFC 4291, 7915), NAT64 (RFC 6052).
_ENDING = tuple(ipaddress.IPv6Network(n) for n in ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96"))
_LOCAL_NAT64 = ipaddress.IPv6Network("64:ff9b:1::/48")
_ISATAP = {0x00005EFE, 0x02005EFE}
_NUMBER = re.compile(r"(0x[0-9a-f]*|\d+)", re.I)


def check_address(address: str) -> str:
    """Normalise the address of a model server; the `ValueError` of one that is not valid continues "The address ..."."""
    import httpx2

    try:
        url = httpx2.URL(address.strip())
    except (httpx2.InvalidURL, TypeError, ValueError):
        raise ValueError("is not an address; write it like http://localhost:11434/v1") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise ValueError("must begin with http:// or https://, like http://localhost:11434/v1")
    if url.userinfo:
        raise ValueError("must not contain a name or password; keys come from the environment")
    if url.query or url.fragment:
        raise ValueError("must not hold a ? or #; give the address before them")
    if why := refused_host(url.host):
        raise ValueError(why)
    if _is_disguised(url.host):
        raise ValueError("is ambiguous; write the four numbers of the IP address, like http://127.0.0.1:11434/v1")
    return str(url).rstrip("/")


def refused_url(url: str) -> str:
    """Say why nothing is sent to an address of the environment; it may be any address that the user's programs understand."""
    import httpx2

    try:
        return refused_host(httpx2.URL(url).host)
    except (httpx2.InvalidURL, TypeError, ValueError):
        return ""


def refused_host(host: str) -> str:
    """Say why nothing is sent to a host."""
    literal = _literal(host)
    return refused(literal) if literal is not None else ""


def refused(address: Address) -> str:
    """Say why nothing is sent to an address."""
    reached = [address, *(_inside(address) if isinstance(address, ipaddress.IPv6Address) else ())]
    if any(a.is_link_local or a in _METADATA for a in reached):
        return "leads to a link-local or metadata address, where no model server is"
    if any(a.is_unspecified or a.is_multicast for a in reached):
        return "does not lead to a single machine; name the machine"
    return ""


def _literal(host: str) -> Address | None:
    """The address that a host is; None for a name."""
    plain = host.strip("[]").partition("%")[0].rstrip(".")
    try:
        return ipaddress.ip_address(plain)
    except ValueError:
        pass
    try:
        # What the system's resolver makes of fewer numbers than four, or of octal and hexadecimal ones.
        return ipaddress.IPv4Address(socket.inet_aton(plain)) if _numbers(plain) else None
    except OSError:
        return None


def _numbers(host: str) -> list[str]:
    """The parts of a host that is made of numbers alone; empty for any other."""
    parts = host.split(".")
    return parts if all(_NUMBER.fullmatch(part) for part in parts) else []


def _is_disguised(host: str) -> bool:
    """Whether an IPv4 address is written as one number, or with an octal or hexadecimal one."""
    parts = _numbers(host)
    return len(parts) == 1 or any(part.lower().startswith("0x") or part != str(int(part)) for part in parts)


def _inside(address: ipaddress.IPv6Address) -> list[ipaddress.IPv4Address]:
    """The IPv4 addresses that an IPv6 address may hold, of all forms that reach them."""
    bits = int(address)
    embedded = [bits] if any(address in network for network in _ENDING) or bits >> 32 & 0xFFFFFFFF in _ISATAP else []
    if address in _LOCAL_NAT64:
        # The prefix is 48, 56, 64 or 96 long, and the byte after the first 64 bits is left out of the address (RFC 6052, 2.2).
        joined = bits >> 64 << 56 | bits & (1 << 56) - 1
        # All zeros is where a longer prefix has nothing.
        embedded += [bits, *(b for b in (joined >> 40, joined >> 32, joined >> 24) if b & 0xFFFFFFFF)]
    inner = [ipaddress.IPv4Address(b & 0xFFFFFFFF) for b in embedded]
    return inner + [a for a in (address.sixtofour, *(address.teredo or ())) if a is not None]
