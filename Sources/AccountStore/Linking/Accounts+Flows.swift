package import AccountDomain
package import GatehouseWire
import SQLDatabase

package enum FlowOutcome: Sendable {
    case taken(ProviderFlow)
    /// Never started, expired, or started with a different provider.
    case unknown
    /// A flow with PKCE that was already completed. Without PKCE this is ``unknown``, as in Supabase Auth.
    case alreadyUsed
    /// A different browser than the one that started the flow. The flow stays valid.
    case otherBrowser
}

extension Accounts {
    /// Stores a sign-in that continues at a provider, for ``ProviderFlow/lifetime``.
    ///
    /// - Parameter browser: The secret of the browser's cookie; nil if the flow is not bound to a browser.
    /// - Returns: The state, a UUID. It is the only key to the flow.
    package func begin(_ flow: ProviderFlow, browser: Secret?, at now: Instant) async throws -> String {
        let state: Identifier<ProviderFlow> = newID()
        let digest = TokenDigest.of(Secret(state.text))
        let content: AnyJSON = ["verifier": .string(flow.verifier.reveal()), "nonce": .string(flow.nonce)]
        let sealed = try seal(content, as: "flow", digest)
        let (user, session): (UserID?, SessionID?) =
            switch flow.purpose {
            case .signIn: (nil, nil)
            case .link(let user, let session): (user, session)
            }
        let browserDigest = browser.map { SQLValue.bytes(TokenDigest.of($0)) } ?? .null
        try await database.write { db in
            try db.removeExpired(from: .flows, at: now)
            try db.run(
                """
                INSERT INTO flow_states (
                    digest, provider, browser_digest, sealed, challenge, challenge_method, redirect_to, link_to,
                    link_session, created_at, expires_at)
                VALUES (
                    \(digest), \(flow.provider), \(browserDigest), \(sealed), \(flow.proofKey?.challenge),
                    \(flow.proofKey?.method.rawValue), \(flow.redirectTo), \(user), \(session), \(now),
                    \(now + ProviderFlow.lifetime))
                """)
        }
        return state.text
    }

    /// Completes a flow, at most once.
    ///
    /// - Parameters:
    ///   - state: The state that the provider returned.
    ///   - browser: The secret of the browser's cookie, if it sent one.
    ///   - provider: The provider that answered, if the callback URL names it.
    package func take(
        state: String, browser: Secret?, provider: String? = nil, at now: Instant
    ) async throws -> FlowOutcome {
        guard let state = Identifier<ProviderFlow>(state) else { return .unknown }
        let digest = TokenDigest.of(Secret(state.text))
        let refusal: @Sendable (FlowRow?) -> FlowOutcome? = { row in
            guard let row, now < row.expiresAt, provider == nil || provider == row.provider else { return .unknown }
            if row.isUsed { return row.proofKey == nil ? .unknown : .alreadyUsed }
            if let bound = row.browserDigest, browser.map(TokenDigest.of) != bound { return .otherBrowser }
            return nil
        }
        // Anyone can make up a state, so an invalid one must not cost a write.
        let found = try await database.read { db in try db.row(Self.flowLookup(digest), FlowRow.init) }
        if let refused = refusal(found) { return refused }
        return try await database.write { db in
            let row = try db.row(Self.flowLookup(digest), FlowRow.init)
            if let refused = refusal(row) { return refused }
            guard let row else { return .unknown }
            let isFirst = try db.run(
                "UPDATE flow_states SET used_at = \(now) WHERE digest = \(digest) AND used_at IS NULL")
            guard isFirst == 1 else { return .alreadyUsed }
            let content = try unseal(row.sealed, as: "flow", digest)
            guard let verifier = content["verifier"]?.stringValue, let nonce = content["nonce"]?.stringValue else {
                return .unknown
            }
            return .taken(
                ProviderFlow(
                    provider: row.provider, purpose: row.purpose, verifier: Secret(verifier), nonce: nonce,
                    proofKey: row.proofKey, redirectTo: row.redirectTo))
        }
    }

    static func flowLookup(_ digest: [UInt8]) -> SQL {
        """
        SELECT provider, browser_digest, sealed, challenge, challenge_method, redirect_to, link_to, link_session,
            expires_at, used_at
        FROM flow_states WHERE digest = \(digest)
        """
    }
}

/// The columns of ``Accounts/flowLookup(_:)``.
private struct FlowRow {
    let provider: String
    let browserDigest: [UInt8]?
    let sealed: [UInt8]
    let proofKey: ProofKey?
    let redirectTo: String
    let purpose: ProviderFlow.Purpose
    let expiresAt: Instant
    let isUsed: Bool

    init(_ row: any Row) {
        provider = row.text(0)
        browserDigest = row.isNull(1) ? nil : row.bytes(1)
        sealed = row.bytes(2)
        proofKey = row.isNull(3) ? nil : ProofKey(challenge: row.text(3), method: row.text(4))
        redirectTo = row.text(5)
        if let user = row.textIfPresent(6) {
            purpose = .link(UserID(trusted: user), session: row.textIfPresent(7).map(SessionID.init(trusted:)))
        } else {
            purpose = .signIn
        }
        expiresAt = row.instant(8)
        isUsed = !row.isNull(9)
    }
}
