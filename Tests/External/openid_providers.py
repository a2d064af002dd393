"""Third-party OpenID providers on loopback, so that the server is not only tested against our own idea of a provider.

* `StrictProvider`: built from authlib, refuses everything that the standards allow it to refuse.
* `MockProvider`: `oidc-provider-mock` from PyPI. It checks little: no proof key, no client secret.
* `CanailleProvider`: Canaille from PyPI, with its own pages, sessions and passwords.
"""

import contextlib
import os
import threading
import time
import urllib.parse
import warnings

# They refuse plain http otherwise; here it never leaves the machine.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

import flask
from authlib.deprecate import AuthlibDeprecationWarning
from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2 import OAuth2Error
from authlib.oauth2.rfc6749 import ClientMixin, grants
from authlib.oauth2.rfc6749.errors import InvalidGrantError, InvalidRequestError
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc9207.parameter import IssuerParameter
from authlib.oidc.core import OpenIDCode as AuthlibOpenIDCode
from joserfc import jwt
from joserfc.jwk import RSAKey
from program import free_port
from werkzeug.serving import WSGIRequestHandler, make_server

warnings.simplefilter("ignore", AuthlibDeprecationWarning)

CLIENT, SECRET = "gatehouse", "a-client-secret-with=and&and:and%in-it"
ALGORITHM = "RS256"


class _Quiet(WSGIRequestHandler):
    def log(self, *_):
        pass


class Listener:
    """Serves a WSGI app on loopback."""

    def __init__(self, app, port):
        self.server = make_server("127.0.0.1", port, app, threaded=True, request_handler=_Quiet)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05})
        self.thread.start()

    def stop(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


class Mischief:
    """The faults of a provider. All are off unless a test enables them."""

    def __init__(self):
        self.claims = {}  # Replaced in the next ID tokens; None takes one out.
        self.key = None  # Signs instead of the published one, under its name.
        self.token_answer = None  # Creates the response of the token endpoint.


class StrictProvider:
    """`people`: their claims by `sub`. `requests`: the bodies sent to the token endpoint."""

    def __init__(self, redirect_uri, port=None, issuer_suffix="", said_issuer=None, names_itself=False):
        self.port = port or free_port()
        self.origin = f"http://127.0.0.1:{self.port}"
        self.issuer = self.origin + issuer_suffix
        self.said_issuer = said_issuer or self.issuer
        self.names_itself = names_itself
        self.redirect_uri = redirect_uri
        self.people, self.codes, self.tokens, self.requests, self.nonces = {}, {}, {}, [], set()
        self.key = RSAKey.generate_key(2048, {"kid": "strict-1", "use": "sig", "alg": ALGORITHM}, private=True)
        self.mischief = Mischief()
        self.listener = Listener(self._app(), self.port)

    def stop(self):
        self.listener.stop()

    @contextlib.contextmanager
    def being_naughty(self, **parts):
        self.mischief = Mischief()
        for name, value in parts.items():
            assert hasattr(self.mischief, name), name
            setattr(self.mischief, name, value)
        yield
        self.mischief = Mischief()

    def settings(self, name, **more):
        """An element of GATEHOUSE_OPENID_PROVIDERS."""
        return {
            "name": name,
            "issuer": self.issuer,
            "client_id": CLIENT,
            "client_secret": SECRET,
            "redirect_uri": self.redirect_uri,
            "linking": "automatic",
            **more,
        }

    def sign_in(self, browser, page, subject):
        """The user's actions on the provider's page."""
        return browser.submit(page, subject=subject)

    def _app(self):
        app = flask.Flask("strict-provider")
        app.add_url_rule("/.well-known/openid-configuration", view_func=self._discovery)
        app.add_url_rule("/keys", view_func=self._keys)
        app.add_url_rule("/authorize", view_func=self._authorize, methods=["GET", "POST"])
        app.add_url_rule("/token", view_func=self._token, methods=["POST"])
        app.add_url_rule("/userinfo", view_func=self._userinfo)
        self.server = AuthorizationServer(
            app,
            query_client=lambda name: _Client(self) if name == CLIENT else None,
            save_token=lambda token, request: self.tokens.__setitem__(token["access_token"], request.user),
        )
        grant = type("Grant", (_CodeGrant,), {"provider": self})
        self.server.register_grant(grant, [_OpenIDCode(self), _RequiredChallenge(required=True)])
        if self.names_itself:
            self.server.register_extension(_Issuer(self))
        return app

    def _discovery(self):
        return {
            "issuer": self.said_issuer,
            "authorization_endpoint": self.origin + "/authorize",
            "token_endpoint": self.origin + "/token",
            "userinfo_endpoint": self.origin + "/userinfo",
            "jwks_uri": self.origin + "/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [ALGORITHM],
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": self.names_itself,
        }

    def _keys(self):
        return {"keys": [self.key.as_dict(private=False)]}

    def _authorize(self):
        try:
            grant = self.server.get_consent_grant()
        except OAuth2Error as error:
            return self.server.handle_error_response(None, error)
        if flask.request.method == "GET":
            return flask.render_template_string(
                "<form method=post action='?{{ query }}'><input name=subject></form>",
                query=flask.request.query_string.decode(),
            )
        person = flask.request.form.get("subject")
        return self.server.create_authorization_response(
            grant_user=person if person in self.people else None, grant=grant
        )

    def _token(self):
        authorization = flask.request.authorization
        self.requests.append({"form": flask.request.form.to_dict(), "basic": authorization and authorization.username})
        if self.mischief.token_answer:
            return self.mischief.token_answer()
        return self.server.create_token_response()

    def _userinfo(self):
        subject = self.tokens.get(flask.request.headers.get("Authorization", "").removeprefix("Bearer "))
        return {"sub": subject, **self.people[subject]} if subject else ({"error": "invalid_token"}, 401)


class _Client(ClientMixin):
    """The one client: our server."""

    def __init__(self, provider):
        self.provider = provider

    def get_client_id(self):
        return CLIENT

    def get_default_redirect_uri(self):
        return None

    def get_allowed_scope(self, scope):
        return " ".join(word for word in (scope or "").split() if word in ("openid", "email", "profile"))

    def check_redirect_uri(self, redirect_uri):
        return redirect_uri == self.provider.redirect_uri

    def check_client_secret(self, client_secret):
        return client_secret == SECRET

    def check_endpoint_auth_method(self, method, _endpoint):
        return method == "client_secret_basic"

    def check_response_type(self, response_type):
        return response_type == "code"

    def check_grant_type(self, grant_type):
        return grant_type == "authorization_code"


class _Code:
    """The authorization of a code."""

    def __init__(self, code, request):
        data = request.payload.data
        self.code, self.user = code, request.user
        self.redirect_uri, self.scope = request.payload.redirect_uri, request.payload.scope
        self.nonce = data.get("nonce")
        self.code_challenge, self.code_challenge_method = data.get("code_challenge"), data["code_challenge_method"]

    def get_redirect_uri(self):
        return self.redirect_uri

    def get_scope(self):
        return self.scope

    def get_nonce(self):
        return self.nonce

    def get_auth_time(self):
        return int(time.time())

    def get_acr(self):
        return None

    def get_amr(self):
        return None


class _CodeGrant(grants.AuthorizationCodeGrant):
    provider = None
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic"]

    def save_authorization_code(self, code, request):
        if code_nonce := request.payload.data.get("nonce"):
            self.provider.nonces.add(code_nonce)
        self.provider.codes[code] = _Code(code, request)

    def query_authorization_code(self, code, _client):
        return self.provider.codes.get(code)

    def delete_authorization_code(self, authorization_code):
        # A second use finds nothing.
        del self.provider.codes[authorization_code.code]

    def authenticate_user(self, authorization_code):
        return authorization_code.user


class _RequiredChallenge(CodeChallenge):
    """S256 and nothing less, from confidential clients too."""

    SUPPORTED_CODE_CHALLENGE_METHOD = ["S256"]

    def validate_code_challenge(self, grant, redirect_uri):
        if grant.request.payload.data.get("code_challenge_method") != "S256":
            raise InvalidRequestError("A code challenge by S256 is needed.")
        super().validate_code_challenge(grant, redirect_uri)

    def validate_code_verifier(self, grant, result):
        if not grant.request.form.get("code_verifier"):
            raise InvalidGrantError("The code verifier is missing.")
        super().validate_code_verifier(grant, result)


class _OpenIDCode(AuthlibOpenIDCode):
    def __init__(self, provider):
        super().__init__(require_nonce=True)
        self.provider = provider

    def exists_nonce(self, nonce, request):
        return nonce in self.provider.nonces

    def resolve_client_private_key(self, client):
        return self.provider.mischief.key or self.provider.key

    def get_encode_header(self, client):
        return {"alg": ALGORITHM, "kid": self.provider.key.kid}

    def get_client_algorithm(self, client):
        return ALGORITHM

    def get_client_claims(self, client):
        return {"iss": self.provider.said_issuer, "aud": [CLIENT], "exp": int(time.time()) + 300}

    def generate_user_info(self, user, scope):
        return {"sub": user, **self.provider.people[user]}

    def encode_id_token(self, token, request):
        if not self.provider.mischief.claims:
            return super().encode_id_token(token, request)
        claims = {**self._honest_claims(request), **self.provider.mischief.claims}
        claims = {name: value for name, value in claims.items() if value is not None}
        key = self.resolve_client_private_key(request.client)
        return jwt.encode(self.get_encode_header(request.client), claims, key, [ALGORITHM])

    def _honest_claims(self, request):
        return {
            **self.get_compatible_claims(request),
            **self.get_authorization_code_claims(request.authorization_code),
            **self.generate_user_info(request.user, ""),
        }


class _Issuer(IssuerParameter):
    def __init__(self, provider):
        self.provider = provider

    def get_issuer(self):
        return self.provider.said_issuer


# Only one request at a time may change the headers of the class.
_NAMING = threading.Lock()


class MockProvider:
    """It knows every user; `add` sets claims of one.

    It signs with one key and does not name it in its tokens, as OpenID Connect Core 1.0 §10.1 allows. `names_its_key`
    makes it name the key.
    """

    def __init__(self, names_its_key=False):
        import oidc_provider_mock

        port = free_port()
        self.issuer = f"http://127.0.0.1:{port}"
        self.app = oidc_provider_mock.app()
        if names_its_key:
            self.app.wsgi_app = self._naming(self.app.wsgi_app)
        self.listener = Listener(self.app, port)

    @staticmethod
    def _naming(app):
        """The key's name is random at start; each request gets the header of a token from the signer."""
        from oidc_provider_mock import _app

        original = _app.OpenIDCode.get_encode_header

        def respond(environment, start_response):
            def header(_, __):
                return {"alg": ALGORITHM, "kid": _app.storage.jwk.as_dict()["kid"]}

            with _NAMING:
                _app.OpenIDCode.get_encode_header = header
                try:
                    # Its debugger would block until its output is read.
                    return list(app(environment, start_response))
                finally:
                    _app.OpenIDCode.get_encode_header = original

        return respond

    def stop(self):
        self.listener.stop()

    def settings(self, name, **more):
        given = {"name": name, "issuer": self.issuer, "client_id": CLIENT, "client_secret": SECRET}
        return {**given, "linking": "automatic", **more}

    def add(self, subject, claims):
        answer = self.app.test_client().put(f"/users/{urllib.parse.quote(subject)}", json=claims)
        assert answer.status_code == 204, answer.text

    def sign_in(self, browser, page, subject):
        return browser.submit(page, sub=subject)


class CanailleProvider:
    """Its users sign in with a user name and a password, and are asked for consent."""

    PASSWORD = "a password for Canaille alone 7"

    def __init__(self, redirect_uri):
        from canaille import create_app

        port = free_port()
        self.issuer = f"http://127.0.0.1:{port}"
        self.redirect_uri = redirect_uri
        key = RSAKey.generate_key(2048, private=True, auto_kid=True).as_dict(private=True)
        self.app = create_app(
            {
                "SECRET_KEY": "a key for tests alone: it protects nothing",
                "SERVER_NAME": f"127.0.0.1:{port}",
                "PREFERRED_URL_SCHEME": "http",
                "CANAILLE": {"DATABASE": "memory", "SMTP": None, "JAVASCRIPT": False, "LOGGING": {"version": 1}},
                "CANAILLE_OIDC": {"TRUSTED_DOMAINS": [], "ACTIVE_JWKS": [key]},
            },
            env_file=os.devnull,
        )
        self._add_client()
        self.listener = Listener(self.app, port)

    def _add_client(self):
        from canaille.app import models
        from canaille.backends import Backend

        with self.app.app_context():
            client = models.Client(
                client_id=CLIENT,
                client_name="Gatehouse",
                client_secret=SECRET,
                redirect_uris=[self.redirect_uri],
                response_types=["code"],
                grant_types=["authorization_code"],
                scope=["openid", "email", "profile"],
                # It announces several methods; our server then uses the one that every provider must accept (RFC 6749 §2.3.1).
                token_endpoint_auth_method="client_secret_basic",
                # Its default is RS512; the standard's default is RS256.
                id_token_signed_response_alg="RS256",
            )
            Backend.instance.save(client)
            client.audience = [client]
            Backend.instance.save(client)

    def add(self, name, **members):
        from canaille.app import models
        from canaille.backends import Backend

        with self.app.app_context():
            Backend.instance.save(models.User(user_name=name, password=self.PASSWORD, **members))

    def stop(self):
        self.listener.stop()

    def settings(self, name, **more):
        return {
            "name": name,
            "issuer": self.issuer,
            "client_id": CLIENT,
            "client_secret": SECRET,
            "redirect_uri": self.redirect_uri,
            **more,
        }

    def sign_in(self, browser, page, name):
        page = browser.submit(page, login=name)
        page = browser.submit(page, password=self.PASSWORD)
        if not page.forms:
            return page  # There was no consent page.
        return browser.submit(page, button=("answer", "accept"))
