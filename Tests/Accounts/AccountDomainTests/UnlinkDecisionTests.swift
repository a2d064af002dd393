import AccountDomain
import GatehouseWire
import Testing

@Suite("Removing a sign-in method")
struct UnlinkDecisionTests {
    private static let time = Instant(seconds: 1_767_225_600)

    /// `email`, `phone`, or a provider with or without a verified address.
    private func account(_ methods: [String], email: String? = "ada@example.com", hasPassword: Bool = false) -> Account
    {
        var user = User(id: LinkingTable.ada, audience: "a", role: "r", times: UserTimes(createdAt: Self.time))
        user.email = email
        if email != nil { user.times.emailConfirmedAt = Self.time }
        if hasPassword { user.passwordHash = Secret("$hash$") }
        let identities = methods.enumerated().map { number, text in
            let parts = text.split(separator: " ").map(String.init)
            var identity = Identity(
                id: id(number), user: user.id, provider: parts[0], providerID: "\(number)", data: "{}",
                email: parts.count > 1 ? parts[1] : nil, at: Self.time)
            identity.isEmailVerified = parts.count > 1 && identity.isOfProvider
            return identity
        }
        return Account(user: user, identities: identities)
    }

    private func id<Owner>(_ number: Int) -> Identifier<Owner> {
        Identifier(bytes: Array(repeating: UInt8(number + 1), count: 16))
    }

    @Test(
        "D7: The last method stays; the address stays, moves to a verified one, or is removed",
        arguments: [
            // The only method, with and without another.
            (["email ada@example.com"], true, 0, .refuse(.lastMethod)),
            (["email ada@example.com"], true, 9, .refuse(.lastMethod)),
            (["google ada@example.com"], false, 0, .refuse(.lastMethod)),
            // The address's identity without a password is no method.
            (["email ada@example.com", "google ada@example.com"], false, 1, .refuse(.lastMethod)),
            (["phone", "google ada@example.com"], false, 1, .refuse(.lastMethod)),
            (["email ada@example.com", "google ada@example.com"], false, 0, .remove(.keeps)),
            (["email ada@example.com", "google ada@example.com"], true, 1, .remove(.keeps)),
            (["email ada@example.com", "google ada@example.com"], true, 0, .remove(.keeps)),
            (["email ada@example.com", "google ada@example.com"], true, 9, .refuse(.notFound)),
            // The password is a sign-in method without an identity.
            (["google ada@example.com"], true, 0, .remove(.keeps)),
            // The address moves.
            (["email ada@example.com", "google ada@example.org"], true, 0, .remove(.becomes(Self.other))),
            (["google ada@example.com", "apple ada@example.org"], false, 0, .remove(.becomes(Self.other))),
            (["google ada@example.com", "apple ada@example.org"], false, 1, .remove(.keeps)),
            (["google ada@example.com", "apple"], false, 0, .remove(.goes)),
            (["google ada@example.com", "apple taken@example.com"], false, 0, .refuse(.addressConflict)),
            (
                ["google ada@example.com", "apple taken@example.com", "keycloak ada@example.org"], false, 0,
                .remove(.becomes(Self.other))
            ),
        ] as [([String], Bool, Int, UnlinkDecision)])
    func table(_ methods: [String], _ hasPassword: Bool, _ removed: Int, _ expected: UnlinkDecision) {
        let decision = UnlinkDecision(account(methods, hasPassword: hasPassword), removing: id(removed)) {
            $0.text != "taken@example.com"
        }
        #expect(decision == expected)
    }

    private static let other = EmailAddress("ada@example.org")!

    @Test("A password without a confirmed address is not a sign-in method")
    func unconfirmed() {
        var account = account(["email ada@example.com", "google ada@example.org"], hasPassword: true)
        account.user.times.emailConfirmedAt = nil
        #expect(account.signInMethods.map(\.name) == ["google"])
        #expect(UnlinkDecision(account, removing: id(1)) { _ in true } == .refuse(.lastMethod))
    }

    @Test("A remaining password gets its own identity")
    func passwordAlone() throws {
        var account = account(["google ada@example.com"], hasPassword: true)
        account.user.times.emailProvenAt = Self.time
        let made = try account.unlink(id(0), address: .keeps, newID: id(7), at: Self.time)
        #expect(made?.provider == "email")
        #expect(account.identities.map(\.provider) == ["email"])
        #expect(account.user.appMetadata == #"{"provider":"email","providers":["email"]}"#)
        #expect(account.user.times.emailProvenAt == Self.time)
    }

    @Test("Removing the address's identity removes the password")
    func passwordGoes() throws {
        var account = account(["email ada@example.com", "google ada@example.org"], hasPassword: true)
        let made = try account.unlink(id(0), address: .becomes(Self.other), newID: id(7), at: Self.time)
        #expect(made == nil)
        #expect(account.user.passwordHash == nil)
        #expect(account.user.email == "ada@example.org")
        #expect(account.user.times.emailProvenAt == Self.time)
        #expect(account.signInMethods.map(\.name) == ["google"])
    }

    @Test("D8: An account whose address moves keeps its password and everything else")
    func withoutItsAddress() throws {
        let squatter = account(["email ada@example.com", "google mallory@example.com"], hasPassword: true)
        let left = try squatter.withoutItsAddress(at: Self.time) { _ in true }
        #expect(left.user.email == "mallory@example.com")
        #expect(left.user.passwordHash != nil && left.signInMethods.map(\.name) == ["password", "google"])
        #expect(left.identities.map(\.provider) == ["google"])
        #expect(left.user.formerEmail == "ada@example.com" && left.user.times.formerEmailMovedAt == Self.time)
        let without = try squatter.withoutItsAddress(at: Self.time) { _ in false }
        #expect(without.user.email == nil && without.user.times.emailConfirmedAt == nil)
        let passwordOnly = account(["email ada@example.com"], hasPassword: true)
        let bare = try passwordOnly.withoutItsAddress(at: Self.time) { _ in true }
        #expect(bare.user.email == nil && bare.signInMethods == [.password])
    }
}
