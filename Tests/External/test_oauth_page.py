"""The commands of Docs/oauth-server.md, in their order, as printed."""

import json

import jwt
from agent import OAUTH, User
from guides import Page, Shell, needs

API = "https://api.example.org/mcp"


@needs("curl", "openssl")
def test_a_client_gets_tokens_with_the_commands_of_the_page(session_servers, tmp_path):
    server = session_servers.serve(**OAUTH, GATEHOUSE_OAUTH_RESOURCES=API).start()
    ada, shell = User(server), Shell(tmp_path)
    shell.environment |= {
        "AUTH": server.auth_url, "SECRET_KEY": server.keys["secret_key"], "TOKEN": ada.session["access_token"]}
    with Page("oauth-server.md", "sh") as page:
        shell.sh(page.block("sh", "CLIENT="))
        shell.sh(page.block("sh", "VERIFIER="))
        seen = json.loads(shell.sh(page.block("sh", "ID=")).out)
        tokens = json.loads(shell.sh(page.block("sh", "CODE=")).out)
        assert seen["client"]["name"] == "Example Agent" and seen["resources"] == [API]
        assert tokens.keys() >= {"access_token", "refresh_token", "id_token"} and tokens["scope"] == "openid email"
        claims = jwt.decode(tokens["access_token"], options={"verify_signature": False})
        assert claims["aud"] == API and jwt.get_unverified_header(tokens["access_token"])["typ"] == "at+jwt"
        # "In your API": the API's address in `aud`, the client in `client_id`.
        assert claims["client_id"] == seen["client"]["id"] and claims["sub"] == ada.id
