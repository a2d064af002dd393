public import Foundation
public import Gatehouse

extension AuthManager {
    /// Answers to ``secondFactor`` and ``proofQuestion``.
    public var proofs: Proofs { Proofs(manager: self) }

    /// Answers ``AuthManager/secondFactor`` and ``AuthManager/proofQuestion``. See ``AuthManager/proofs``.
    ///
    /// After a failure, including ``AuthError/offline(_:)``, the question remains.
    @MainActor
    public struct Proofs {
        let manager: AuthManager
    }
}

extension AuthManager.Proofs {
    /// Proves an authenticator app, or a telephone number after ``sendCode(to:)``, including a new one.
    ///
    /// ```swift
    /// if case .app(let app)? = account.secondFactor?.methods.first {
    ///     try await account.proofs.prove(code: code, of: app.id)
    /// }
    /// ```
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/codeWrong``. Codes are single-use.
    public func prove(code: String, of factor: UUID) async throws(AuthError) {
        try await prove {
            guard let challenge = manager.challenges[factor] else {
                return try await manager.service.verify(code: code, of: factor)
            }
            let session = try await manager.service.verify(code: code, of: factor, answering: challenge)
            manager.challenges[factor] = nil
            return session
        }
    }

    /// Proves a security key.
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/passkeyRefused``; ``AuthError/cancelled`` if the user closed the sheet.
    public func prove(_ factor: UUID, with keys: any PasskeyAuthenticator) async throws(AuthError) {
        try await prove { try await manager.service.verify(factor, with: keys) }
    }

    /// Proves with a recovery code, which is single-use.
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/codeWrong`` or ``AuthError/recoveryCodesLocked(retryAfter:)``.
    public func prove(recoveryCode: String) async throws(AuthError) {
        try await prove { try await manager.service.verify(recoveryCode: recoveryCode) }
    }

    /// Answers ``AuthManager/proofQuestion`` with the password.
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/wrongCredentials``.
    public func prove(password: String) async throws(AuthError) {
        try await prove { try await manager.service.signInAgain(password: password) }
    }

    /// Answers ``AuthManager/proofQuestion`` with a passkey.
    ///
    /// - Throws: ``AuthError/linkOtherAccount`` for another account's; ``AuthError/cancelled`` if the user closed the
    ///   sheet.
    public func prove(with passkeys: any PasskeyAuthenticator) async throws(AuthError) {
        try await prove { try await manager.service.signInAgain(with: passkeys) }
    }

    /// Dismisses ``AuthManager/proofQuestion``: the waiting calls throw ``AuthError/cancelled``.
    public func dismiss() { answer(.dismissed) }

    private func prove(_ work: @escaping @MainActor () async throws -> AuthSession) async throws(AuthError) {
        guard manager.isLoggedIn || manager.secondFactor != nil else { throw .notAuthenticated }
        let mine = manager.epoch
        manager.callCount += 1
        defer { manager.callCount -= 1 }
        do {
            // The screen may close, but the server may have used up the code.
            let session = try await Task { try await manager.linking.complete(after: try await work()) }.value
            guard manager.epoch == mine else { throw AuthError.cancelled }
            // An event may have shown the user already.
            if manager.user == nil, manager.enter(session) { manager.loadProfile() }
            answer(.proven)
        } catch {
            throw AuthError(error)
        }
    }

    func answer(_ answer: ProvedCall.Answer) {
        let waiting = manager.proofWaiters
        manager.proofWaiters = []
        endQuestion()
        for call in waiting { call.hear(answer) }
    }

    /// Asks for a required proof and retries once. Cancellation stops the wait for the user.
    func proving<Value: Sendable>(_ work: @MainActor () async throws -> Value) async throws -> Value {
        let call = ProvedCall()
        return try await withTaskCancellationHandler {
            try await proving(call, work)
        } onCancel: {
            Task { @MainActor in abandon(call) }
        }
    }

    /// Cancellation does not interrupt a request.
    func provingToTheEnd<Value: Sendable>(_ work: @escaping @MainActor () async throws -> Value) async throws -> Value {
        let call = ProvedCall()
        let task = Task { try await proving(call, work) }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            Task { @MainActor in abandon(call) }
        }
    }

    private func proving<Value: Sendable>(
        _ call: ProvedCall, _ work: @MainActor () async throws -> Value
    ) async throws -> Value {
        let owner = manager.user?.id
        do {
            return try await work()
        } catch {
            guard manager.answersProofQuestions, let need = ProofNeed(error), await ask(need) else { throw error }
            switch await answer(for: call) {
            // The other account's user has not requested the change.
            case .proven where manager.user?.id != owner: throw AuthError.cancelled
            case .proven: return try await work()
            case .dismissed: throw AuthError.cancelled
            case .notShown: throw error
            }
        }
    }

    private func endQuestion() {
        manager.proofScreen.ended()
        manager.proofQuestion = nil
    }

    /// Other calls may wait for the question.
    private func abandon(_ call: ProvedCall) {
        call.isAbandoned = true
        let isWaiting = manager.proofWaiters.contains { $0 === call }
        manager.proofWaiters.removeAll { $0 === call }
        if isWaiting, manager.proofWaiters.isEmpty { endQuestion() }
        call.hear(.dismissed)
    }

    /// - Returns: Whether the user can answer.
    private func ask(_ need: ProofNeed) async -> Bool {
        let mine = manager.epoch
        guard let account = await manager.service.currentSession?.user else { return false }
        let methods = await proofMethods(of: account, for: need)
        guard manager.epoch == mine, manager.user?.id == account.id, !methods.isEmpty else { return false }
        if manager.proofQuestion == nil {
            manager.proofQuestion = ProofQuestion(userID: account.id, need: need, methods: methods)
            manager.proofScreen.expect(of: manager) { $0.proofs.answer(.notShown) }
        }
        return true
    }

    private func answer(for call: ProvedCall) async -> ProvedCall.Answer {
        if call.isAbandoned {
            if manager.proofWaiters.isEmpty { endQuestion() }
            return .dismissed
        }
        // This call finds out whether another's answer suffices.
        if manager.proofQuestion == nil { return manager.isLoggedIn ? .proven : .dismissed }
        manager.proofWaiters.append(call)
        return await call.answer()
    }

    /// The first factor suffices only without a second one.
    private func proofMethods(of account: AuthUser, for need: ProofNeed) async -> [ProofMethod] {
        var account = account
        // Ignored: the session's factors, possibly older, are used.
        if let factors = try? await manager.service.factors() { account.factors = factors }
        let methods = ProofMethod.factors(of: account)
        guard methods.isEmpty, need == .freshProof else { return methods }
        // Ignored: without the list of passkeys, the password is offered.
        let hasPasskey = (try? await manager.service.passkeys())?.contains { $0.setAsideAt == nil } == true
        let hasPassword =
            (account.identities ?? []).contains { $0.provider == AuthMethod.email.rawValue }
            && !account.setAside.contains { $0.kind == .password }
        return (hasPasskey ? [.passkey] : []) + (hasPassword ? [.password] : [])
    }
}

@MainActor final class ProvedCall {
    enum Answer: Sendable {
        case proven
        case dismissed
        case notShown
    }

    var isAbandoned = false
    private var waiter: CheckedContinuation<Answer, Never>?

    func answer() async -> Answer { await withCheckedContinuation { waiter = $0 } }

    func hear(_ answer: Answer) {
        waiter?.resume(returning: answer)
        waiter = nil
    }
}
