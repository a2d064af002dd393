import AccountDomain
import GatehouseWire
import Testing

@Suite("Identities of providers")
struct ProviderIdentityTests {
    @Test(
        "What belongs to accounts themselves is no identity of a provider",
        arguments: [
            ("email", "1"), ("phone", "1"), ("", "1"), ("google", ""),
        ])
    func refused(_ provider: String, _ subject: String) {
        #expect(
            ProviderIdentity(provider: provider, subject: subject, email: nil, isEmailVerified: false, data: [:]) == nil
        )
    }

    @Test("An address that is none is not vouched for")
    func invalidAddress() {
        let identity = ProviderIdentity.made(email: "Ada Lovelace", isVerified: true)
        #expect(identity.email == nil)
        #expect(!identity.isEmailVerified)
        #expect(ProviderIdentity.made(email: "Ada@Example.COM").provenEmail?.text == "ada@example.com")
        #expect(ProviderIdentity.made(isVerified: false).provenEmail == nil)
    }

    @Test("It is the same after it was written as JSON")
    func roundTrip() throws {
        let identity = ProviderIdentity.made(
            "apple", "x", isRelay: true, data: ["custom_claims": ["auth_time": 5]],
            profile: ProfileFill(firstName: "Ada", name: "Ada Lovelace", avatarURL: "https://example.com/a.png"))
        let read = try JSONReader.read(identity.json.text)
        #expect(ProviderIdentity(json: read) == identity)
        #expect(ProviderIdentity(json: ["provider": "apple"]) == nil)
    }

    @Test("Data that would be too long for a token is cut to what identifies the person")
    func boundedData() {
        let identity = ProviderIdentity.made(data: ["claim": .string(String(repeating: "x", count: 20_000))])
        #expect(identity.data.keys.sorted() == ["email", "email_verified", "sub"])
    }

    @Test("A profile is offered only what its columns take (C6)")
    func profile() {
        let fill = ProfileFill(
            firstName: " " + String(repeating: "ä", count: 60), name: " \n ", avatarURL: "http://example.com/a.png")
        #expect(fill.firstName == String(repeating: "ä", count: 50))
        #expect(fill.name == nil)
        #expect(fill.avatarURL == nil)
        #expect(ProfileFill(name: "").isEmpty)
    }

    @Test("A name that Apple told once stays, though later tokens have none (pitfall 6)")
    func keepsName() throws {
        let now = Instant(seconds: 1)
        let user = User(id: LinkingTable.ada, audience: "a", role: "r", times: UserTimes(createdAt: now))
        let named = ProviderIdentity.made("apple", data: ["name": "Ada", "full_name": "Ada"])
        var account = Account(
            user, madeBy: named, id: IdentityID(bytes: Array(repeating: 1, count: 16)), takesAddress: true, at: now)
        account.user.userMetadata = #"{"name":"Countess"}"#
        #expect(try account.refresh(.made("apple"), at: now) == false)
        #expect(try JSONReader.read(account.identities[0].data)["name"] == "Ada")
        #expect(try JSONReader.read(account.user.userMetadata)["name"] == "Countess")
        #expect(try account.refresh(named, at: now) == false)
    }

    @Test("Taking a link back leaves metadata that was changed since as it is")
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
        let undo = try account.link(identity, id: id, address: .proves, mergesMetadata: true, at: now)
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
