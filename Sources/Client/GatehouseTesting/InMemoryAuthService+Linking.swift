public import Foundation
public import Gatehouse
import GatehouseModel

// Browser sign-in.
extension InMemoryAuthService {
    public func signIn(with provider: Provider, in browser: any WebAuthenticator) async throws -> Session {
        try await finish(.signIn, provider, browser)
    }

    public func link(_ provider: Provider, in browser: any WebAuthenticator) async throws -> Session {
        _ = try await fresh()
        try await exchange(.startLinkInBrowser) { _, _ in
        } then: { _, _ in
        }
        return try await finish(.link, provider, browser)
    }

    private func finish(
        _ flow: InMemoryDevice.Flow, _ provider: Provider, _ browser: any WebAuthenticator
    ) async throws -> Session {
        let id = state.withLock { state in
            let id = "flow-\(state.server.number())"
            state.device.flows[id] = flow
            return id
        }
        defer { state.withLock { $0.device.flows[id] = nil } }
        let sent = Locked<URL?>(nil)
        let back = try await browser.authenticate { redirectTo in
            sent.withLock { $0 = redirectTo }
            let flow = ScriptedFlow(id: id, provider: provider, redirectTo: redirectTo.absoluteString)
            guard let address = flow.address else { throw AuthClientError.unknownFlow }
            return address
        }
        if let redirect = sent.withLock({ $0 }), !back.isAnswer(to: redirect) {
            throw AuthClientError.invalidCallback
        }
        return try await finish(from: back)
    }

    private func finish(from redirect: URL) async throws -> Session {
        let values = redirect.queryValues
        if let error = values["error_code"] ?? values["error"] {
            throw Fault.refused(0, AuthErrorCode(rawValue: error))
        }
        guard let code = values["code"].flatMap(ScriptedFlow.read) else { throw AuthClientError.unknownFlow }
        let (flow, kept) = state.withLock { ($0.device.flows[code.id], $0.device.kept) }
        return try await opened(.finishInBrowser, continues: flow == .link) { server, now, _ throws(AuthClientError) in
            switch flow {
            case .signIn: return try server.signIn(code.token, at: now)
            case .link: return try server.link(code.token, to: kept, at: now)
            case nil: throw .unknownFlow
            }
        }
    }
}

// Answers to a question.
extension InMemoryAuthService {
    public func confirmLink(_ ticket: LinkTicket) async throws -> Session {
        let kept = try await fresh()
        return try await opened(.confirmLink, continues: true) { server, now, _ throws(AuthClientError) in
            try server.requireLevel(kept.id)
            let opened = try server.confirm(ticket, for: kept.session.user.id, at: now)
            return try server.keepLevel(of: kept.id, in: opened, at: now)
        }
    }

    public func confirmLink(_ ticket: LinkTicket, email: String, password: String) async throws -> Session {
        try await opened(.confirmLink) { server, now, _ throws(AuthClientError) in
            try server.confirm(ticket, email, password, at: now)
        }
    }

    public func sendLinkCode(for ticket: LinkTicket) async throws {
        let now = clock.now
        try await exchange(.sendLinkCode) { server, _ in
            try server.mailLinkCode(ticket, at: now)
        } then: { _, _ in
        }
    }

    public func confirmLink(_ ticket: LinkTicket, code: String) async throws -> Session {
        try await opened(.confirmLink) { server, now, _ throws(AuthClientError) in
            try server.confirm(ticket, code: code, at: now)
        }
    }

    public func recoverAccount(with ticket: LinkTicket) async throws -> Session {
        try await opened(.recoverAccount) { server, now, _ throws(AuthClientError) in
            try server.recover(ticket, at: now)
        }
    }
}

// Sign-in methods of the signed-in user.
extension InMemoryAuthService {
    public func identities() async throws -> [UserIdentity] {
        try await asUser(.identities) { _, _ throws(AuthClientError) in }.identities ?? []
    }

    public func link(with credentials: OpenIDConnectCredentials) async throws -> Session {
        let kept = try await fresh()
        return try await opened(.link, continues: true) { server, now, fault throws(AuthClientError) in
            var token = try InMemoryServer.token(of: credentials)
            if fault == .nameIgnored { token.name = nil }
            return try server.link(token, to: kept, at: now)
        }
    }

    public func unlink(_ identity: UserIdentity) async throws {
        try await asUser(.unlink) { server, kept throws(AuthClientError) in
            try server.unlink(identity.identityID, by: kept)
        }
    }

    public func undoableLinks() async throws -> [UndoableLink] {
        let (kept, now) = (try await fresh(), clock.now)
        try await asUser(.undoableLinks) { _, _ throws(AuthClientError) in }
        return state.withLock { $0.server.undoableLinks(of: kept.session.user.id, at: now) }
    }

    public func undoLink(identityID: UUID) async throws {
        let now = clock.now
        try await asUser(.undoLink, then: .userUpdated) { server, kept throws(AuthClientError) in
            try server.undo(identityID, by: kept, at: now)
        }
    }

    public func checkAppleCredential(_ credentials: AppleCredentials) async -> Bool {
        let kept = state.withLock { state in
            state.restore()
            return state.device.isRestored ? state.device.kept : nil
        }
        guard let kept else { return false }
        let people = (kept.session.user.identities ?? []).filter { $0.provider == Provider.apple.rawValue }.map(\.id)
        var revoked: Set<String> = []
        for person in people {
            switch await credentials.state(person) {
            case .revoked: revoked.insert(person)
            case .authorized:
                state.withLock { _ = $0.device.revoked.remove(person) }
                return false
            case .notFound, .transferred, .unavailable: return false
            }
        }
        return state.withLock { [revoked] state in
            guard !revoked.isSubset(of: state.device.revoked), state.device.kept?.id == kept.id else { return false }
            state.device.revoked.formUnion(revoked)
            state.server.sessions[kept.id] = nil
            state.device.end(.consentRevoked)
            return true
        }
    }
}
