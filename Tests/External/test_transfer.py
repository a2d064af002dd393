"""Second factors and passkeys on the way from one server to another."""

import base64
import json
import os
import random
import secrets
import stat
import time

from passkey_device import Authenticator
from program import PASSKEYS
from test_second_factors import Person

SETTINGS = {**PASSKEYS, "GOTRUE_MFA_RECOVERY_CODES_ENROLL_ENABLED": "true", "GOTRUE_MFA_RECOVERY_CODES_VERIFY_ENABLED": "true"}


def server_secret(number):
    return f"{number}:" + base64.b64encode(secrets.token_bytes(32)).decode()


class ProtectedPerson(Person):
    """A user with an authenticator app, recovery codes and a passkey."""

    def __init__(self, server):
        super().__init__(server)
        self.token = self.answer(self.app.now()).json()["access_token"]
        self.codes = self.client.post("/factors/recovery-codes", {}, token=self.token).json()["codes"]
        self.device = Authenticator(random.Random(3))
        begun = self.client.post("/passkeys/registration/options", token=self.token).json()
        options = begun["options"]
        credential = self.device.create("key", options["challenge"], options["user"]["id"], be=True, bs=True)
        body = {"challenge_id": begun["challenge_id"], "credential": credential}
        made = self.client.post("/passkeys/registration/verify", body, token=self.token)
        assert made.status == 200, made

    def passkey_sign_in(self):
        begun = self.client.post("/passkeys/authentication/options").json()
        credential = self.device.get("key", begun["options"]["challenge"])
        body = {"challenge_id": begun["challenge_id"], "credential": credential}
        return self.client.post("/passkeys/authentication/verify", body)

    def can_sign_in_at(self, server):
        self.client = server.auth()
        session = self.client.sign_in(self.email).json()
        assert [each["status"] for each in session["user"]["factors"]] == ["verified"] * 2
        self.token = session["access_token"]
        assert self.client.put("/user", {"password": "another password 9"}, token=self.token).code == "insufficient_aal"
        assert self.answer(self.app.at(time.time() + 30)).status == 200
        self.token = self.client.sign_in(self.email).json()["access_token"]
        body = {"code": self.codes[0]}
        used = self.client.post("/factors/recovery-codes/verify", body, token=self.token)
        assert used.status == 200, used
        again = self.client.post("/factors/recovery-codes/verify", body, token=used.json()["access_token"])
        assert again.status != 200, again
        signed_in = self.passkey_sign_in()
        assert signed_in.status == 200 and signed_in.json()["user"]["email"] == self.email, signed_in


def test_password_app_codes_and_passkey_sign_in_at_another_server(servers, tmp_path):
    source = servers.serve(**SETTINGS).start()
    ada = ProtectedPerson(source)
    file = str(tmp_path / "users.jsonl")
    done = source.command("users", "export", file)
    assert done.returncode == 0, done
    assert "1 authenticator apps, 1 sets of recovery codes, 1 passkeys" in done.stderr and "left" not in done.stderr
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    target = servers.serve(**SETTINGS, GATEHOUSE_SECRETS=server_secret(5))
    assert target.command("migrate").returncode == 0
    for options in (["--dry-run"], [], []):
        done = target.command("users", "import", file, *options)
        assert done.returncode == 0, done
    assert target.command("users", "export").stdout == source.command("users", "export").stdout
    ada.can_sign_in_at(target.start())


def test_an_export_leaves_nothing_behind_without_being_told(servers, tmp_path):
    server = servers.serve(**SETTINGS).start()
    ada = ProtectedPerson(server)
    server.stop()
    file = tmp_path / "export"
    refused = server.command("export", "supabase", str(file))
    assert refused.returncode == 1 and not file.exists(), refused
    assert "1 sets of recovery codes do not fit into Supabase's format" in refused.stderr
    assert "--leave-behind recovery-codes" in refused.stderr
    done = server.command("export", "supabase", str(file), "--leave-behind", "recovery-codes")
    assert done.returncode == 0 and "left behind: 1 sets of recovery codes" in done.stderr, done
    file.unlink()
    server.environment["GATEHOUSE_SECRETS"] = server_secret(5)
    refused = server.command("users", "export", str(file))
    assert refused.returncode == 1 and not file.exists(), refused
    assert f"factor {ada.enrolled['id']} of account " in refused.stderr, refused
    done = server.command("users", "export", str(file), "--leave-behind", "unreadable-totp")
    assert done.returncode == 0, done
    # Without the app, the codes would be the only way in until they run out.
    assert "1 accounts, 1 passkeys; left behind: 1 unreadable authenticator apps, 1 sets of recovery codes" in done.stderr
    [line] = [json.loads(line) for line in file.read_text().splitlines()]
    assert "factors" not in line and len(line["passkeys"]) == 1
