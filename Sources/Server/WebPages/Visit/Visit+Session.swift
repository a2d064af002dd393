import Crypto
import GatehouseWire
import HTTPTypes

extension Visit {
    /// Also ends the previous session and invalidates its pages' forms.
    ///
    /// - Parameter handover: The ``WebSession/Handover/id`` of the sign-in's app.
    mutating func signIn(_ json: AuthJSON, for handover: String?) async throws -> Outcome {
        let answer = try AuthSessionAnswer(json: json)
        if isSignedIn {
            // Ignored: a previous session that stays is in the user's list of devices.
            _ = try? await callAsUser(.post, "/logout?scope=local")
        }
        var renewed = WebSession(formToken: pages.randomBytes(16))
        (renewed.language, renewed.handover) = (session.language, session.handover)
        (renewed.next, renewed.asked) = (session.next, session.asked)
        // Kept until the second step is done.
        renewed.question = session.question.flatMap { $0.isAnswered ? $0 : nil }
        // Another sign-in in this browser does not answer the app's request.
        if let handover, renewed.handover?.id == handover { renewed.handover?.isConfirmed = true }
        renewed.tokens = WebSession.Tokens(answer)
        renewed.awaitsSecondStep = answer.awaitsSecondStep
        session = renewed
        return renewed.awaitsSecondStep ? .go(.secondStep) : try await completeSignIn()
    }

    /// Links the identity that awaits this sign-in, if any.
    mutating func completeSignIn() async throws -> Outcome {
        guard let question = session.question, question.isAnswered else { return .go(placeAfterSignIn()) }
        session.question = nil
        do {
            return try await self[LinkQuestionPage.self].link(question)
        } catch let refusal as CallRefusal {
            return .page(problemPage(message(for: refusal), status: .badRequest))
        }
    }

    /// A new password comes first, even before an app.
    mutating func placeAfterSignIn() -> Place {
        defer { session.next = nil }
        if session.next == .newPassword { return .newPassword }
        return session.asked?.place ?? (session.handover == nil ? session.next ?? .home : .goOn)
    }

    /// Keeps only the language.
    mutating func signOut(_ flash: Flash) {
        let language = session.language
        session = WebSession(formToken: pages.randomBytes(16))
        (session.language, session.flash) = (language, flash)
    }

    /// - Throws: As ``callAsUser(_:_:_:api:)``.
    mutating func user() async throws -> AuthUser {
        try AuthUser(json: await callAsUser(.get, "/user"))
    }

    /// A refused request keeps an earlier mail's flow.
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

    /// Begins a flow that returns to ``Place/callback`` (RFC 7636).
    ///
    /// - Parameter handover: The ``WebSession/Handover/id`` of its app.
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
