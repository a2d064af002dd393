import AccountDomain
import GatehouseWire
import Testing

/// The table of Docs/proving.md.
@Suite("What a proof of an address sets aside")
struct ProofDecisionTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let facts: ProofFacts
        let decision: ProofDecision

        init(_ name: String, _ facts: ProofFacts, _ decision: ProofDecision) {
            (testDescription, self.facts, self.decision) = (name, facts, decision)
        }
    }

    private static func first(
        _ binding: ProofFacts.Binding, _ email: ProofFacts.Email, isUnfinished: Bool = false, competes: Bool = false
    ) -> ProofFacts {
        ProofFacts(
            isFirst: true, binding: binding, email: email, isUnfinishedSignUp: isUnfinished, competes: competes)
    }

    private static func keeps(_ password: ProofDecision.Password = .keeps) -> ProofDecision {
        ProofDecision(password: password, setsAsideOthers: false, endsSessions: true)
    }

    private static let setsAside = ProofDecision(password: .isSetAside, setsAsideOthers: true, endsSessions: true)

    private static let rows: [Row] = [
        Row("a session of the account asked and typed", first(.account, .other), keeps()),
        Row("a session of the account typed a sign-up's code", first(.account, .signUp, isUnfinished: true), keeps()),
        Row("the password came with the code", first(.password, .other), keeps(.becomesTheTypedOne)),
        Row(
            "a waiting sign-up's password came with the code",
            first(.password, .signUp, isUnfinished: true, competes: true), keeps(.becomesTheTypedOne)),
        Row("the client of the only sign-up", first(.client, .signUp, isUnfinished: true), keeps()),
        Row("the client of the first sign-up", first(.client, .signUp, isUnfinished: true, competes: true), keeps()),
        Row(
            "the client of another sign-up", first(.client, .competingSignUp, isUnfinished: true, competes: true),
            keeps(.becomesThatOfTheEmail)),
        Row("the client that asked for a new address", first(.client, .addressChange), keeps()),
        Row("the typed code of the only sign-up", first(.none, .signUp, isUnfinished: true), keeps()),
        Row(
            "the typed code of competing sign-ups", first(.none, .signUp, isUnfinished: true, competes: true), setsAside
        ),
        Row(
            "the typed code of another sign-up", first(.none, .competingSignUp, isUnfinished: true, competes: true),
            setsAside),
        Row("a sign-in code for an unfinished sign-up", first(.none, .other, isUnfinished: true), setsAside),
        Row("the client that asked for a sign-in code", first(.client, .other), setsAside),
        Row("a typed code alone", first(.none, .other), setsAside),
        Row("the typed code of a new address", first(.none, .addressChange), setsAside),
        Row("a sign-up's code of an account in use", first(.none, .signUp), setsAside),
    ]

    @Test("The first proof of an address keeps, chooses or sets aside", arguments: rows)
    func table(_ row: Row) { #expect(ProofDecision(row.facts) == row.decision) }

    @Test("A later proof changes nothing but the password that comes with it")
    func later() {
        for binding in ProofFacts.Binding.allCases {
            for email in ProofFacts.Email.allCases {
                let decision = ProofDecision(ProofFacts(isFirst: false, binding: binding, email: email))
                #expect(decision.password == (binding == .password ? .becomesTheTypedOne : .keeps))
                #expect(!decision.setsAsideOthers && !decision.endsSessions)
            }
        }
    }

    @Test("Whoever shows neither an account's credential nor a sign-up's client keeps nothing of before")
    func unbound() {
        for binding in [ProofFacts.Binding.none, .client] {
            for competes in [true, false] {
                let decision = ProofDecision(Self.first(binding, .other, competes: competes))
                #expect(decision == Self.setsAside)
            }
        }
    }
}

@Suite("Credentials that are set aside")
struct SetAsideValueTests {
    private static let time = Instant(seconds: 1_000_000)

    @Test("What is set aside survives storage, and nothing is stored as nothing")
    func stored() throws {
        #expect(SetAside().stored == nil && SetAside(stored: nil).isEmpty)
        var value = SetAside()
        value.add(SetAside.Password(hash: Secret("$a$"), data: ["name": "Ada"], at: Self.time))
        value.passkeys.append(
            SetAside.Passkey(id: PasskeyID(bytes: Array(repeating: 1, count: 16)), name: "iPhone", at: Self.time))
        value.identities.append(
            SetAside.Identity(id: IdentityID(bytes: Array(repeating: 2, count: 16)), provider: "google", at: Self.time))
        #expect(SetAside(stored: value.stored) == value)
        #expect(value.methods == ["password", "passkey", "google"])
        let later = #"[{"type":"of a newer release","at":1},{"type":"password","at":"x"}]"#
        #expect(SetAside(stored: later).isEmpty && SetAside(stored: "{").isEmpty)
    }

    @Test("A password waits once, and the first five stay")
    func limit() {
        var value = SetAside()
        for number in [0, 0, 1, 2, 3, 4, 5, 6] {
            value.add(SetAside.Password(hash: Secret("$\(number)$"), at: Self.time))
        }
        #expect(value.passwords.map { $0.hash.reveal() } == ["$0$", "$1$", "$2$", "$3$", "$4$"])
        #expect(value.take(Secret("$2$")) != nil && value.take(Secret("$2$")) == nil)
    }

    @Test("A passkey's ticket is good for ten minutes, and only with this server's secret")
    func ticket() throws {
        let secrets = try #require(ServerSecrets([(number: UInt8(1), bytes: [UInt8](repeating: 7, count: 32))]))
        let other = try #require(ServerSecrets([(number: UInt8(1), bytes: [UInt8](repeating: 8, count: 32))]))
        let passkey = SetAsidePasskey(
            id: PasskeyID(bytes: Array(repeating: 1, count: 16)), user: UserID(bytes: Array(repeating: 2, count: 16)),
            at: Self.time)
        let ticket = try passkey.ticket(secrets, nonce: Array(repeating: 3, count: 12))
        #expect(SetAsidePasskey(ticket: ticket, secrets, at: Self.time + .seconds(599)) == passkey)
        #expect(SetAsidePasskey(ticket: ticket, secrets, at: Self.time + .seconds(600)) == nil)
        #expect(SetAsidePasskey(ticket: ticket, other, at: Self.time) == nil)
        for text in ["", "AAAA", String(repeating: "A", count: 4_096)] {
            #expect(SetAsidePasskey(ticket: Secret(text), secrets, at: Self.time) == nil)
        }
    }
}
