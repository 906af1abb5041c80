"""Addresses that nothing is sent to, in every form that reaches them; they are refused where they are written."""

import pytest

from groundscope.chat import model_spec
from groundscope.chat.addresses import check_address, refused_host, refused_url
from groundscope.models.embedders import services
from tests.loops import each

METADATA = [
    "169.254.169.254",
    "169.254.169.254.",
    "[fe80::1]",
    "[fe80::1%25eth0]",
    "[::ffff:a9fe:a9fe]",
    "[::a9fe:a9fe]",
    "[::ffff:0:169.254.169.254]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b:1::a9fe:a9fe]",
    "[64:ff9b:1:a9fe:a9:fe00::]",
    "[64:ff9b:1:a9:fe:a9fe::]",
    "[64:ff9b:1:0:a9:fea9:fe00:0]",
    "[2002:a9fe:a9fe::]",
    "[2001:0:a9fe:a9fe::]",
    "[2001:0:808:808:0:0:5601:5601]",
    "[2001:db8::5efe:169.254.169.254]",
    "[2001:db8::200:5efe:a9fe:a9fe]",
    "[fd00:ec2::254]",
    "[fd20:ce::254]",
    "100.100.100.200",
    "[::ffff:100.100.100.200]",
    "[64:ff9b::6464:64c8]",
    "168.63.129.16",
    "192.0.0.192",
    "2852039166",
    "0xA9FEA9FE",
    "025177524776",
    "169.16689662",
]
NO_MACHINE = ["0.0.0.0", "0", "[::]", "[::ffff:0.0.0.0]", "224.0.0.1", "[ff02::1]"]  # noqa: S104
HIDDEN = ["2130706433", "0x7f000001", "0x7f.0.0.1", "0x7f.1", "017700000001", "134744072"]
ALLOWED = [
    "localhost",
    "127.0.0.1",
    "127.1",
    "[::1]",
    "10.1.2.3",
    "192.168.1.7",
    "8.8.8.8",
    "models.example.com",
    "169-254-169-254.example.com",
    "[2001:4860:4860::8888]",
    "[64:ff9b::808:808]",
    "[64:ff9b:1::808:808]",
    "[2002:808:808::1]",
    "[fd00::1]",
]
WORDS = {
    **dict.fromkeys(METADATA, "leads to a link-local or metadata address, where no model server is"),
    **dict.fromkeys(NO_MACHINE, "does not lead to a single machine; name the machine"),
    **dict.fromkeys(HIDDEN, "is ambiguous; write the four numbers of the IP address, like http://127.0.0.1:11434/v1"),
}


@each("host", WORDS)
def test_an_address_that_leads_nowhere_good_is_refused_where_it_is_written(host: str) -> None:
    for address in (f"http://{host}/", f"https://{host}:8443/v1"):
        with pytest.raises(ValueError, match=r"^(leads|does not lead|is ambiguous)") as raised:
            check_address(address)
        assert str(raised.value) == WORDS[host]
        sentence = f"The address of the server {WORDS[host]}."
        for parse, line in ((model_spec.parse, f"server:m@{address}"), (services.parse, f"openai:m@{address}")):
            with pytest.raises(ValueError, match="address") as raised:
                parse(line)
            # The sign of a zone is no part of an address that a spec may hold, in any spec.
            assert str(raised.value) == sentence


@each("host", ALLOWED)
def test_other_addresses_are_allowed_as_they_are_written(host: str) -> None:
    assert check_address(f" http://{host}:8000/v1/ ") == f"http://{host}:8000/v1"
    assert model_spec.parse(f"server:m@http://{host}:8000/v1").address == f"http://{host}:8000/v1"


def test_an_address_of_the_environment_is_refused_for_where_it_leads_and_not_for_how_it_is_written() -> None:
    assert {host: refused_url(f"http://{host}:80/x") for host in (*METADATA, *NO_MACHINE)} == {
        host: WORDS[host] for host in (*METADATA, *NO_MACHINE)
    }
    assert {refused_url(f"http://{host}/") for host in (*HIDDEN, *ALLOWED)} == {""}
    assert refused_url("http://me:secret@localhost?x") == refused_url("no address") == refused_host("") == ""


@each(
    ("address", "why"),
    [
        ("http://localhost/v1?key=secret", "must not hold a ? or #"),
        ("http://localhost/v1#x", "must not hold a ? or #"),
        ("http://[::1", "is not an address"),
        ("http://localhost:port/v1", "is not an address"),
        ("http://0251.0376.0251.0376/", "is not an address"),
    ],
)
def test_what_is_no_plain_address_is_refused_in_a_sentence(address: str, why: str) -> None:
    with pytest.raises(ValueError, match=f"^The address of the server {why}".replace("?", r"\?")) as raised:
        model_spec.parse(f"server:m@{address}")
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("address", ["http://me:secret@localhost/v1", "https://me@localhost/v1", "https://"])
def test_a_name_or_password_in_an_address_is_refused_before_it_is_a_model(address: str) -> None:
    with pytest.raises(ValueError, match=r"must not contain a name or password|must begin with http") as raised:
        check_address(address)
    assert "secret" not in str(raised.value)
    with pytest.raises(ValueError, match="must begin with http://") as raised:
        model_spec.parse(f"server:x@{address}")
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("address", ["file:///etc/passwd", "gopher://localhost"])
def test_only_http_is_spoken(address: str) -> None:
    with pytest.raises(ValueError, match="must begin with http"):
        check_address(address)
