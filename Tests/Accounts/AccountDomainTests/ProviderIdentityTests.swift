import AccountDomain
import GatehouseWire
import Testing

@Suite("Provider identities")
struct ProviderIdentityTests {
    @Test(
        "An account's own email or phone is not a provider identity",
        arguments: [
            ("email", "1"), ("phone", "1"), ("", "1"), ("google", ""),
        ])
    func refused(_ provider: String, _ subject: String) {
        #expect(
            ProviderIdentity(provider: provider, subject: subject, email: nil, isEmailVerified: false, data: [:]) == nil
        )
    }

    @Test("An invalid address is not verified")
    func invalidAddress() {
        let identity = ProviderIdentity.made(email: "Ada Lovelace", isVerified: true)
        #expect(identity.email == nil)
        #expect(!identity.isEmailVerified)
        #expect(ProviderIdentity.made(email: "Ada@Example.COM").provenEmail?.text == "ada@example.com")
        #expect(ProviderIdentity.made(isVerified: false).provenEmail == nil)
    }

    @Test("An identity round-trips through JSON")
    func roundTrip() throws {
        let identity = ProviderIdentity.made(
            "apple", "x", isRelay: true, data: ["custom_claims": ["auth_time": 5]],
            profile: ProfileFill(firstName: "Ada", name: "Ada Lovelace", avatarURL: "https://example.com/a.png"))
        let read = try JSONReader.read(identity.json.text)
        #expect(ProviderIdentity(json: read) == identity)
        #expect(ProviderIdentity(json: ["provider": "apple"]) == nil)
    }

    @Test("Data too long for a token is reduced to the identifying members")
    func boundedData() {
        let identity = ProviderIdentity.made(data: ["claim": .string(String(repeating: "x", count: 20_000))])
        #expect(identity.data.keys.sorted() == ["email", "email_verified", "sub"])
    }

    @Test("A profile gets only values that its columns accept (C6)")
    func profile() {
        let fill = ProfileFill(
            firstName: " " + String(repeating: "ä", count: 60), name: " \n ", avatarURL: "http://example.com/a.png")
        #expect(fill.firstName == String(repeating: "ä", count: 50))
        #expect(fill.name == nil)
        #expect(fill.avatarURL == nil)
        #expect(ProfileFill(name: "").isEmpty)
    }

    @Test("A name that Apple gave once survives later tokens without it (pitfall 6)")
    func keepsName() throws {
        let now = Instant(seconds: 1)
        let user = User(id: LinkingTable.ada, audience: "a", role: "r", times: UserTimes(createdAt: now))
        let named = ProviderIdentity.made("apple", data: ["name": "Ada", "full_name": "Ada"])
        var account = Account(
            user, madeBy: named, id: IdentityID(bytes: Array(repeating: 1, count: 16)), takesAddress: true,
            within: TokenRoom(), at: now)
        account.user.userMetadata = #"{"name":"Countess"}"#
        #expect(try account.refresh(.made("apple"), within: TokenRoom(), at: now) == false)
        #expect(try JSONReader.read(account.identities[0].data)["name"] == "Ada")
        #expect(try JSONReader.read(account.user.userMetadata)["name"] == "Countess")
        #expect(try account.refresh(named, within: TokenRoom(), at: now) == false)
    }

    @Test("Undoing a link keeps metadata that changed since")
    func undoMetadata() throws {
        let now = Instant(seconds: 1)
        var user = User(id: LinkingTable.ada, audience: "a", role: "r", times: UserTimes(createdAt: now))
        user.userMetadata = #"{"name":"Ada","color":"blue"}"#
        user.email = "ada@example.com"
        user.times.emailConfirmedAt = now
        user.passwordHash = Secret("$hash$")
        var account = Account(user: user, identities: [])
        let id = IdentityID(bytes: Array(repeating: 1, count: 16))
        let identity = ProviderIdentity.made(data: ["name": "A. L.", "picture": "p"])
        let undo = try account.link(
            identity, id: id, address: .proves, mergesMetadata: true,
            within: TokenRoom(), at: now)
        #expect(account.user.times.emailProvenAt == now)
        account.user.userMetadata = account.user.userMetadata.replacing(#""p""#, with: #""q""#)
        let kept = LinkUndo(json: try JSONReader.read(undo.json.text))
        #expect(kept == undo)
        _ = try account.undo(kept, of: id, address: .keeps, newID: id, at: now)
        let left = try JSONReader.read(account.user.userMetadata)
        #expect(left == ["name": "Ada", "color": "blue", "picture": "q"])
        #expect(account.user.times.emailProvenAt == nil)
        #expect(account.user.times.emailConfirmedAt == now)
    }
}
