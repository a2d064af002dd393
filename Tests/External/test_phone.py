"""Sign-in by phone with the Python client that Supabase publishes, and the hook that sends the messages."""

import mails
import pytest
from hook_receiver import receiver
from program import PASSWORD
from supabase_auth.errors import AuthApiError
from supabase_clients import SyncGoTrueAdminAPI, SyncGoTrueClient

PHONE = {
    "GOTRUE_EXTERNAL_PHONE_ENABLED": "true", "GATEHOUSE_SMS_ALLOWED_COUNTRIES": "+1,+49", "GOTRUE_SMS_MAX_FREQUENCY": "0",
    "GOTRUE_MFA_PHONE_ENROLL_ENABLED": "true", "GOTRUE_MFA_PHONE_VERIFY_ENABLED": "true",
    "GOTRUE_MAILER_AUTOCONFIRM": "false", "GATEHOUSE_LIMITS": "off",
}
ADA, BOB = "15551230001", "491701234567"


class Texted:
    """A server that sends codes to numbers, and the messages that it wrote."""

    def __init__(self, servers, **settings):
        folder = servers.folder("texts")
        self.server = servers.serve(GATEHOUSE_MAIL_FOLDER=folder, **PHONE, **settings).start()
        self.texts = mails.Mails(folder)

    def client(self):
        headers = {"apikey": self.server.keys["publishable_key"]}
        return SyncGoTrueClient(url=self.server.auth_url, headers=headers, auto_refresh_token=False)

    def admin(self):
        key = self.server.keys["secret_key"]
        return SyncGoTrueAdminAPI(url=self.server.auth_url, headers={"apikey": key, "Authorization": f"Bearer {key}"})

    def code(self, phone):
        return self.texts.next(phone)["code"]


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def texted(request, session_servers):
    if request.param == "sqlite":
        return Texted(session_servers)
    cluster = request.getfixturevalue("cluster")
    return Texted(session_servers, GATEHOUSE_DATABASE=cluster.database().url)


def code_of(action, *arguments):
    with pytest.raises(AuthApiError) as raised:
        action(*arguments)
    return raised.value.code


def test_a_number_signs_up_with_a_password_and_in_again(texted):
    client = texted.client()
    signed_up = client.sign_up({"phone": f"+{ADA}", "password": PASSWORD, "options": {"data": {"name": "Ada"}}})
    assert signed_up.session is None and signed_up.user.phone == ADA
    credentials = {"phone": f"+{ADA}", "password": PASSWORD}
    assert code_of(client.sign_in_with_password, credentials) == "phone_not_confirmed"
    first = texted.code(ADA)
    assert client.resend({"type": "sms", "phone": ADA}) is not None
    second = texted.code(ADA)
    assert second != first
    wrong = "000000" if first != "000000" else "111111"
    assert code_of(client.verify_otp, {"type": "sms", "phone": ADA, "token": wrong}) == "otp_expired"
    session = client.verify_otp({"type": "sms", "phone": ADA, "token": first}).session
    assert session.user.user_metadata["name"] == "Ada" and session.user.identities[0].provider == "phone"
    again = texted.client().sign_in_with_password(credentials)
    assert again.user.id == session.user.id
    # Without a message, and as if the number were free.
    hidden = texted.client().sign_up({"phone": ADA, "password": "another horse 43"})
    assert hidden.session is None and hidden.user.id != session.user.id


def test_a_code_signs_up_and_a_number_changes(texted):
    number, other = "15551230002", "491701234568"
    client = texted.client()
    client.sign_in_with_otp({"phone": number})
    session = client.verify_otp({"type": "sms", "phone": number, "token": texted.code(number)}).session
    changed = client.update_user({"phone": other})
    assert changed.user.phone == number
    verified = client.verify_otp({"type": "phone_change", "phone": other, "token": texted.code(other)})
    assert verified.user.phone == other and verified.user.id == session.user.id
    taken = texted.client()
    taken.sign_in_with_otp({"phone": number})
    fresh = taken.verify_otp({"type": "sms", "phone": number, "token": texted.code(number)})
    assert fresh.user.id != session.user.id
    assert code_of(taken.update_user, {"phone": other}) == "phone_exists"


def test_a_number_is_a_second_factor(texted):
    email, number = "ada+factor@example.org", "491701234569"
    texted.admin().create_user({"email": email, "password": PASSWORD, "email_confirm": True})
    client = texted.client()
    client.sign_in_with_password({"email": email, "password": PASSWORD})
    factor = client.mfa.enroll({"factor_type": "phone", "phone": f"+{number}", "friendly_name": "phone"})
    assert factor.type == "phone" and factor.phone == f"+{number}"
    challenge = client.mfa.challenge({"factor_id": factor.id, "channel": "sms"})
    answer = {"factor_id": factor.id, "challenge_id": challenge.id, "code": texted.code(number)}
    client.mfa.verify(answer)
    assert client.mfa.get_authenticator_assurance_level().current_level == "aal2"
    assert [found.id for found in client.mfa.list_factors().phone] == [factor.id]
    low = texted.client()
    low.sign_in_with_password({"email": email, "password": PASSWORD})
    assert code_of(low.update_user, {"password": "a new horse 44"}) == "insufficient_aal"


def test_administrators_create_and_change_numbers(texted):
    admin, number = texted.admin(), "15551230005"
    made = admin.create_user({"phone": f"+{number}", "password": PASSWORD, "phone_confirm": True}).user
    assert texted.client().sign_in_with_password({"phone": number, "password": PASSWORD}).user.id == made.id
    assert admin.update_user_by_id(made.id, {"phone": "15551230006", "phone_confirm": True}).user.phone == "15551230006"
    assert code_of(texted.client().sign_in_with_password, {"phone": number, "password": PASSWORD}) == "invalid_credentials"


def test_numbers_of_other_countries_get_nothing(texted):
    assert code_of(texted.client().sign_in_with_otp, {"phone": "88213123456"}) == "sms_send_failed"


def test_the_hook_gets_each_kind_of_message(servers):
    with receiver() as hooks:
        server = servers.serve(**hooks.hook("send_sms"), **PHONE).start()
        auth = server.auth()

        def message(count):
            call = hooks.wait("/send_sms", count)[-1]
            return call.json["user"], call.json["sms"]

        assert auth.post("/otp", {"phone": ADA}).status == 200
        user, sms = message(1)
        assert user["phone"] == sms["phone"] == ADA and sms["sms_type"] == "confirmation" and len(sms["otp"]) == 6
        session = auth.post("/verify", {"type": "sms", "phone": ADA, "token": sms["otp"]}).json()
        client = server.auth(token=session["access_token"])
        assert client.put("/user", {"phone": BOB}).status == 200
        user, sms = message(2)
        assert user["new_phone"] == sms["phone"] == BOB and sms["sms_type"] == "phone_change"
        assert client.get("/reauthenticate").status == 200
        assert message(3)[1]["sms_type"] == "reauthentication"
        factor = client.post("/factors", {"factor_type": "phone", "phone": BOB}).json()
        challenge = client.post(f"/factors/{factor['id']}/challenge", {"channel": "whatsapp"})
        assert challenge.status == 200, challenge.body
        _, sms = message(4)
        assert sms["sms_type"] == "mfa" and sms["channel"] == "whatsapp" and sms["phone"] == BOB
        answer = {"challenge_id": challenge.json()["id"], "code": sms["otp"]}
        assert client.post(f"/factors/{factor['id']}/verify", answer).status == 200
        assert hooks.problems == []


def test_phone_sign_in_needs_countries_and_a_way_to_send(servers):
    settings = {name: value for name, value in PHONE.items() if "COUNTRIES" not in name}
    refused = servers.serve(**settings, GATEHOUSE_MAIL_FOLDER=servers.folder("none")).command("check-config")
    assert refused.returncode != 0 and "GATEHOUSE_SMS_ALLOWED_COUNTRIES" in refused.stderr + refused.stdout
    refused = servers.serve(**PHONE).command("check-config")
    assert refused.returncode != 0 and "GATEHOUSE_SMS_PROVIDER" in refused.stderr + refused.stdout
