import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

/// The same in memory and with a server that sends email.
@Suite("The server in memory treats proofs of an address like the real one")
struct SameProofsTests {
    private static let ada = "ada@example.com"
    private static let wrong = "refused 403 otp_expired"

    private static func with(
        _ kind: ServiceKind, confirms: Bool = false, _ test: (ServiceWorld) async throws -> Void
    ) async throws { try await ServiceWorld.with(kind, confirms: confirms, sendsMail: true) { try await test($0) } }

    private func asked(_ world: ServiceWorld, _ provider: AuthProvider = .google) async throws -> AuthLinkQuestion {
        let error = await #expect(throws: AuthClientError.self) {
            try await world.service.signIn(with: try await world.providers.credentials(provider, Self.ada))
        }
        return try #require(error?.linkQuestion)
    }

    private func mailed(_ world: ServiceWorld, _ question: AuthLinkQuestion) async throws -> String {
        world.advance(.seconds(61))
        try await world.service.sendLinkCode(for: question.ticket)
        return try #require(try await world.code(.link, Self.ada))
    }

    private func passwords(_ world: ServiceWorld, _ passwords: String...) async throws -> [Bool] {
        var accepted: [Bool] = []
        for password in passwords {
            let failure = await world.failure { try await world.service.signIn(email: Self.ada, password: password) }
            accepted.append(failure == nil)
        }
        return accepted
    }

    @Test(
        "D8: a link's code is the first proof of the address: what was added before is set aside",
        arguments: ServiceKind.allCases)
    func firstProof(_ kind: ServiceKind) async throws {
        try await Self.with(kind, confirms: true) { world in
            let service = world.service
            let account = try await world.signUp(name: "Eve")
            // Grace's Google account does not vouch for Ada's address.
            _ = try await service.link(with: try await world.providers.credentials(.google, "grace@example.com"))
            try await service.signOut()
            let question = try await asked(world, .apple)
            #expect(question.canMailCode && question.canRecover)
            let session = try await service.confirmLink(question.ticket, code: try await mailed(world, question))
            #expect(session.user.id == account.user.id)
            #expect(session.user.identities?.map(\.provider).sorted() == ["apple", "email"])
            #expect(setAside(session.user) == ["password", "google"])
            #expect(try await service.undoableLinks().map(\.rule) == ["confirmed_by_owner"])
            #expect(try await service.sessions().count == 1)
            try await service.signOut()
            #expect(try await passwords(world, Fixtures.password) == [false])
            // The identity set aside asks for its account, whose own address gets the code.
            let error = await #expect(throws: AuthClientError.self) {
                try await service.signIn(with: try await world.providers.credentials(.google, "grace@example.com"))
            }
            let former = try #require(error?.linkQuestion)
            #expect(former.email == "grace@example.com" && former.canRecover && former.canMailCode)
            let restored = try await service.confirmLink(former.ticket, code: try await mailed(world, former))
            #expect(restored.user.id == account.user.id && setAside(restored.user) == ["password"])
            #expect(restored.user.identities?.map(\.provider).sorted() == ["apple", "email", "google"])
        }
    }

    private func setAside(_ user: AuthUser) -> [String] {
        user.setAside.map { credential in
            switch credential.kind {
            case .password: "password"
            case .passkey: "passkey"
            case .identity(_, let provider): provider
            }
        }
    }

    @Test("A set-aside password is refused with an emailed code, which restores it", arguments: ServiceKind.allCases)
    func restored(_ kind: ServiceKind) async throws {
        try await Self.with(kind, confirms: true) { world in
            let service = world.service
            let account = try await world.signUp()
            try await service.signOut()
            world.advance(.seconds(61))
            try await service.sendSignInMail(to: Self.ada)
            let first = try #require(try await world.code(.signIn, Self.ada))
            let proven = try await service.verify(code: first, sentTo: Self.ada, for: .email).session
            #expect(proven.map { setAside($0.user) } == ["password"])
            try await service.signOut()
            world.advance(.seconds(61))
            let refused = await world.failure { try await service.signIn(email: Self.ada, password: Fixtures.password) }
            #expect(refused == "refused 403 credential_set_aside")
            let code = try #require(try await world.code(.signIn, Self.ada))
            let wrong = await world.failure {
                try await service.verify(code: "000000", sentTo: Self.ada, for: .email, password: Fixtures.password)
            }
            #expect(wrong == Self.wrong)
            let back = try await service.verify(
                code: code, sentTo: Self.ada, for: .email, password: Fixtures.password
            ).session
            #expect(back?.user.id == account.user.id && back?.user.setAside == [])
            try await service.signOut()
            #expect(try await passwords(world, Fixtures.password) == [true])
        }
    }

    @Test("A code with another password has the same effect as alone", arguments: ServiceKind.allCases)
    func otherPassword(_ kind: ServiceKind) async throws {
        try await Self.with(kind, confirms: true) { world in
            let service = world.service
            try await world.signUp()
            try await service.signOut()
            world.advance(.seconds(61))
            try await service.sendSignInMail(to: Self.ada)
            let code = try #require(try await world.code(.signIn, Self.ada))
            let session = try await service.verify(
                code: code, sentTo: Self.ada, for: .email, password: "not the password"
            ).session
            #expect(session.map { setAside($0.user) } == ["password"])
        }
    }

    @Test("The code of a signed-in user sets nothing aside", arguments: ServiceKind.allCases)
    func bySession(_ kind: ServiceKind) async throws {
        try await Self.with(kind, confirms: true) { world in
            let service = world.service
            try await world.signUp()
            world.advance(.seconds(61))
            try await service.sendSignInMail(to: Self.ada)
            let code = try #require(try await world.code(.signIn, Self.ada))
            let session = try await service.verify(code: code, sentTo: Self.ada, for: .email).session
            #expect(session?.user.setAside == [])
            try await service.signOut()
            #expect(try await passwords(world, Fixtures.password) == [true])
        }
    }

    @Test("The last three codes stay valid until one is used", arguments: ServiceKind.allCases)
    func lastThree(_ kind: ServiceKind) async throws {
        try await Self.with(kind) { world in
            let service = world.service
            var codes: [String] = []
            for _ in 1...4 {
                try await service.sendSignInMail(to: Self.ada)
                codes.append(try #require(try await world.code(.signIn, Self.ada)))
                world.advance(.seconds(61))
            }
            func verify(_ code: String) async -> String? {
                await world.failure { try await service.verify(code: code, sentTo: Self.ada, for: .email) }
            }
            #expect(await verify(codes[0]) == Self.wrong)
            #expect(await verify(codes[1]) == nil)
            #expect(await verify(codes[3]) == Self.wrong)
        }
    }

    @Test(
        "The same sign-up again is accepted, and sends no second email within a minute",
        arguments: ServiceKind.allCases)
    func repeated(_ kind: ServiceKind) async throws {
        try await Self.with(kind) { world in
            let service = world.service
            for _ in 1...2 {
                let answer = try await service.signUp(
                    email: Self.ada, password: Fixtures.password, firstName: "Ada")
                #expect(answer.session == nil && answer.user?.email == Self.ada)
            }
            let code = try #require(try await world.code(.confirmation, Self.ada))
            let session = try await service.verify(code: code, sentTo: Self.ada, for: .signup).session
            #expect(session?.user.userMetadata["first_name"] == "Ada" && session?.user.setAside == [])
            try await service.signOut()
            #expect(try await passwords(world, Fixtures.password) == [true])
        }
    }

    @Test("A link's code is good for one ticket, and void after five wrong ones", arguments: ServiceKind.allCases)
    func bound(_ kind: ServiceKind) async throws {
        try await Self.with(kind, confirms: true) { world in
            let service = world.service
            try await world.signUp()
            let (google, apple) = (try await asked(world), try await asked(world, .apple))
            let code = try await mailed(world, google)
            func confirm(_ question: AuthLinkQuestion, _ code: String) async -> String? {
                await world.failure { try await service.confirmLink(question.ticket, code: code) }
            }
            let bad = code == "000000" ? "000001" : "000000"
            #expect(await confirm(apple, code) == Self.wrong)
            let signIn = await world.failure { try await service.verify(code: code, sentTo: Self.ada, for: .email) }
            #expect(signIn == Self.wrong)
            for _ in 1...4 { #expect(await confirm(google, bad) == Self.wrong) }
            #expect(await confirm(google, code) == Self.wrong)
            let newest = try await mailed(world, google)
            #expect(await confirm(google, newest) == nil)
            #expect(await confirm(google, newest) == "refused 404 link_ticket_not_found")
            let unknown = await world.failure { try await service.sendLinkCode(for: google.ticket) }
            #expect(unknown == "refused 404 link_ticket_not_found")
        }
    }

    @Test(
        "D8: a mailed code to an unproven address sets its password aside; a new one forgets it",
        arguments: ServiceKind.allCases,
        [EmailCodeType.recovery, .email])
    func unproven(_ kind: ServiceKind, _ purpose: EmailCodeType) async throws {
        try await Self.with(kind, confirms: true) { world in
            let service = world.service
            try await world.signUp()
            try await service.signOut()
            for isFirst in [true, false] {
                world.advance(.seconds(61))
                if purpose == .recovery {
                    try await service.sendPasswordMail(to: Self.ada)
                } else {
                    try await service.sendSignInMail(to: Self.ada)
                }
                let code = try #require(try await world.code(purpose == .recovery ? .recovery : .signIn, Self.ada))
                let user = try await service.verify(code: code, sentTo: Self.ada, for: purpose).session?.user
                #expect(user?.email == Self.ada)
                if isFirst { _ = try await service.update(user: AuthUserAttributes(password: "the owner's password")) }
                try await service.signOut()
            }
            #expect(try await passwords(world, Fixtures.password, "the owner's password") == [false, true])
        }
    }

    @Test(
        "D10: the typed code of competing sign-ups sets both passwords aside; with one of them, it is chosen",
        arguments: ServiceKind.allCases, [nil, "the first password", "the second password"])
    func competing(_ kind: ServiceKind, _ chosen: String?) async throws {
        try await Self.with(kind) { world in
            let service = world.service
            for (password, name) in [("the first password", "Eve"), ("the second password", "Ada")] {
                let answer = try await service.signUp(email: Self.ada, password: password, firstName: name)
                #expect(answer.session == nil)
                #expect(try await passwords(world, "the first password") == [false])
                world.advance(.seconds(61))
            }
            try await service.resendConfirmation(to: Self.ada)
            let code = try #require(try await world.code(.confirmation, Self.ada))
            guard let chosen else {
                let session = try await service.verify(code: code, sentTo: Self.ada, for: .signup).session
                #expect(session?.user.userMetadata["first_name"] == nil)
                #expect(session.map { setAside($0.user) } == ["password"])
                try await service.signOut()
                #expect(try await passwords(world, "the first password", "the second password") == [false, false])
                return
            }
            let session = try await service.verify(
                code: code, sentTo: Self.ada, for: .signup, password: chosen
            ).session
            let isFirst = chosen == "the first password"
            #expect(session?.user.userMetadata["first_name"] == (isFirst ? "Eve" : "Ada"))
            try await service.signOut()
            let accepted = try await passwords(world, "the first password", "the second password")
            #expect(accepted == [isFirst, !isFirst])
        }
    }

    @Test("D10: equal names of competing sign-ups stay", arguments: ServiceKind.allCases)
    func alike(_ kind: ServiceKind) async throws {
        try await Self.with(kind) { world in
            let service = world.service
            for password in ["the first password", "the second password"] {
                _ = try await service.signUp(email: Self.ada, password: password, firstName: "Ada")
                world.advance(.seconds(61))
            }
            let code = try #require(try await world.code(.confirmation, Self.ada))
            let session = try await service.verify(code: code, sentTo: Self.ada, for: .email).session
            #expect(session?.user.userMetadata["first_name"] == "Ada")
            #expect(try await service.fetchMe().profile?.firstName == "Ada")
            try await service.signOut()
            #expect(try await passwords(world, "the first password", "the second password") == [false, false])
        }
    }

    @Test("D10: a code to sign in sets the waiting password of a sign-up aside", arguments: ServiceKind.allCases)
    func signInCode(_ kind: ServiceKind) async throws {
        try await Self.with(kind) { world in
            let service = world.service
            _ = try await service.signUp(email: Self.ada, password: "the first password", firstName: "Ada")
            world.advance(.seconds(61))
            try await service.sendSignInMail(to: Self.ada)
            let code = try #require(try await world.code(.signIn, Self.ada))
            let session = try await service.verify(code: code, sentTo: Self.ada, for: .email).session
            #expect(session.map { setAside($0.user) } == ["password"])
            try await service.signOut()
            #expect(try await passwords(world, "the first password") == [false])
        }
    }

    @Test(
        "Who signs in with a code may start over; the account keeps all but its address",
        arguments: ServiceKind.allCases)
    func startOver(_ kind: ServiceKind) async throws {
        try await Self.with(kind, confirms: true) { world in
            let service = world.service
            let old = try await world.signUp()
            let stale = await world.failure { try await service.startOver() }
            #expect(stale == "refused 403 fresh_sign_in_required")
            world.advance(.seconds(61))
            try await service.sendSignInMail(to: Self.ada)
            let code = try #require(try await world.code(.signIn, Self.ada))
            // The session keeps the password: see above.
            _ = try await service.verify(code: code, sentTo: Self.ada, for: .email)
            let new = try await service.startOver()
            #expect(new.user.id != old.user.id && new.user.email == Self.ada && new.user.formerEmail == nil)
            #expect(await service.currentSession?.user.id == new.user.id)
            try await service.signOut()
            let former = try await service.signIn(email: Self.ada, password: Fixtures.password)
            #expect(former.user.id == old.user.id && former.user.email == nil && former.user.formerEmail == Self.ada)
            #expect(former.user.formerEmailMovedAt != nil)
            let none = await world.failure { try await service.startOver() }
            #expect(none == "refused 422 validation_failed")
        }
    }

    @Test("D10: the client that opens the link of the newest sign-up's mail keeps its password")
    func link() async throws {
        let service = InMemoryAuthService(confirmsAutomatically: false)
        for (password, name) in [("the first password", "Eve"), ("the second password", "Ada")] {
            _ = try await service.service.signUp(email: Self.ada, password: password, firstName: name)
            service.clock.advance(by: .seconds(61))
        }
        try await service.service.openMailLink(try #require(service.mailLink(.confirmation, to: Self.ada))) { _ in true
        }
        #expect(await service.service.currentSession?.user.userMetadata["first_name"] == "Ada")
        try await service.service.signOut()
        _ = try await service.service.signIn(email: Self.ada, password: "the second password")
        let error = await #expect(throws: AuthClientError.self) {
            try await service.service.signIn(email: Self.ada, password: "the first password")
        }
        #expect(error?.code == .credentialSetAside)
    }

    @Test("A code sets a passkey aside; the passkey and the next code restore it")
    func passkey() async throws {
        let service = InMemoryAuthService.signedIn()
        service.serverSettings.allowsPasskeys = true
        let passkeys = ScriptedPasskeys()
        let passkey = try await service.service.registerPasskey(with: passkeys, style: .sheet)
        try await service.service.signOut()
        try await service.service.sendSignInMail(to: Self.ada)
        let first = try #require(service.mailCode(.signIn, to: Self.ada))
        _ = try await service.service.verify(code: first, sentTo: Self.ada, for: .email)
        #expect(try await service.service.passkeys().map { $0.setAsideAt != nil } == [true])
        try await service.service.signOut()
        service.clock.advance(by: .seconds(61))
        let assertion = try await service.service.passkeyAssertion(with: passkeys, style: .sheet)
        let error = await #expect(throws: AuthClientError.self) { try await service.service.signIn(with: assertion) }
        let ticket = try #require(error?.setAsideTicket)
        let code = try #require(service.mailCode(.signIn, to: Self.ada))
        let session = try await service.service.verify(code: code, restoring: ticket).session
        #expect(session.map { setAside($0.user) } == ["password"])
        #expect(try await service.service.passkeys().map(\.id) == [passkey.id])
        try await service.service.signOut()
        let again = try await service.service.passkeyAssertion(with: passkeys, style: .sheet)
        #expect(try await service.service.signIn(with: again).user.email == Self.ada)
        let used = await #expect(throws: AuthClientError.self) {
            try await service.service.verify(code: code, restoring: ticket)
        }
        #expect(used?.code == .otpExpired)
    }

    @Test("A second factor survives an emailed code, whose session has the first level")
    func factor() async throws {
        let service = InMemoryAuthService()
        service.addAccount(email: Self.ada)
        service.addApp()
        try await service.service.sendSignInMail(to: Self.ada)
        let code = try #require(service.mailCode(.signIn, to: Self.ada))
        let session = try #require(try await service.service.verify(code: code, sentTo: Self.ada, for: .email).session)
        #expect(session.user.factors?.isEmpty == false && session.assurance.currentLevel != .aal2)
        let new = try await service.service.startOver()
        #expect(new.user.factors?.isEmpty != false && new.user.email == Self.ada)
    }
}
