"""An app that signs users in through a provider, in a browser, for the provider tests."""

import base64
import hashlib
import json
import re
import secrets
import urllib.parse

from browser import Browser
from program import Client

# The app's redirect address. No server listens there: the system passes such an address to the app.
APP = "com.example.boxscore://signed-in"
# Text that belongs only in the source or the log.
INNER = re.compile(
    r"\.swift|SQLITE|HTTPClient|(?<![\w-])NIO[A-Z][a-z]{2}[A-Za-z]*(?![\w-])|Optional\(|Error\(|ProviderFailure"
    r"|127\.0\.0\.1|Traceback"
)


def serve(servers, port, providers, **settings):
    """A server on `port` with `providers`, elements of GATEHOUSE_OPENID_PROVIDERS."""
    return servers.serve(
        port=port,
        **{
            "GATEHOUSE_OPENID_PROVIDERS": json.dumps(providers),
            "GATEHOUSE_OUTGOING_LOOPBACK": "true",
            "GOTRUE_URI_ALLOW_LIST": APP,
            "GOTRUE_MAILER_AUTOCONFIRM": "false",
            **settings,
        },
    ).start()


def callback(port):
    """Where providers send browsers back to."""
    return f"http://127.0.0.1:{port}/auth/v1/callback"


class Flow:
    """One sign-in: the app's verifier and the user's browser."""

    def __init__(self, server, provider, browser=None):
        self.server, self.provider = server, provider
        self.browser = browser or Browser(APP)
        self.verifier = secrets.token_urlsafe(48)

    @property
    def challenge(self):
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()

    def address(self, **parameters):
        """The URL that the app opens in the browser."""
        query = {
            "provider": self.provider,
            "redirect_to": APP,
            "code_challenge": self.challenge,
            "code_challenge_method": "s256",
            **parameters,
        }
        return f"{self.server.auth_url}/authorize?{urllib.parse.urlencode(query)}"

    def begin(self, **parameters):
        """Goes to the provider. Gives the provider's address."""
        self.at_provider = self.browser.step(self.address(**parameters))
        return self.at_provider

    def come_back(self, stand_in, subject, **parameters):
        """The address of our server to which the provider redirects the browser after `subject` has signed in there."""
        at_provider = self.begin(**parameters)
        server, self.browser.app = self.browser.app, callback(self.server.port)
        try:
            page = stand_in.sign_in(self.browser, self.browser.open(at_provider), subject)
        finally:
            self.browser.app = server
        assert page.url.startswith(callback(self.server.port)), page
        return page.url

    def finish(self, stand_in, subject, **parameters):
        """All the way to the app. Gives the page at which the app takes over."""
        return self.browser.open(self.come_back(stand_in, subject, **parameters))

    def exchange(self, code, verifier=None):
        return self.server.auth().post(
            "/token?grant_type=pkce", {"auth_code": code, "code_verifier": verifier or self.verifier}
        )

    def sign_in(self, stand_in, subject, **parameters):
        """The session."""
        page = self.finish(stand_in, subject, **parameters)
        assert "code" in page.query, page
        answer = self.exchange(page.query["code"])
        assert answer.status == 200, answer
        return answer.json()


def me(server, session):
    """The user of a token, as the gateway reports it."""
    answer = Client(server.gateway_url, token=session["access_token"]).get("/v1/auth/me")
    assert answer.status == 200, answer
    return answer.json()
