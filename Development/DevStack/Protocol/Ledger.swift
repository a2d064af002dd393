import GatehouseWire
import Synchronization

struct Grant: Sendable {
    let client: String
    let visitor: Visitor
    let scopes: [String]
    let authorizedAt: Instant
    /// nil for native sign-in.
    var redirectURI: String?
    var nonce: String?
    /// S256 (RFC 7636 §4.2).
    var challenge: String?
    var mayRefresh = true
}

/// In memory, bounded by evicting the oldest entries.
final class Ledger: Sendable {
    static let capacity = 1_000

    struct Code: Sendable {
        let grant: Grant
        let expiresAt: Instant
        var isUsed = false
    }

    struct Token: Sendable {
        enum Kind: String, CaseIterable, Sendable {
            case access = "access_token"
            case refresh = "refresh_token"
        }

        let kind: Kind
        let grant: Grant
        /// nil: valid until revoked.
        let expiresAt: Instant?
    }

    private struct State {
        var codes = Bounded<Code>(capacity: Ledger.capacity)
        var tokens = Bounded<Token>(capacity: Ledger.capacity)
        var consents = Bounded<(client: String, subject: String)>(capacity: Ledger.capacity)
        var revocations: [Revocation] = []
    }

    private let randomBytes: @Sendable (Int) -> [UInt8]
    private let state = Mutex(State())

    init(randomBytes: @escaping @Sendable (Int) -> [UInt8]) { self.randomBytes = randomBytes }

    /// 32 random bytes after a prefix for the kind of token.
    private func text(_ prefix: String) -> String { prefix + Base64URL.text(randomBytes(32)) }
}

extension Ledger {
    func issueCode(for grant: Grant, until end: Instant) -> String {
        let text = text("code-")
        state.withLock { $0.codes.insert(Code(grant: grant, expiresAt: end), for: text) }
        return text
    }

    func code(_ text: String) -> Code? { state.withLock { $0.codes[text] } }

    /// - Returns: Whether this was the first use.
    func use(_ text: String) -> Bool {
        state.withLock { state in
            guard var code = state.codes[text], !code.isUsed else { return false }
            code.isUsed = true
            state.codes.insert(code, for: text)
            return true
        }
    }

    func issue(_ kind: Token.Kind, for grant: Grant, until end: Instant?) -> String {
        let text = text(kind == .access ? "access-" : "refresh-")
        state.withLock { $0.tokens.insert(Token(kind: kind, grant: grant, expiresAt: end), for: text) }
        return text
    }

    /// - Returns: nil also for an expired token.
    func token(_ text: String, at now: Instant) -> Token? {
        guard let token = state.withLock({ $0.tokens[text] }) else { return nil }
        if let end = token.expiresAt, now >= end { return nil }
        return token
    }
}

extension Ledger {
    /// - Returns: Whether the provider sends the user's name, as with the first consent.
    func noteConsent(_ client: String, _ visitor: Visitor) -> Bool {
        state.withLock { state in
            let key = client + " " + visitor.subject
            guard state.consents[key] == nil else { return false }
            state.consents.insert((client, visitor.subject), for: key)
            return true
        }
    }

    /// Also invalidates everything that was issued. nil ends all clients' consents.
    func endConsent(_ client: String?, subject: String) {
        let isOver: @Sendable (String, String) -> Bool = { $1 == subject && (client == nil || client == $0) }
        state.withLock { state in
            state.codes.remove { isOver($0.grant.client, $0.grant.visitor.subject) }
            state.tokens.remove { isOver($0.grant.client, $0.grant.visitor.subject) }
            state.consents.remove { isOver($0.client, $0.subject) }
        }
    }

    func record(_ revocation: Revocation) {
        state.withLock { state in
            if state.revocations.count == Ledger.capacity { state.revocations.removeFirst() }
            state.revocations.append(revocation)
        }
    }

    var revocations: [Revocation] { state.withLock { $0.revocations } }
}
