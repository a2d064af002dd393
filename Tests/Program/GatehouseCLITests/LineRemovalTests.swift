import AccountDomain
import AccountStore
import GatehouseCLI
import GatehouseWire
import Testing

@Suite("Removed identities in lines of accounts")
struct LineRemovalTests {
    private static let user = UserID("5a7e1d5c-0000-4000-8000-000000000001")!
    private static let time = Instant(seconds: 1_800_000_000)

    private func read(_ line: String) throws(LineProblem) -> ImportedAccount {
        try AccountLine.imported(Array(line.utf8), at: Self.time) {
            IdentityID(trusted: "00000000-0000-4000-8000-00000000000f")
        }
    }

    @Test("A written line reads back the same; an account without removed identities has no member for them")
    func roundTrip() throws {
        let user = User(
            id: Self.user, audience: "authenticated", role: "authenticated", times: UserTimes(createdAt: Self.time))
        let plain = ExportedAccount(Account(user: user, identities: []))
        #expect(!AccountLine.text(plain).contains("removed_identities"))
        var account = plain
        account.removals = [
            TransferredRemoval(
                provider: "apple", providerID: "000.a", kind: .undone, isByProof: false, at: Self.time - .seconds(9)),
            TransferredRemoval(provider: "google", providerID: "1", kind: .unlinked, isByProof: true, at: Self.time),
        ]
        let line = AccountLine.text(account)
        let imported = try read(line)
        #expect(imported.removals.map(\.kind) == [.undone, .unlinked])
        #expect(AccountLine.text(ExportedAccount(imported.account, removals: imported.removals)) == line)
    }

    @Test(
        "A line with a removed identity that cannot be restored is refused",
        arguments: [
            ("[1]", "removed_identities has what is no object"),
            (#"[{"provider":"apple","kind":"undone"}]"#, "a removed identity lacks provider or provider_id"),
            (#"[{"provider_id":"1","kind":"undone"}]"#, "a removed identity lacks provider or provider_id"),
            (
                #"[{"provider":"apple","provider_id":"1","kind":"Undone"}]"#,
                "the kind of a removed identity is neither unlinked nor undone"
            ),
            (
                #"[{"provider":"apple","provider_id":"1"}]"#,
                "the kind of a removed identity is neither unlinked nor undone"
            ),
        ])
    func refused(_ removals: String, _ reason: String) {
        #expect(throws: LineProblem(reason)) {
            try read(#"{"id":"\#(Self.user.text)","removed_identities":\#(removals)}"#)
        }
    }
}
