"""Replays one recorded case against a server and reports the differences. README.md explains the format.

`Tests/External/test_golden.py` runs it, and has the device with passkeys.
"""

import base64
import hashlib
import hmac
import http.client
import http.cookies
import json
import random
import re
import string
import time
import urllib.parse
import uuid

import identity_provider
from identity_provider import from_base64url, to_base64url
from mails import PATIENCE_SECONDS
from passkey_device import Authenticator

KEPT_HEADERS = (
    "content-type",
    "location",
    "link",
    "x-total-count",
    "x-supabase-api-version",
    "x-sb-error-code",
    "cache-control",
    "retry-after",
)
PLACEHOLDER = re.compile(r"\{\{([a-z0-9_]+(?:[+-]\d+)?)((?:\|[a-z0-9]+)*)\}\}")
# Lists whose order the recorded server does not fix, and the member to sort them by.
UNORDERED = {"amr": "method", "identities": "provider", "factors": "friendly_name"}
# Texts for people, which are not compared.
TEXTS = {"msg", "message", "error_description", "description"}
NEVER_REMEMBERED = {"time", "unix", "number", "text", "b64"}
# Secrets and ids that must differ from the earlier ones of their case.
FRESH = {"totp_secret", "passkey_id", "webauthn_challenge", "recovery_code"}
ANYTHING = {"{{any}}": True}
OPTIONAL = {"{{optional}}": True}
TOTP_STEP_SECONDS = 30

UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
KINDS = {
    "access_token": r"eyJ[\w-]+\.[\w-]+\.[\w-]+",
    "refresh_token": r"[A-Za-z0-9_-]{12,}",
    **dict.fromkeys(
        ("user_id", "identity_id", "session_id", "factor_id", "challenge_id", "state", "auth_code", "audit_id", "uuid"),
        UUID,
    ),
    "time": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)",
    "unix": r"\d{10}",
    "number": r"\d+",
    "code": r"\d{6}",
    "token_hash": r"(?:pkce_)?[0-9a-f]{56}",
    "totp_secret": r"[A-Z2-7]{16,}",
    "qr_code": r"(?s:.*<svg.*)",
    "text": r"(?s:.*)",
    "b64": r"[\w-]+",
    "passkey_id": UUID,
    "webauthn_challenge": r"[\w-]{22,}",
    "recovery_code": r"[a-z2-7]{13,32}",
}


def plain_name(name):
    """Without the final number, which only distinguishes values."""
    return re.sub(r"_\d+$", "", name)


def kind_of(name):
    """The pattern for a value of this name."""
    return KINDS.get(plain_name(name))


def sign_jwt(header, claims, secret):
    """HS256, or no signature if the header has `none`."""
    signed = to_base64url(json.dumps(header).encode()) + "." + to_base64url(json.dumps(claims).encode())
    signature = b""
    if header["alg"] == "HS256":
        signature = hmac.new(secret.encode(), signed.encode(), hashlib.sha256).digest()
    return signed + "." + to_base64url(signature)


def decode_jwt(token):
    header, claims, _ = token.split(".")
    return json.loads(from_base64url(header)), json.loads(from_base64url(claims))


def given_values(base_url, secret, idp_url):
    """The initial values of every case. `idp_url`: the stand-in of identity_provider.py."""
    now = int(time.time())

    def key(role):
        return sign_jwt(
            {"alg": "HS256", "typ": "JWT"}, {"role": role, "iss": "test", "iat": now - 10, "exp": now + 36000}, secret
        )

    return {
        "base_url": base_url.rstrip("/"),
        "jwt_secret": secret,
        "service_key": key("service_role"),
        "anon_key": key("anon"),
        "idp_url": idp_url,
    }


def totp(secret, step):
    """The code of RFC 6238 with SHA-1 and six digits, `step` steps after the current one (negative: before)."""
    if step:
        wait_for_a_fresh_step()
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    counter = int(time.time()) // TOTP_STEP_SECONDS + step
    digest = hmac.digest(key, counter.to_bytes(8, "big"), "sha1")
    start = digest[-1] & 15
    return "%06d" % ((int.from_bytes(digest[start : start + 4], "big") & 0x7FFFFFFF) % 10**6)


def wait_for_a_fresh_step():
    """Near the end of a step, waits for the next: the server must read the code in the step that it was made for."""
    passed = time.time() % TOTP_STEP_SECONDS
    if passed > TOTP_STEP_SECONDS - 10:
        time.sleep(TOTP_STEP_SECONDS + 0.1 - passed)


class Missing(Exception):
    """A step needs something that no step gave."""


class Values(dict):
    """The named values, the cookies and the passkeys: a case is one user with one browser on one device.

    Addresses, ids and similar values are created on first use.
    """

    def __init__(self, given, chance):
        super().__init__(given)
        self.chance, self.cookies, self.device = chance, {}, Authenticator(chance)
        self["tag"] = "".join(chance.choice(string.ascii_lowercase) for _ in range(12))
        self.used_steps = {}

    def unused_code(self, secret, step):
        """A code that this case has not made yet: our server takes each code once, up to one step ahead.

        A negative step gives that old code itself.
        """
        if step < 0:
            return totp(secret, step)
        least = self.used_steps.get(secret, 0) + 1
        now = int(time.time()) // TOTP_STEP_SECONDS
        while least > now + max(step, 0) + 1:
            time.sleep(1)
            now = int(time.time()) // TOTP_STEP_SECONDS
        step = max(step, least - now)
        code = totp(secret, step)
        self.used_steps[secret] = int(time.time()) // TOTP_STEP_SECONDS + step
        return code

    def get_or_make(self, name):
        if name in self:
            return self[name]
        if moment := re.fullmatch(r"now([+-]\d+)?", name):
            return int(time.time()) + int(moment.group(1) or 0)
        if name.startswith("email"):
            self[name] = "u" + name[5:].replace("_", "") + self["tag"] + "@example.com"
        elif name.startswith("random_uuid"):
            self[name] = str(uuid.UUID(int=self.chance.getrandbits(128), version=4))
        elif name.startswith("client_ip"):
            self[name] = "10.%d.%d.%d" % tuple(self.chance.randrange(1, 250) for _ in range(3))
        elif name.startswith("phone"):
            self[name] = "1555" + "".join(self.chance.choice(string.digits) for _ in range(8))
        else:
            raise Missing("no value for {{%s}}" % name)
        return self[name]

    def fill(self, value):
        """The value with its placeholders replaced."""
        if isinstance(value, dict):
            return {name: self.fill(member) for name, member in value.items()}
        if isinstance(value, list):
            return [self.fill(element) for element in value]
        if not isinstance(value, str):
            return value
        whole = PLACEHOLDER.fullmatch(value)
        if whole and not whole.group(2):
            return self.get_or_make(whole.group(1))
        return PLACEHOLDER.sub(self._filtered, value)

    def _filtered(self, found):
        value = str(self.get_or_make(found.group(1)))
        for name in found.group(2).split("|")[1:]:
            value = FILTERS[name](value)
        return value


def _wrong(value):
    if value.isdigit():
        return "%06d" % ((int(value) + 1) % 1000000)
    return value[:-1] + ("a" if value[-1] != "a" else "b")


def _tampered(token):
    header, claims, signature = token.split(".")
    return header + "." + claims + "." + ("A" if signature[0] != "A" else "B") + signature[1:]


FILTERS = {
    "upper": str.upper,
    "lower": str.lower,
    "quote": lambda value: urllib.parse.quote(value, safe=""),
    "sha256": lambda value: hashlib.sha256(value.encode()).hexdigest(),
    "repeat1100000": lambda value: value * 1100000,
    "wrong": _wrong,
    "b64u": lambda value: to_base64url(value.encode()),
    "dashed": lambda value: "-".join(re.findall("..?.?.?", value)).upper(),
    "tamper": _tampered,
}


def send(base_url, request, cookies):
    """The response to one request. Sends `cookies`, by name, and updates them."""
    url = urllib.parse.urlsplit(base_url)
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=PATIENCE_SECONDS)
    body = None
    if "body" in request:
        body = json.dumps(request["body"]).encode()
    elif "raw_body" in request:
        body = request["raw_body"].encode()
    try:
        connection.putrequest(request["method"], url.path.rstrip("/") + request["path"], skip_accept_encoding=True)
        for name, value in (request.get("headers") or {}).items():
            connection.putheader(name, value)
        if cookies:
            connection.putheader("Cookie", "; ".join(f"{name}={value}" for name, value in cookies.items()))
        if body is not None or request["method"] in ("POST", "PUT", "PATCH"):
            connection.putheader("Content-Length", str(len(body or b"")))
        connection.endheaders()
        if body:
            try:
                connection.send(body)
            except (BrokenPipeError, ConnectionResetError):
                pass  # A server may respond before it has read all of a long body.
        response = connection.getresponse()
        raw = response.read()
    finally:
        connection.close()
    keep_cookies(cookies, response.headers.get_all("Set-Cookie") or [])
    headers = {
        name.lower(): value
        for name, value in response.getheaders()
        if name.lower() in KEPT_HEADERS or name.lower().startswith("access-control-")
    }
    try:
        content = json.loads(raw) if raw else None
    except ValueError:
        content = {"{{raw}}": raw.decode("utf-8", "replace")}
    return {"status": response.status, "headers": headers, "body": content}


def keep_cookies(cookies, lines):
    for line in lines:
        for name, morsel in http.cookies.SimpleCookie(line).items():
            if morsel["max-age"] == "0":
                cookies.pop(name, None)
            else:
                cookies[name] = morsel.value


def type_name(value):
    return {
        dict: "object",
        list: "array",
        str: "string",
        bool: "bool",
        int: "number",
        float: "number",
        type(None): "null",
    }[type(value)]


def shown(value):
    return json.dumps(value)[:200]


class Comparison:
    """Compares one recorded response with a real one. `found` has the differences."""

    def __init__(self, values, rules, step):
        self.values, self.rules, self.step = values, rules, step
        self.unordered, self.found = UNORDERED, []

    def differ(self, where, text):
        self.found.append(f"step {self.step} {where}: {text}")

    def answers(self, recorded, answer):
        deviation = self.rules.other_answer(self.step)
        if deviation:
            self._other_answer(deviation, recorded, answer)
            return
        if recorded.get("or_refused") and answer["status"] // 100 == 4 and not find_token(answer):
            return
        if recorded["status"] != answer["status"]:
            self.differ("status", f"expected {recorded['status']}, got {answer['status']} {shown(answer['body'])}")
        self._headers(recorded, answer)
        self.unordered = {**UNORDERED, "body": recorded.get("unordered")}
        self._value(recorded["body"], self._compared(recorded, recorded["body"], answer["body"]), "body")
        if "access_token_claims" in recorded:
            self._token(recorded, answer)

    def _compared(self, recorded, expected, actual):
        return only_recorded(expected, actual) if recorded.get("partial") else actual

    def _other_answer(self, deviation, recorded, answer):
        """Compares with the intended response of the list of differences."""
        got = (answer["status"], error_code(answer["body"]))
        if got == (recorded["status"], error_code(recorded["body"])):
            self.differ("answer", "is as recorded, so it does not belong on the list of differences")
        elif got == deviation:
            self.rules.use_other_answer(self.step)
        else:
            self.differ(
                "answer", "the list of differences says %s %s, got %s %s" % (*deviation, got[0], shown(answer["body"]))
            )

    def _headers(self, recorded, answer):
        for name, expected in recorded["headers"].items():
            actual = answer["headers"].get(name)
            if actual is None:
                self.differ(f"header {name}", f"missing (expected {expected!r})")
                continue
            if name == "location":
                self._location(expected, actual)
                continue
            problem = self._text(expected, actual)
            if problem and not self.rules.allow(self.step, f"header {name}"):
                self.differ(f"header {name}", problem)
        is_redirect = recorded["status"] // 100 == 3
        for name, actual in answer["headers"].items():
            if name in recorded["headers"] or (name == "content-type" and is_redirect):
                continue
            if not self.rules.allow(self.step, f"extra header {name}"):
                self.differ(f"header {name}", f"extra ({actual!r})")

    def _location(self, expected, actual):
        actual = without_texts(actual)
        problem = self._text(without_texts(expected), actual)
        other = self.rules.other_location(self.step)
        if other and not problem:
            problem = "is as recorded, so it does not belong on the list of differences"
        elif other:
            problem = self._text(without_texts(other), actual)
            if not problem:
                self.rules.use_other_location(self.step)
        if problem and not self.rules.allow(self.step, "header location"):
            self.differ("header location", problem)

    def _token(self, recorded, answer):
        token = find_token(answer)
        if not token:
            self.differ("token", "there is no access token in the answer")
            return
        header, claims = decode_jwt(token)
        expected = recorded["access_token_claims"]
        self._value(recorded.get("access_token_header", header), header, "token header")
        self._value(expected, self._compared(recorded, expected, claims), "claims")

    def _value(self, expected, actual, path):
        if expected in (ANYTHING, OPTIONAL):
            return
        placeholder = PLACEHOLDER.fullmatch(expected) if isinstance(expected, str) else None
        if placeholder and placeholder.group(1) in ("unix", "number"):
            if isinstance(actual, bool) or not isinstance(actual, int):
                self.differ(path, f"expected a number, got {type_name(actual)} {shown(actual)}")
        elif type_name(expected) != type_name(actual):
            if not self.rules.allow(self.step, path):
                self.differ(path, f"expected {shown(expected)}, got {shown(actual)}")
        elif isinstance(expected, dict):
            self._object(expected, actual, path)
        elif isinstance(expected, list):
            self._array(expected, actual, path)
        elif isinstance(expected, str):
            if path.rsplit(".", 1)[-1] in TEXTS and "{{raw}}" not in path:
                return
            problem = self._text(expected, actual)
            if problem and not self.rules.allow(self.step, path):
                self.differ(path, problem)
        elif expected != actual and not self.rules.allow(self.step, path):
            self.differ(path, f"expected {expected!r}, got {actual!r}")

    def _object(self, expected, actual, path):
        for name, member in expected.items():
            if name in actual:
                self._value(member, actual[name], f"{path}.{name}")
            elif member != OPTIONAL and not self.rules.allow(self.step, f"{path}.{name}"):
                self.differ(f"{path}.{name}", f"missing (expected {shown(member)})")
        where = "claim" if path == "claims" else "member"
        for name in actual.keys() - expected.keys():
            if not self.rules.allow(self.step, f"extra {where} {name}"):
                self.differ(f"{path}.{name}", f"extra ({shown(actual[name])})")

    def _array(self, expected, actual, path):
        key = self.unordered.get(path.rsplit(".", 1)[-1])
        if key:

            def order(element):
                return str(element.get(key)) if isinstance(element, dict) else str(element)

            expected, actual = sorted(expected, key=order), sorted(actual, key=order)
        if len(expected) != len(actual) and not self.rules.allow(self.step, path):
            self.differ(path, f"expected {len(expected)} elements, got {len(actual)}")
        for index, (left, right) in enumerate(zip(expected, actual)):
            self._value(left, right, f"{path}[{index}]")

    def _text(self, expected, actual):
        """None when equal, else a text. Placeholders that are not known yet are learnt here."""
        pattern, position, learnt = "", 0, []
        for found in PLACEHOLDER.finditer(expected):
            pattern += re.escape(expected[position : found.start()])
            position = found.end()
            name, kind = found.group(1), kind_of(found.group(1))
            if name in NEVER_REMEMBERED:
                pattern += f"(?:{kind})"
            elif name in self.values or not kind:
                pattern += re.escape(
                    self.values.fill(found.group(0)) if found.group(2) else str(self.values.get_or_make(name))
                )
            elif name in learnt:
                pattern += f"(?P={name})"
            else:
                pattern += f"(?P<{name}>{kind})"
                learnt.append(name)
        match = re.fullmatch(pattern + re.escape(expected[position:]), actual)
        if not match:
            return f"expected {expected!r}, got {actual!r}"
        for name, value in match.groupdict().items():
            if plain_name(name) in FRESH and value in self._earlier(name):
                return f"{actual!r} is not new"
            self.values[name] = value
        return None

    def _earlier(self, name):
        """The values of the same kind that the case has under other names."""
        return {
            value for other, value in self.values.items() if other != name and plain_name(other) == plain_name(name)
        }


def only_recorded(expected, actual):
    """`actual` without the members of its objects that the recording lacks."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return {name: only_recorded(expected[name], value) for name, value in actual.items() if name in expected}
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        return [only_recorded(left, right) for left, right in zip(expected, actual)]
    return actual


def error_code(body):
    """The stable code of an error response in either format; "-" without one."""
    if not isinstance(body, dict):
        return "-"
    if isinstance(body.get("error_code"), str):
        return body["error_code"]
    return body["code"] if isinstance(body.get("code"), str) else "-"


def without_texts(location):
    return re.sub(r"(error_description|message)=[^&#]*", r"\1=*", location)


def find_token(answer):
    if isinstance(answer["body"], dict) and isinstance(answer["body"].get("access_token"), str):
        return answer["body"]["access_token"]
    found = re.search(r"#.*?access_token=([^&]+)", answer["headers"].get("location", ""))
    return found.group(1) if found else None


def waits(case):
    return any("wait" in step for step in case["steps"])


def replay(case, base_url, given, rules, mails=None, attempt=0):
    """The differences of the first step with any; empty if the case passes. Each attempt has its own user.

    `rules` represents the list of differences: `allow`, `ends_before`, `other_answer`, `other_location`, and `use_` of
    the latter two.
    """
    chance = random.Random(f"{rules.group} / {case['name']}" + f" / {attempt}" * (attempt > 0))
    values = Values(given, chance)
    for number, step in enumerate(case["steps"], 1):
        if rules.ends_before(number):
            return []
        try:
            found = replay_step(number, step, base_url, values, rules, mails)
        except Missing as problem:
            found = [f"step {number}: {problem}"]
        except OSError as problem:
            found = [f"step {number}: connection: {problem}"]
        if found:
            return found
    return []


def receive(number, expected, mails, values, rules):
    """Waits for the next unread mail to an address, and compares its link and code, unless they are recorded as null."""
    if mails is None:
        raise Missing("the server sends no mail")
    mail = mails.next(values.fill(expected["to"]))
    comparison = Comparison(values, rules, number)
    for name in ("link", "code"):
        if expected[name] is None:
            continue
        problem = comparison._text(expected[name], mail.get(name) or "")
        if problem and not rules.allow(number, name):
            comparison.differ(f"mail {name}", problem)
    return comparison.found


def unexpected(number, expected, mails, values, rules):
    """Waits a moment for a mail that must not come."""
    time.sleep(0.6)
    if mails and mails.unread(values.fill(expected["to"])) and not rules.allow(number, "mails"):
        return [f"step {number}: a mail came"]
    return []


def replay_step(number, step, base_url, values, rules, mails):
    if "wait" in step:
        time.sleep(step["wait"])
    elif "make" in step:
        make(step["make"], values)
    elif "mail" in step:
        # An allowed absence is one: a mail that comes belongs off the list.
        if rules.allow(number, "no mail"):
            return unexpected(number, step["mail"], mails, values, rules)
        return receive(number, step["mail"], mails, values, rules)
    elif "no_mail" in step:
        return unexpected(number, step["no_mail"], mails, values, rules)
    else:
        before = dict(values)
        for repetition in range(step.get("repeat", 1)):
            if repetition:  # Each repetition may set its own values.
                values.clear()
                values.update(before)
            request = values.fill(step["request"])
            before.update(values)
            comparison = Comparison(values, rules, number)
            comparison.answers(step["answer"], send(base_url, request, values.cookies))
            if comparison.found:
                return comparison.found
    return []


def make(what, values):
    if "jwt" in what:
        token = values.fill(what["jwt"])
        header = token.get("header") or {"alg": "HS256", "typ": "JWT"}
        made = sign_jwt(header, token["claims"], token.get("secret"))
    elif "idp_code" in what:
        made = identity_provider.code_for(values.fill(what["idp_code"]))
    elif "id_token" in what:
        made = identity_provider.KEY.token(values.fill(what["id_token"]))
    elif "totp" in what:
        made = values.unused_code(values.fill(what["totp"]), what.get("step", 0))
    elif "webauthn_create" in what:
        name = what["name"]
        made = values.device.create(name, **values.fill(what["webauthn_create"]))
        values[name + "_raw_id"] = to_base64url(values.device.passkeys[name].raw_id)
    elif "webauthn_get" in what:
        asked = values.fill(what["webauthn_get"])
        made = values.device.get(asked.pop("key"), **asked)
    else:
        raise ValueError(what)
    values[what["name"]] = made
