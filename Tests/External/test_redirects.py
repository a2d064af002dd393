"""Redirect patterns: urllib and Chromium parse every accepted address as the pattern means it."""

import os
import random
import re
import urllib.parse

import pytest
from chromium import Chromium
from signing_in import Flow

# The number of addresses; large in `make soak`.
ADDRESSES = int(os.environ.get("GATEHOUSE_REDIRECTS", "2000"))
SEED = 16
LABEL = "[a-z0-9-]+"
USUAL_PORTS = {"http": 80, "https": 443}

# Each pattern with its meaning, written by hand: scheme, host, port, path.
PATTERNS = {
    "https://*.example.org/**": ("https", rf"{LABEL}\.example\.org", "443", "/.*"),
    "https://pr-?.preview.example.net:84*/cb": ("https", r"pr-[a-z0-9-]\.preview\.example\.net", r"84\d*", "/cb"),
    "https://**.wide.example.com/*": ("https", rf"({LABEL}\.)+wide\.example\.com", "443", r"/[^./?#@:\\]*"),
    "https://app.example.com/auth/**": ("https", r"app\.example\.com", "443", "/auth/.*"),
    "http://[a-c]1.example.info": ("http", r"[a-c]1\.example\.info", "80", "/"),
    # The mark is a character, or begins the query.
    "https://**.any.example/x?next=**": ("https", rf"({LABEL}\.)+any\.example", "443", r"/x|/x[^./?#@:\\]next=.*"),
}
# `gatehouse dev` itself allows every page of this machine.
MEANINGS = [*PATTERNS.values(), ("https?", r"localhost|127\.0\.0\.1", r"\d+", "/.*")]

ALLOWED = [
    "https://a.example.org/x/y?z=1#w",
    "https://A.Example.org:443/x",
    "https://pr-7.preview.example.net:8443/cb",
    "https://a.b.wide.example.com/x",
    "https://app.example.com/auth/x/y",
    "http://b1.example.info",
    "https://a.any.example/x?next=/a?b",
    "http://localhost:3000/x",
]
HOSTILE = [
    *"?#@:/\\.%[]|{}*^`'\"<>~!$&()+,;=-_ \t\n\r\0\x7f",
    *["%2e", "%2E%2e", "%2f", "%5c", "%23", "%3f", "%40", "%00", "..", "/../", "/./", "//", "\\\\", "@evil.example"],
    *["evil.example", "evil.example/", "0x5db8d822", "1572395042", "0135.0270.0330.042", "127.1", ".0x7f", "0x", "08"],
    *[":443", ":0443", ":65536", ":80", "::1", "[::1]", "[::ffff:5db8:d822]", "xn--", "xn--80ak6aa92e.", "xn--a."],
    *["\u3002", "\uff0f", "\uff20", "\uff41", "\u0130", "\u00df", "\u2024", "\u202e", "\u00ad", "\u200d", "\ufeff"],
    *["javascript:", "https:", "http://", "user:pass@", "é", "\U0001f600"],
]
MILD = ["a", "9", "-", "b.", "/c", "/d.e", "?f=g", "&h", "#i", "%20", "x1y2", "0", "A", "_", "~"]


def addresses(count):
    chance = random.Random(SEED)
    for _ in range(count):
        text = chance.choice(ALLOWED)
        for _ in range(chance.choice([1, 1, 2, 3])):
            # Near the host, where it matters, more often than not.
            end = len(text) if chance.random() < 0.3 else min(len(text), 40)
            start = chance.randrange(end + 1)
            piece = chance.choice(HOSTILE if chance.random() < 0.6 else MILD)
            text = text[:start] + piece + text[start + chance.choice([0, 0, 0, 1, 3]) :]
        yield text


def means(scheme, host, port, path):
    parts = (scheme, host, str(port), path)
    return any(all(map(re.fullmatch, meaning, parts)) for meaning in MEANINGS)


def as_urllib_reads(address):
    url = urllib.parse.urlsplit(address)
    return url.scheme, url.hostname, url.port or USUAL_PORTS.get(url.scheme), url.path or "/"


READ_ALL = """(all) => all.map(text => {
    try {
        const url = new URL(text)
        return [url.protocol.slice(0, -1), url.hostname, url.port, url.pathname]
    } catch { return null }
})"""


def as_chromium_reads(all_addresses):
    chromium = Chromium()
    try:
        tab = chromium.person()
        for parts in tab.page.evaluate(READ_ALL, all_addresses):
            yield parts and (parts[0], parts[1], parts[2] or USUAL_PORTS.get(parts[0]), parts[3])
    finally:
        chromium.close()


@pytest.fixture(scope="module")
def stack(session_servers):
    return session_servers.dev(*(word for pattern in PATTERNS for word in ("--redirect", pattern))).start()


class Visitor:
    """One browser that begins many sign-ins and cancels each."""

    def __init__(self, server):
        self.server, self.client = server, server.auth()

    def sent_to(self, address):
        """The final redirect address; None for the site, the target of refused addresses."""
        url = Flow(self.server, "google", browser=self).address(redirect_to=address)
        begun = self.client.get(url.removeprefix(self.server.auth_url))
        assert begun.status == 302, begun
        if "set-cookie" in begun.headers:
            self.client.headers["Cookie"] = begun.headers["set-cookie"].partition(";")[0]
        state = urllib.parse.parse_qs(urllib.parse.urlsplit(begun.headers["location"]).query)["state"][0]
        answer = self.client.get(f"/callback?state={urllib.parse.quote(state)}&error=access_denied")
        assert answer.status in (302, 303), answer
        location = answer.headers["location"]
        return None if location.startswith(self.server.url + "/dev?") else location


def test_every_address_that_passes_has_the_host_of_its_pattern(stack):
    visitor, passed = Visitor(stack), {}
    for address in [*ALLOWED, *addresses(ADDRESSES)]:
        if location := visitor.sent_to(address):
            passed[address] = location
    assert set(ALLOWED) <= set(passed), "an address that a pattern means was refused"
    assert len(passed) > ADDRESSES // 40, "too few to show anything"
    # The requested address, and the one that the browser gets, with the response added.
    for texts in (list(passed), list(passed.values())):
        for text in texts:
            assert means(*as_urllib_reads(text)), text
        if os.environ.get("GATEHOUSE_BROWSER") == "none":
            continue
        for text, parts in zip(texts, as_chromium_reads(texts), strict=True):
            assert parts and means(*parts), (text, parts)


@pytest.mark.parametrize(
    "address",
    [
        "https://0x5db8d822?.example.org/x",
        "https://1572395042#.example.org/x",
        "https://evil.example?.example.org/x",
        "https://evil.example\\.example.org/x",
        "https://app.example.com/auth/../x",
        "https://app.example.com/auth/%2e%2e/x",
    ],
)
def test_ambiguous_addresses_are_refused(stack, address):
    assert Visitor(stack).sent_to(address) is None
