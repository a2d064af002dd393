import AccountDomain
import AccountStore
import GatehouseCLI
import GatehouseWire
import Testing

@Suite("Second factors and passkeys in lines of accounts")
struct LineFactorTests {
    private static let user = UserID("5a7e1d5c-0000-4000-8000-000000000001")!
    private static let time = Instant(seconds: 1_800_000_000)
    private static let hash = "$2b$04$abcdefghijklmnopqrstuufznL8bkzdtHwLhca4To/v9Lo9bA7fR6"
    /// The COSE_Key of an ES256 key.
    private static let key = LineKey.bytes

    private static func factor(_ number: UInt8, _ kind: Factor.Kind, _ content: FactorContent) -> TransferredFactor {
        var factor = Factor(
            id: FactorID(bytes: Array(repeating: number, count: 16)), user: user, kind: kind, isVerified: true,
            name: "factor \(number)", at: time)
        factor.updatedAt = time + .seconds(60)
        if kind == .webAuthn { factor.authenticatorModel = "00000000-0000-0000-0000-000000000007" }
        return TransferredFactor(factor, content)
    }

    private static let app = factor(1, .totp, .app(secret: Array("12345678901234567890".utf8)))
    private static let unopened = factor(2, .totp, .unopened)
    private static let securityKey = factor(
        3, .webAuthn,
        .securityKey(
            TransferredKey(
                credentialID: [0, 255], publicKey: key, signCount: 9, isBackupEligible: true, isBackedUp: false,
                transports: ["usb"])))
    private static let codes = factor(
        4, .recoveryCodes,
        .recoveryCodes([
            TransferredCode(selector: "ab", hash: Secret(hash), usedAt: nil),
            TransferredCode(selector: "c2", hash: Secret(hash), usedAt: time),
        ]))

    private static var passkey: Passkey {
        var passkey = Passkey(
            id: PasskeyID(bytes: Array(repeating: 5, count: 16)), user: user, credentialID: [1, 2], publicKey: key,
            algorithm: -7, model: Array(repeating: 6, count: 16), signCount: 3, isBackupEligible: true,
            isBackedUp: true, transports: ["internal"], attestation: "none", name: "Phone", at: time)
        passkey.lastUsedAt = time + .seconds(1)
        return passkey
    }

    private static func exported(_ factors: [TransferredFactor], _ passkeys: [Passkey] = []) -> ExportedAccount {
        var user = User(
            id: user, audience: "authenticated", role: "authenticated", times: UserTimes(createdAt: time))
        user.email = "ada@example.com"
        (user.times.emailConfirmedAt, user.times.emailProvenAt) = (time, time + .seconds(5))
        return ExportedAccount(Account(user: user, identities: []), factors: factors, passkeys: passkeys)
    }

    private func read(_ line: String) throws(LineProblem) -> ImportedAccount {
        try AccountLine.imported(Array(line.utf8), at: Self.time) {
            IdentityID(trusted: "00000000-0000-4000-8000-00000000000f")
        }
    }

    @Test("A written line reads back the same, with the proof of the address")
    func roundTrip() throws {
        let line = AccountLine.text(Self.exported([Self.app, Self.securityKey, Self.codes], [Self.passkey]))
        let imported = try read(line)
        #expect(imported.account.user.times.emailProvenAt == Self.time + .seconds(5))
        let again = ExportedAccount(imported.account, factors: imported.factors, passkeys: imported.passkeys)
        #expect(AccountLine.text(again) == line)
        #expect(imported.factors.map(\.content.kind) == [.totp, .webAuthn, .recoveryCodes])
    }

    @Test("Set-aside passwords, a moved address and a contested password read back the same")
    func setAside() throws {
        var account = Self.exported([]).account
        account.user.setAside.passwords = [
            SetAside.Password(hash: Secret(Self.hash), data: ["name": "Ada"], at: Self.time)
        ]
        account.user.setAside.isContested = true
        account.user.formerEmail = "former@example.com"
        account.user.times.formerEmailMovedAt = Self.time
        let user = try read(AccountLine.text(ExportedAccount(account))).account.user
        #expect(user.setAside.isContested && user.setAside.passwords == account.user.setAside.passwords)
        #expect(user.formerEmail == "former@example.com" && user.times.formerEmailMovedAt == Self.time)
        #expect(!AccountLine.text(Self.exported([])).contains("contested"))
    }

    @Test("An account without factors has no members for them")
    func plain() throws {
        let line = AccountLine.text(Self.exported([]))
        #expect(!line.contains("factors") && !line.contains("passkeys"))
        #expect(try read(line).factors.isEmpty)
    }

    @Test(
        "A line whose factors cannot be restored is refused",
        arguments: [
            (#""factors":[1]"#, "factors has what is no object"),
            (#""factors":[{"status":"verified"}]"#, "the id of a factor is not a UUID"),
            (
                #""factors":[{"id":"ID","user_id":"ID","status":"verified"}]"#,
                "a factor has the user_id of another account"
            ),
            (
                #""factors":[{"id":"ID","status":"verified","factor_type":"phone"}]"#,
                "a phone factor has no number"
            ),
            (
                #""factors":[{"id":"ID","status":"verified","factor_type":"pigeon"}]"#,
                "a factor is neither totp, webauthn, phone nor recovery_code"
            ),
            (
                #""factors":[{"id":"ID","status":"verified","factor_type":"totp"}]"#,
                "an authenticator app has no readable secret"
            ),
            (
                #""factors":[{"id":"ID","status":"verified","factor_type":"webauthn","credential_id":"\\x01"}]"#,
                "a security key has no readable key"
            ),
            (
                #""factors":[{"id":"ID","status":"verified","factor_type":"recovery_code","codes":[{"selector":"ab"}]}]"#,
                "a recovery code has no readable hash"
            ),
            (
                #""factors":[{"id":"ID","status":"verified","factor_type":"recovery_code","codes":[]}]"#,
                "recovery codes without another second factor"
            ),
            (#""factors":[{"id":"ID"}]"#, "the status of a factor is neither verified nor unverified"),
            (
                #""factors":[{"id":"ID","status":"Verified"}]"#,
                "the status of a factor is neither verified nor unverified"
            ),
            (#""passkeys":[{"id":"ID"}]"#, "a passkey is unreadable"),
            (#""passkeys":[{"id":"ID","user_id":"ID"}]"#, "a passkey has the user_id of another account"),
            (#""passkeys":{}"#, "passkeys is not a JSON array"), (#""factors":{}"#, "factors is not a JSON array"),
        ])
    func refused(members: String, reason: String) {
        let line = #"{"id":"\#(Self.user.text)",\#(members)}"#
            .replacing("\"ID\"", with: "\"00000000-0000-4000-8000-000000000009\"")
        #expect(throws: LineProblem(reason)) { try read(line) }
    }

    @Test("A factor that was never verified is skipped")
    func unverified() throws {
        let line = #"{"id":"\#(Self.user.text)","factors":[{"id":"x","factor_type":"phone","status":"unverified"}]}"#
        #expect(try read(line).factors.isEmpty)
    }

    @Test("What a format cannot hold is refused with kind, count and option")
    func refusals() {
        var counts = TransferCounts()
        counts.byKind = [.totp: 5, .webAuthn: 2, .recoveryCodes: 1_000, .passkeys: 4]
        #expect(ExportSelection(.lines, leaving: []).refusals(counts).isEmpty)
        #expect(
            ExportSelection(.supabase, leaving: []).refusals(counts) == [
                "2 security keys do not fit into Supabase's format. To export without them, add --leave-behind webauthn.",
                "1,000 sets of recovery codes do not fit into Supabase's format. To export without them, add "
                    + "--leave-behind recovery-codes.",
            ])
        #expect(ExportSelection(.supabase, leaving: [.webAuthn, .recoveryCodes]).refusals(counts).isEmpty)
        counts.byKind = [.unreadableTOTP: 2]
        counts.unopened = [(Self.unopened.factor.id, Self.user)]
        let named = ExportSelection(.lines, leaving: []).refusals(counts).joined()
        #expect(
            named.hasPrefix(
                "2 unreadable authenticator apps have secrets that do not open with the configured server secrets: factor "
                    + "\(Self.unopened.factor.id.text) of account \(Self.user.text), 1 more. "))
        #expect(named.contains("--leave-behind unreadable-totp"))
        for kind in [TransferredKind.totp, .unreadableTOTP] {
            #expect(ExportSelection(.lines, leaving: [kind]).refusals(counts).isEmpty)
        }
    }

    @Test("Recovery codes go only with another factor, and everything left behind is counted")
    func selection() throws {
        let whole = Self.exported([Self.app, Self.unopened, Self.securityKey, Self.codes], [Self.passkey])
        var selection = ExportSelection(.lines, leaving: [.totp, .passkeys])
        let taken = try selection.take(whole)
        #expect(taken.factors.map(\.content.kind) == [.webAuthn, .recoveryCodes] && taken.passkeys.isEmpty)
        #expect(
            selection.summary(accounts: 1)
                == "1 accounts, 1 security keys, 1 sets of recovery codes; left behind: 1 authenticator apps, "
                + "1 unreadable authenticator apps, 1 passkeys")
        selection = ExportSelection(.lines, leaving: [.totp, .webAuthn])
        #expect(try selection.take(whole).factors.isEmpty)
        #expect(selection.leftBehind[.recoveryCodes] == 1)
    }

    @Test("What was added since the check stops the export")
    func addedSince() {
        var selection = ExportSelection(.supabase, leaving: [])
        #expect(throws: (any Error).self) { try selection.take(Self.exported([Self.app, Self.codes])) }
    }
}

private enum LineKey {
    static let bytes: [UInt8] =
        [0xA5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 0x20] + x + [0x22, 0x58, 0x20] + y

    private static let x: [UInt8] = [
        0x15, 0x0A, 0x2A, 0xA4, 0x93, 0xC3, 0x69, 0xF6, 0x99, 0x2B, 0x18, 0x0F, 0x2A, 0xD6, 0xE2, 0x9A, 0x5A, 0xB1,
        0x94, 0xEA, 0x1B, 0x3B, 0x61, 0x0A, 0xAF, 0xE1, 0x83, 0xE3, 0xDE, 0x04, 0x55, 0x09,
    ]
    private static let y: [UInt8] = [
        0x5F, 0x46, 0x38, 0xEC, 0x32, 0x2D, 0xA9, 0x19, 0x97, 0xA8, 0xAC, 0x68, 0x61, 0x72, 0xB9, 0xD5, 0xCC, 0x66,
        0xF5, 0xDF, 0xC6, 0x04, 0xD2, 0x5D, 0x05, 0x6A, 0xED, 0x8E, 0x75, 0x92, 0x60, 0xCB,
    ]
}
