import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing

extension TokenIssuing {
    /// Hook calls for one session whose account keeps changing.
    private static let mostQuestions = 3

    /// Runs work that may create an account, or open or raise a session. Hooks are called before it commits, outside of
    /// any transaction. A failed hook or a rejection changes nothing and leaves codes unused.
    ///
    /// - Parameters:
    ///   - store: Creates accounts unasked; nil if `before_user_created` decides.
    ///   - body: Rolled back until the hook has agreed to exactly its tokens. If only metadata keeps changing, possibly
    ///     by the hook itself, its last response is used.
    func issuing<Value: Sendable>(
        to device: Device, by store: Accounts? = nil, _ body: (Accounts, Instant) async throws -> Value
    ) async throws -> Value {
        guard let store else {
            return try await server.creating(from: device) { try await issuing(to: device, by: $0, body) }
        }
        let now = runtime.now()
        guard hooks?[.customAccessToken] != nil else { return try await body(store, now) }
        var agreeing = store.agreeing { throw TokenQuestion(session: $0) }
        for asked in 1...Self.mostQuestions {
            do {
                return try await body(agreeing, now)
            } catch let question as TokenQuestion {
                let agreement = try await agreement(
                    about: question.session, to: device, ignoresMetadata: asked == Self.mostQuestions, at: now)
                agreeing = agreeing.agreeing(agreement)
            }
        }
        do {
            return try await body(agreeing, now)
        } catch is TokenQuestion {
            throw Refusal(HookFailure.outdated)
        }
    }

    /// - Returns: The next run's check.
    private func agreement(
        about shown: IssuedSession, to device: Device, ignoresMetadata: Bool, at now: Instant
    ) async throws -> @Sendable (IssuedSession) throws -> AgreedToken {
        let own = ownToken(of: shown, issuedAt: now.seconds)
        let token = try await agreed(own, of: shown, to: device)
        @Sendable func claims(_ session: IssuedSession) -> [UInt8] {
            ownToken(of: session, issuedAt: now.seconds, hasMetadata: !ignoresMetadata).claims
        }
        return { latest in
            guard claims(latest) == claims(shown) else { throw TokenQuestion(session: latest) }
            return token
        }
    }

    /// - Returns: The server's own token if there is no hook, it says nothing, or its failure is allowed.
    func agreed(
        _ own: AgreedToken, of issued: IssuedSession, to device: Device, isRefresh: Bool = false
    ) async throws -> AgreedToken {
        guard let hook = hooks?[.customAccessToken] else { return own }
        let claims = try JSONReader.read(own.claims).objectValue ?? [:]
        let method = claims["amr"]?.arrayValue?.first?["method"]?.stringValue ?? ""
        do {
            let answer = try await server.ask(.customAccessToken, from: device.address) { writer in
                writer.member("user_id", issued.account.user.id.text)
                writer.member("claims", .object(claims))
                writer.member("authentication_method", isRefresh ? "token_refresh" : method)
            }
            guard let answer else { return own }
            do throws(HookFailure) {
                let custom = try CustomClaims(answer, own: claims, within: settings.tokenRoom)
                return AgreedToken(claims: custom.bytes, expiresAt: custom.expiresAt)
            } catch {
                try server.pass(error, of: .customAccessToken, hook)
                return own
            }
        } catch let failure as HookFailure {
            throw Refusal(failure, isRefresh: isRefresh)
        }
    }
}

/// Rolls back the session's transaction until the hook has agreed to its tokens.
private struct TokenQuestion: Error, Unprinted {
    let session: IssuedSession

    var description: String { "a token needs an agreement" }
}
