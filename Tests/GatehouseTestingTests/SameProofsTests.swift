import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

/// What mails prove: the same in memory and with a server that sends mail.
@Suite("The in-memory service treats proofs of an address like the live one")
struct SameProofsTests {
    private static let ada = "ada@example.com"
    private static let wrong = "refused 403 otp_expired"

    private static func with(
        _ kind: ServiceKind, confirms: Bool = false, _ test: (ServiceWorld) async throws -> Void
    ) async throws { try await ServiceWorld.with(kind, confirms: confirms, sendsMail: true) { try await test($0) } }

    private func asked(_ world: ServiceWorld, _ provider: Provider = .google) async throws -> LinkQuestion {
        let error = await #expect(throws: AuthClientError.self) {
            try await world.service.signIn(with: try await world.providers.credentials(provider, Self.ada))
        }
        return try #require(error?.linkQuestion)
    }

    private func mailed(_ world: ServiceWorld, _ question: LinkQuestion) async throws -> String {
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
        "D8: a link's code is the first proof of the address: what was entered before is out",
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
            #expect(try await service.undoableLinks().map(\.rule) == ["confirmed_by_owner"])
            #expect(try await service.sessions().count == 1)
            try await service.signOut()
            #expect(try await passwords(world, Fixtures.password) == [false])
            // The removed identity asks for its former account.
            let error = await #expect(throws: AuthClientError.self) {
                try await service.signIn(with: try await world.providers.credentials(.google, "grace@example.com"))
            }
            let former = try #require(error?.linkQuestion)
            #expect(former.email == "grace@example.com" && !former.canRecover && !former.canMailCode)
            world.advance(.seconds(61))
            let failure = await world.failure { try await service.sendLinkCode(for: former.ticket) }
            #expect(failure == "refused 422 validation_failed")
        }
    }

    @Test("A link's code is good for one ticket, and void after five wrong ones", arguments: ServiceKind.allCases)
    func bound(_ kind: ServiceKind) async throws {
        try await Self.with(kind, confirms: true) { world in
            let service = world.service
            try await world.signUp()
            let (google, apple) = (try await asked(world), try await asked(world, .apple))
            let code = try await mailed(world, google)
            func confirm(_ question: LinkQuestion, _ code: String) async -> String? {
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
        "D8: a mailed code to an unproven address ends its password and sessions", arguments: ServiceKind.allCases,
        [EmailOTPType.recovery, .email])
    func unproven(_ kind: ServiceKind, _ purpose: EmailOTPType) async throws {
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
                if isFirst { _ = try await service.update(user: UserAttributes(password: "the owner's password")) }
                try await service.signOut()
            }
            #expect(try await passwords(world, Fixtures.password, "the owner's password") == [false, true])
        }
    }

    @Test(
        "D10: the typed code of competing sign-ups confirms neither password", arguments: ServiceKind.allCases,
        [false, true])
    func competing(_ kind: ServiceKind, _ repeatsMail: Bool) async throws {
        try await Self.with(kind) { world in
            let service = world.service
            for (password, name) in [("the first password", "Eve"), ("the second password", "Ada")] {
                let answer = try await service.signUp(email: Self.ada, password: password, firstName: name)
                #expect(answer.session == nil)
                #expect(try await passwords(world, "the first password") == [false])
                world.advance(.seconds(61))
            }
            if repeatsMail { try await service.resendConfirmation(to: Self.ada) }
            let code = try #require(try await world.code(.confirmation, Self.ada))
            let session = try await service.verify(code: code, sentTo: Self.ada, for: .signup).session
            #expect(session?.user.userMetadata["first_name"] == nil)
            _ = try await service.update(user: UserAttributes(password: "the third password"))
            try await service.signOut()
            let accepted = try await passwords(world, "the first password", "the second password", "the third password")
            #expect(accepted == [false, false, true])
        }
    }

    @Test(
        "D10: equal names of competing sign-ups stay; a code to sign in ends the waiting password, too",
        arguments: ServiceKind.allCases)
    func alike(_ kind: ServiceKind) async throws {
        for signsIn in [false, true] {
            try await Self.with(kind) { world in
                let service = world.service
                for password in ["the first password", "the second password"].prefix(signsIn ? 1 : 2) {
                    _ = try await service.signUp(email: Self.ada, password: password, firstName: "Ada")
                    world.advance(.seconds(61))
                }
                if signsIn { try await service.sendSignInMail(to: Self.ada) }
                let code = try #require(try await world.code(signsIn ? .signIn : .confirmation, Self.ada))
                let session = try await service.verify(code: code, sentTo: Self.ada, for: .email).session
                #expect(session?.user.userMetadata["first_name"] == "Ada")
                #expect(try await service.fetchMe().profile?.firstName == "Ada")
                try await service.signOut()
                #expect(try await passwords(world, "the first password", "the second password") == [false, false])
            }
        }
    }

    @Test("D10: the client that opens the link of the newest sign-up's mail keeps its password")
    func link() async throws {
        let service = InMemoryAuthService(confirmsAutomatically: false)
        for (password, name) in [("the first password", "Eve"), ("the second password", "Ada")] {
            _ = try await service.signUp(email: Self.ada, password: password, firstName: name)
        }
        try await service.openMailLink(try #require(service.mailLink(.confirmation, to: Self.ada)))
        #expect(await service.currentSession?.user.userMetadata["first_name"] == "Ada")
        try await service.signOut()
        _ = try await service.signIn(email: Self.ada, password: "the second password")
        await #expect(throws: AuthClientError.self) {
            try await service.signIn(email: Self.ada, password: "the first password")
        }
    }
}
