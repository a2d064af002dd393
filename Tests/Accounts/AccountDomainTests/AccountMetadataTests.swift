import AccountDomain
import GatehouseWire
import Testing

@Suite("Account metadata")
struct AccountMetadataTests {
    @Test(
        "The first provider is named, and all of them once, in order of appearance",
        arguments: [
            (["email"], [:], ["provider": "email", "providers": ["email"]]),
            (["apple", "email"], [:], ["provider": "apple", "providers": ["apple", "email"]]),
            (
                ["google", "email", "google", "apple", "email"], [:],
                ["provider": "google", "providers": ["google", "email", "apple"]]
            ),
            ([], [:], [:]), ([], ["role": "owner", "provider": "x"], ["role": "owner", "provider": "x"]),
            (
                ["email"], ["role": "owner", "provider": "x", "providers": 1],
                ["role": "owner", "provider": "email", "providers": ["email"]]
            ),
        ] as [([String], AuthJSONObject, AuthJSONObject)])
    func providers(_ names: [String], _ before: AuthJSONObject, _ expected: AuthJSONObject) {
        #expect(AccountMetadata.providers(names, over: before) == expected)
    }

    @Test("Metadata of a sign-up never replaces the facts of the identity (D8)")
    func emailIdentity() throws {
        let user = UserID(bytes: Array(repeating: 1, count: 16))
        let email = try #require(EmailAddress("Ada@Example.com"))
        let sent: AuthJSONObject = [
            "first_name": "Ada", "sub": "other", "email": "eve@example.com", "email_verified": true,
            "phone_verified": true,
        ]
        #expect(
            AccountMetadata.emailIdentity(user: user, email: email, isVerified: false, data: sent) == [
                "first_name": "Ada", "sub": .string(user.text), "email": "ada@example.com", "email_verified": false,
                "phone_verified": false,
            ])
    }

    @Test("The identity of a phone number says whether it is verified", arguments: [false, true])
    func phoneIdentity(isVerified: Bool) throws {
        let user = UserID(bytes: Array(repeating: 1, count: 16))
        let phone = try #require(PhoneNumber("+49 151"))
        #expect(
            AccountMetadata.phoneIdentity(user: user, phone: phone, isVerified: isVerified) == [
                "sub": .string(user.text), "phone": "49151", "email_verified": false,
                "phone_verified": .bool(isVerified),
            ])
    }

    @Test(
        "Every action has its name and its log type on the wire",
        arguments: [
            (.login, "login", "account"), (.logout, "logout", "account"), (.userSignedUp, "user_signedup", "team"),
            (.userDeleted, "user_deleted", "account"), (.userModified, "user_modified", "user"),
            (.userUpdatedPassword, "user_updated_password", "user"),
            (.userRepeatedSignUp, "user_repeated_signup", "user"), (.tokenRevoked, "token_revoked", "token"),
        ] as [(AuditEntry.Action, String, String)])
    func auditEntries(_ action: AuditEntry.Action, _ name: String, _ logType: String) {
        let actor = UserID(bytes: Array(repeating: 1, count: 16))
        let entry = AuditEntry(action, actor: actor, actorName: "ada@example.com", traits: ["provider": "email"])
        #expect(entry.action.rawValue == name)
        #expect(entry.logType == logType)
        #expect(entry.actor == actor)
        #expect(entry.actorName == "ada@example.com")
        #expect(entry.traits == ["provider": "email"])
    }
}
