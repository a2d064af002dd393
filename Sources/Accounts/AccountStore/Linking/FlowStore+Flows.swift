package import AccountDomain
package import GatehouseWire
import SQLDatabase

package enum FlowOutcome: Sendable {
    case taken(ProviderFlow)
    /// Never started, expired, or started with a different provider.
    case unknown
    /// Without PKCE it is ``unknown``, as in Supabase Auth.
    case alreadyUsed
    /// The flow stays valid.
    case otherBrowser
}

extension FlowStore {
    /// Valid for ``ProviderFlow/lifetime``.
    ///
    /// - Parameter browser: The browser's cookie secret; nil for an unbound flow.
    /// - Returns: The state, a UUID and the flow's only key.
    package func begin(_ flow: ProviderFlow, browser: Secret?, at now: Instant) async throws -> String {
        let state: Identifier<ProviderFlow> = accounts.newID()
        let digest = TokenDigest.of(Secret(state.text))
        let content: AuthJSON = ["verifier": .string(flow.verifier.reveal()), "nonce": .string(flow.nonce)]
        let sealed = try accounts.links.seal(content, as: LinkStore.flowSeal, digest)
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
    /// - Parameter provider: In the callback URL, if it names one.
    /// - Throws: ``UnknownServerSecret`` if the configuration lacks the secret.
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
        // Anyone can invent a state, so an invalid one must not cost a write.
        let found = try await database.row(Self.flowLookup(digest), FlowRow.init)
        if let refused = refusal(found) { return refused }
        return try await database.write { db in
            let row = try db.row(Self.flowLookup(digest), FlowRow.init)
            if let refused = refusal(row) { return refused }
            guard let row else { return .unknown }
            let isFirst = try db.run(
                "UPDATE flow_states SET used_at = \(now) WHERE digest = \(digest) AND used_at IS NULL")
            guard isFirst == 1 else { return .alreadyUsed }
            let content = try accounts.links.unseal(row.sealed, as: LinkStore.flowSeal, digest)
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

private struct FlowRow {
    let provider: String
    let browserDigest: [UInt8]?
    let sealed: [UInt8]
    let proofKey: ProofKey?
    let redirectTo: String
    let purpose: ProviderFlow.Purpose
    let expiresAt: Instant
    let isUsed: Bool

    init(_ row: inout Row) {
        provider = row.text()
        browserDigest = row.bytesIfPresent()
        sealed = row.bytes()
        let (challenge, method) = (row.textIfPresent(), row.text())
        proofKey = challenge.flatMap { ProofKey(challenge: $0, method: method) }
        redirectTo = row.text()
        let (user, session): (UserID?, SessionID?) = (row.idIfPresent(), row.idIfPresent())
        purpose = user.map { .link($0, session: session) } ?? .signIn
        expiresAt = row.instant()
        isUsed = row.intIfPresent() != nil
    }
}
