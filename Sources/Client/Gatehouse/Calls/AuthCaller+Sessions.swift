import Foundation

// Requests that open and refresh sessions.
extension AuthCaller {
    /// Opens a session, bound to a new key of this device, or to the key of the session that makes the request.
    func session(_ request: AuthRequest, bearer: String? = nil) async throws -> TimedAnswer {
        try Self.session(try await answer(request, bearer: bearer))
    }

    /// As ``session(_:bearer:)``, or the user must confirm first.
    func answer(_ request: AuthRequest, bearer: String? = nil) async throws -> TimedReply {
        if let stored = proofs.key(of: bearer), let key = try opened(stored) {
            return try await answer(request, bearer: bearer, with: key)
        }
        guard let key = try formerKey(of: request) ?? newKey() else {
            return try await answer(request, bearer: bearer, with: nil)
        }
        do {
            return try await answer(request, bearer: bearer, with: key)
        } catch AuthClientError.refused(let refusal) where refusal.isAboutProof {
            let found = try await answer(request, bearer: bearer, with: nil)
            proofs.stop()
            return found
        }
    }

    /// - Parameter key: The session's.
    func refreshed(_ refreshToken: String, with key: OpenKey?) async throws -> TimedAnswer {
        try Self.session(try await answer(.refresh(refreshToken), bearer: nil, with: key))
    }

    /// New tokens of the same session, which keeps its key.
    func raised(_ request: AuthRequest, bearer: String) async throws -> TimedAnswer {
        let key = try proofs.key(of: bearer).flatMap { try opened($0) }
        return try Self.session(try await answer(request, bearer: bearer, with: key))
    }

    private func answer(_ request: AuthRequest, bearer: String?, with key: OpenKey?) async throws -> TimedReply {
        let (sentAt, sentDate) = (clock.uptime(), clock.now())
        let reply =
            if let key {
                try await send(request, bearer: bearer, provenBy: key.signer)
            } else {
                try await send(request, bearer: bearer)
            }
        let answer = try Self.read(reply) { json throws(WireProblem) in try AuthAnswer(json: json) }
        return TimedReply(answer: answer) { answer in
            TimedAnswer(
                answer: answer, sentAt: sentAt, sentDate: sentDate, serverDate: reply.date, key: key?.stored)
        }
    }

    /// With a proof of the key, which is repeated once with the server's nonce (RFC 9449 §8).
    func send(_ request: AuthRequest, bearer: String?, provenBy key: any DeviceKey) async throws -> HTTPReply {
        do {
            return try await send(try proven(request, bearer, key))
        } catch AuthClientError.refused(let refusal) where refusal.code == .useNonce {
            return try await send(try proven(request, bearer, key))
        }
    }

    private func proven(_ request: AuthRequest, _ bearer: String?, _ key: any DeviceKey) throws -> HTTPCall {
        var call = try call(request, bearer: bearer)
        do throws(KeyProblem) {
            call.headers["dpop"] = try proofs.proof(by: key, for: call, accessToken: bearer)
        } catch {
            guard case .unavailable(let problem) = error else { throw error }
            throw AuthClientError.storeUnavailable(problem)
        }
        return call
    }

    /// Of the session whose refresh token the request has, if this client had it.
    private func formerKey(of request: AuthRequest) throws -> OpenKey? {
        guard let token = request.body?["refresh_token"]?.stringValue else { return nil }
        return try proofs.key(ofRefreshToken: token).flatMap { try opened($0) }
    }

    private func newKey() -> OpenKey? {
        guard !proofs.areRefused, let stored = keys.make() else { return nil }
        // Ignored: the session gets a key later.
        return (try? keys.open(stored)).map { OpenKey(stored: stored, signer: $0) }
    }

    /// nil without the key: the server then refuses, and the next refresh ends the session.
    func opened(_ stored: StoredKey) throws(AuthClientError) -> OpenKey? {
        do throws(KeyProblem) { return OpenKey(stored: stored, signer: try keys.open(stored)) } catch {
            if case .unavailable(let problem) = error { throw .storeUnavailable(problem) }
            return nil
        }
    }

    private static func session(_ reply: TimedReply) throws(AuthClientError) -> TimedAnswer {
        guard case .session(let session) = reply.answer else {
            throw .unexpectedAnswer("session.access_token: expected a string")
        }
        return reply.timed(session)
    }
}

struct TimedReply: Sendable {
    let answer: AuthAnswer
    let timed: @Sendable (AuthSessionAnswer) -> TimedAnswer
}
