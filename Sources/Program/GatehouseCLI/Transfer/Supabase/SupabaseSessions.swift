import AccountDomain
import AccountStore
import GatehouseWire

/// A Supabase account's sessions ([User sessions](https://supabase.com/docs/guides/auth/sessions)).
struct SupabaseSessions {
    enum Fate {
        case comes(ImportedSession)
        /// Skipped, with the session's id.
        case stays(Remark, String)
    }

    private let account: Account
    private let policy: SessionPolicy
    private let now: Instant
    /// By session; newest first.
    private let tokens: [ExternalName: [LineColumns]]
    private let claims: [ExternalName: [LineColumns]]

    init(_ whole: AuthJSONObject, of account: Account, policy: SessionPolicy, now: Instant) {
        self.account = account
        self.policy = policy
        self.now = now
        tokens = Self.bySession(whole["tokens"])
        claims = Self.bySession(whole["claims"])
    }

    private static func bySession(_ rows: AuthJSON?) -> [ExternalName: [LineColumns]] {
        let pairs = (rows?.arrayValue ?? []).compactMap { row -> (ExternalName, LineColumns)? in
            guard let members = row.objectValue,
                let session = members["session_id"]?.stringValue.flatMap({ ExternalName($0.lowercased()) })
            else { return nil }
            return (session, LineColumns(members))
        }
        return Dictionary(grouping: pairs) { $0.0 }.mapValues { $0.map(\.1) }
    }

    func session(_ row: AuthJSON) -> Fate {
        guard let members = row.objectValue, let id = members["id"]?.stringValue.flatMap({ SessionID($0) }) else {
            return .stays(.sessionUnreadable, "")
        }
        do throws(LineProblem) {
            return try session(id, LineColumns(members))
        } catch {
            return .stays(.sessionUnreadable, id.text)
        }
    }

    private func session(_ id: SessionID, _ row: LineColumns) throws(LineProblem) -> Fate {
        // Only single sign-on sessions have an explicit end.
        if try row.time("not_after") != nil { return .stays(.sessionExpired, id.text) }
        let name = ExternalName(trusted: id.text)
        let chain = try SupabaseTokens(session: id, row, tokens[name] ?? [], raisedAt: try raisedAt(claims[name] ?? []))
        guard let createdAt = try row.time("created_at") else { return .stays(.sessionUnreadable, id.text) }
        let level = try row.text("aal") ?? "aal1"
        guard ["aal1", "aal2", "aal3"].contains(level) else { return .stays(.sessionUnreadable, id.text) }
        if chain.isEncrypted { return .stays(.sessionUnreadable, id.text) }
        guard chain.tokens.contains(where: { $0.age == .current }) else { return .stays(.sessionEnded, id.text) }
        let methods = try methods(of: id.text, createdAt)
        let entries = AuthenticationEntries(AuthJSON.array(methods.map(\.entry)).text)
        var session = Session(
            id: id, user: account.user.id, createdAt: createdAt,
            refreshedAt: try row.time("refreshed_at") ?? chain.refreshedAt, assuranceLevel: entries.level,
            authenticationMethods: entries.text)
        // Factors keep their ids.
        session.factor = try row.text("factor_id").flatMap { FactorID($0) }
        session.levelCounter = chain.levelCounter
        if policy.hasEnded(session, at: now) { return .stays(.sessionExpired, id.text) }
        let device = Device(userAgent: try row.text("user_agent"), address: try row.text("ip").map(Self.address))
        return .comes(
            ImportedSession(
                session: session, device: device, identity: opener(methods.map(\.name)), tokens: chain.tokens))
    }

    /// When a session got its newest second factor, ignoring that factor's later uses.
    private func raisedAt(_ claims: [LineColumns]) throws(LineProblem) -> Instant? {
        var newest: Instant?
        for claim in claims {
            let method = try claim.text("authentication_method").flatMap { AuthenticationMethod(text: $0) }
            guard method?.isSecondFactor == true else { continue }
            let (createdAt, updatedAt) = (try claim.time("created_at"), try claim.time("updated_at"))
            if let at = createdAt ?? updatedAt { newest = max(newest ?? at, at) }
        }
        return newest
    }

    /// PostgreSQL's `inet` may include a prefix length.
    private static func address(_ text: String) -> String { String(text.prefix { $0 != "/" }) }

    private struct Method {
        let name: String
        let at: Instant

        var entry: AuthJSON { ["method": .string(name), "timestamp": .integer(at.seconds)] }
    }

    /// Newest first.
    private func methods(of session: String, _ createdAt: Instant) throws(LineProblem) -> [Method] {
        var methods: [Method] = []
        for claim in claims[ExternalName(trusted: session)] ?? [] {
            guard let name = try claim.text("authentication_method") else { continue }
            methods.append(Method(name: name, at: try claim.time("updated_at") ?? createdAt))
        }
        if methods.isEmpty {
            methods = [Method(name: account.user.passwordHash == nil ? "oauth" : "password", at: createdAt)]
        }
        return methods.sorted { $0.at > $1.at }
    }

    /// The identity that opened the session, if its provider has only one here. Unlinking it ends the session.
    private func opener(_ methods: [String]) -> IdentityID? {
        let providers = account.identities.filter(\.isOfProvider)
        return methods.last == "oauth" && providers.count == 1 ? providers[0].id : nil
    }
}
