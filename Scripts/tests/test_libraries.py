"""The libraries know nothing of one of the reference apps, whose catalogue is complete."""

import json
import os
import re
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIBRARIES = ("Gatehouse", "GatehouseModel", "GatehouseTesting", "GatehouseUI", "GatehouseDesktop", "GatehouseWire")
sys.path.insert(0, os.path.join(ROOT, "Scripts", "checks"))
from public_api import Declarations  # noqa: E402

# Public types of supabase-swift 2 (its modules Auth and Helpers), which an app that keeps it for its data imports too.
SUPABASE = set(
    """AMREntry AdminUserAttributes AnyJSON AuthAdmin AuthChangeEvent AuthClient AuthError AuthFlowType AuthLocalStorage AuthMFA
    AuthMFAChallengeResponse AuthMFAEnrollResponse AuthMFAGetAuthenticatorAssuranceLevelResponse AuthMFAListFactorsResponse
    AuthMFARecoveryCodes AuthMFAUnenrollResponse AuthMFAVerifyResponse AuthMetaSecurity AuthResponse
    AuthStateChangeListenerRegistration AuthenticatorAssuranceLevels EmailOTPType ErrorCode Factor FactorStatus FactorType HTTPError
    JSONArray JSONObject JSONValue KeychainLocalStorage ListUsersPaginatedResponse MFAChallengeAndVerifyParams MFAChallengeParams
    MFAEnrollParams MFAEnrollParamsType MFAPhoneEnrollParams MFATotpEnrollParams MFAUnenrollParams MFAVerifyParams
    MFAWebAuthnEnrollParams MessagingChannel MobileOTPType OAuthResponse OpenIDConnectCredentials PageParams
    PasskeyAuthenticationOptions PasskeyListItem PasskeyRegistrationOptions Provider ResendEmailType ResendMobileResponse
    ResendMobileType SSOResponse Session SignOutScope SupabaseLogger User UserAttributes UserCredentials UserIdentity
    WeakPassword""".split()
)
WORDS = re.compile(r"(?i)\b(?:teams?|favorite_teams|boxscore|sport)\b")


class LibrariesTests(unittest.TestCase):
    def test_no_library_names_a_sport(self):
        found = []
        for library in LIBRARIES:
            for folder, _, names in os.walk(os.path.join(ROOT, "Sources", "Client", library)):
                for name in sorted(names):
                    if name.endswith(".png"):
                        continue
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8") as file:
                        lines = enumerate(file, 1)
                        found += [f"{os.path.relpath(path, ROOT)}:{line}" for line, text in lines if WORDS.search(text)]
        self.assertEqual(found, [])

    def test_the_screens_expose_few_types(self):
        """`import GatehouseUI` puts at most 160 public types into an app's reach, nested ones included."""
        types = set()
        for library in ("GatehouseUI", "GatehouseModel", "GatehouseWire"):
            declarations = Declarations()
            for folder, _, names in os.walk(os.path.join(ROOT, "Sources", "Client", library)):
                for name in names:
                    if name.endswith(".swift"):
                        with open(os.path.join(folder, name), encoding="utf-8") as file:
                            declarations.read(file.read())
            types |= {f"{library}.{path}" for path in declarations.public}
        self.assertIn("GatehouseModel.AuthManager", types)
        self.assertLessEqual(len(types), 160, sorted(types))

    def test_names_are_not_those_of_supabase_swift(self):
        """A file can import both packages. `AuthError`, which the requirements name, is the exception."""
        found = set()
        for library in LIBRARIES:
            for folder, _, names in os.walk(os.path.join(ROOT, "Sources", "Client", library)):
                for name in names:
                    if name.endswith(".swift"):
                        with open(os.path.join(folder, name), encoding="utf-8") as file:
                            text = file.read()
                        found |= set(re.findall(r"^public (?:final |indirect )?(?:class|struct|enum|protocol|actor|typealias) (\w+)", text, re.M))
        self.assertIn("GatehouseClient", found)
        self.assertEqual(found & SUPABASE, {"AuthError"})

    def test_the_catalogue_is_complete(self):
        """Every league has all its teams, each once."""
        with open(os.path.join(ROOT, "Apps", "BoxScore", "teams.json"), encoding="utf-8") as file:
            teams = json.load(file)
        for league, count in (("nba", 30), ("nfl", 32), ("nhl", 32), ("mlb", 30)):
            mine = [team for team in teams if team["league"] == league]
            for member in ("id", "name", "abbreviation"):
                self.assertEqual(len({team[member] for team in mine}), count, f"{league} {member}")
            self.assertTrue(all(team["city"] and team["id"].startswith(league + "_") for team in mine))
        self.assertEqual(len(teams), 124)


if __name__ == "__main__":
    unittest.main()
