import Crypto
import GatehouseWire
import HTTPTypes

// What changes the session.
extension Visit {
    /// Stores a sign-in's tokens. Ends the previous session and invalidates the forms of its pages.
    ///
    /// - Parameter handover: The ``WebSession/Handover/id`` of the app that the sign-in was begun for.
    /// - Returns: The next page.
    mutating func signIn(_ json: AuthJSON, for handover: String?) async throws -> Outcome {
        let answer = try AuthSessionAnswer(json: json)
        if isSignedIn {
            // Ignored: if the previous session stays, the user's list of devices shows it.
            _ = try? await callAsUser(.post, "/logout?scope=local")
        }
        var renewed = WebSession(formToken: pages.randomBytes(16))
        (renewed.language, renewed.handover) = (session.language, session.handover)
        renewed.next = session.next
        // Until the second step is done.
        renewed.question = session.question.flatMap { $0.isAnswered ? $0 : nil }
        // Another sign-in in the same browser is no answer to the app's request.
        if let handover, renewed.handover?.id == handover { renewed.handover?.isConfirmed = true }
        renewed.tokens = WebSession.Tokens(answer)
        renewed.awaitsSecondStep = answer.awaitsSecondStep
        session = renewed
        return renewed.awaitsSecondStep ? .go(.secondStep) : try await completeSignIn()
    }

    /// Links the identity that waits for this sign-in, if there is one, and continues.
    mutating func completeSignIn() async throws -> Outcome {
        guard let question = session.question, question.isAnswered else { return .go(placeAfterSignIn()) }
        session.question = nil
        do {
            return try await self[LinkQuestionPage.self].link(question)
        } catch let refusal as CallRefusal {
            return .page(problemPage(message(for: refusal), status: .badRequest))
        }
    }

    /// The page after a completed sign-in. A new password comes first, also on the way back to an app.
    mutating func placeAfterSignIn() -> Place {
        let goesOn = session.handover != nil && session.next != .newPassword
        defer { session.next = nil }
        return goesOn ? .goOn : session.next ?? .home
    }

    /// Forgets the user, and everything but the language.
    mutating func signOut(_ flash: Flash) {
        let language = session.language
        session = WebSession(formToken: pages.randomBytes(16))
        (session.language, session.flash) = (language, flash)
    }

    /// The user who is signed in.
    ///
    /// - Throws: As ``callAsUser(_:_:_:api:)``.
    mutating func user() async throws -> AuthUser {
        try AuthUser(json: await callAsUser(.get, "/user"))
    }

    /// Asks for a mail whose link ends a new flow. A refused request leaves the flow of an earlier mail as it was.
    ///
    /// - Parameter ask: Takes the challenge of the flow. Its error is thrown on.
    mutating func beginning<Answer>(
        _ purpose: WebSession.Flow.Purpose, for handover: String?,
        _ ask: (inout Visit, _ challenge: AuthJSON) async throws -> Answer
    ) async throws -> Answer {
        let earlier = session.flow
        let challenge = begin(purpose, for: handover)
        do {
            return try await ask(&self, .string(challenge))
        } catch {
            session.flow = earlier
            throw error
        }
    }

    /// A new flow that comes back to ``Place/callback`` with a code (RFC 7636).
    ///
    /// - Parameter handover: The ``WebSession/Handover/id`` of the app that it is begun for.
    /// - Returns: Its challenge.
    mutating func begin(_ purpose: WebSession.Flow.Purpose, for handover: String?) -> String {
        let verifier = Secret(Base64URL.text(pages.randomBytes(32)))
        session.flow = WebSession.Flow(purpose: purpose, verifier: verifier, handover: handover)
        return Base64URL.text(Array(SHA256.hash(data: Array(verifier.reveal().utf8))))
    }
}

extension WebSession.Tokens {
    init(_ answer: AuthSessionAnswer) {
        self.init(
            refresh: Secret(answer.refreshToken), access: Secret(answer.accessToken),
            expiresAt: Int64(answer.expiresAt ?? 0))
    }
}
