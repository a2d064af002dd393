package import GatehouseWire

/// Credentials that open nothing by themselves: competing sign-ups' passwords, and what was added before the address's
/// first proof. Using one together with a proof of the mailbox restores it.
package struct SetAside: Equatable, Sendable {
    package struct Password: Equatable, Sendable {
        package let hash: Secret
        /// The sign-up's `user_metadata`.
        package var data: AuthJSONObject
        package let at: Instant
        /// The session that restores it by giving the account's second factor.
        package var session: SessionID?

        package init(hash: Secret, data: AuthJSONObject = [:], at: Instant, session: SessionID? = nil) {
            (self.hash, self.data, self.at, self.session) = (hash, data, at, session)
        }

        package static func == (one: Self, other: Self) -> Bool {
            one.hash.matches(other.hash) && one.data == other.data && one.at == other.at && one.session == other.session
        }
    }

    package struct Passkey: Equatable, Sendable {
        package let id: PasskeyID
        package let name: String
        package let at: Instant
        /// See ``Password/session``.
        package var session: SessionID?

        package init(id: PasskeyID, name: String, at: Instant, session: SessionID? = nil) {
            (self.id, self.name, self.at, self.session) = (id, name, at, session)
        }
    }

    package struct Identity: Equatable, Sendable {
        package let id: IdentityID
        package let provider: String
        package let at: Instant

        package init(id: IdentityID, provider: String, at: Instant) {
            (self.id, self.provider, self.at) = (id, provider, at)
        }
    }

    /// A limit, so that strangers cannot fill the row. The first ones stay.
    package static let mostPasswords = 5

    package var passwords: [Password] = []
    package var passkeys: [Passkey] = []
    package var identities: [Identity] = []
    /// A client requested a code for an unfinished sign-up without its password, so the code does not prove whose
    /// password it is.
    package var isContested = false

    package init() {}

    package var isEmpty: Bool { passwords.isEmpty && passkeys.isEmpty && identities.isEmpty }

    /// For the audit log: `password`, `passkey` and provider names.
    package var methods: [String] {
        (passwords.isEmpty ? [] : ["password"]) + (passkeys.isEmpty ? [] : ["passkey"]) + identities.map(\.provider)
    }

    /// - Parameter isKept: Ignores ``mostPasswords``: it was the account's, or its sign-up's email was used.
    package mutating func add(_ password: Password, isKept: Bool = false) {
        guard isKept || passwords.count < Self.mostPasswords,
            !passwords.contains(where: { $0.hash.matches(password.hash) })
        else { return }
        passwords.append(password)
    }

    package mutating func take(_ hash: Secret) -> Password? {
        passwords.firstIndex { $0.hash.matches(hash) }.map { passwords.remove(at: $0) }
    }
}

extension SetAside {
    /// An array of objects with `type`; nil if empty.
    package var stored: String? {
        let passwords = passwords.map { password in
            Self.entry(
                "password", at: password.at, session: password.session,
                ["hash": .string(password.hash.reveal()), "data": .object(password.data)])
        }
        let passkeys = passkeys.map {
            Self.entry(
                "passkey", at: $0.at, session: $0.session, ["id": .string($0.id.text), "name": .string($0.name)])
        }
        let identities = identities.map {
            Self.entry("identity", at: $0.at, ["id": .string($0.id.text), "provider": .string($0.provider)])
        }
        let contest: [AuthJSON] = isContested ? [["type": "contest"]] : []
        let entries = passwords + passkeys + identities + contest
        return entries.isEmpty ? nil : AuthJSON.array(entries).text
    }

    private static func entry(
        _ type: String, at: Instant, session: SessionID? = nil, _ members: AuthJSONObject
    ) -> AuthJSON {
        var entry: AuthJSONObject = ["type": .string(type), "at": .integer(at.microseconds)]
        if let session { entry["session"] = .string(session.text) }
        return .object(members.merging(entry) { $1 })
    }

    /// Ignores types that only a newer release knows.
    package init(stored: String?) {
        self.init()
        // Ignored: our own JSON. Passkeys and identities keep their own marks.
        let entries = stored.flatMap { try? JSONReader.read($0) }?.arrayValue ?? []
        for entry in entries {
            if entry["type"]?.stringValue == "contest" { isContested = true }
            guard let at = entry["at"]?.intValue.map(Instant.init(microseconds:)) else { continue }
            let session = (entry["session"]?.stringValue).map(SessionID.init(trusted:))
            switch entry["type"]?.stringValue.flatMap(Kind.init(text:)) {
            case .password:
                guard let hash = entry["hash"]?.stringValue else { continue }
                passwords.append(
                    Password(hash: Secret(hash), data: entry["data"]?.objectValue ?? [:], at: at, session: session))
            case .passkey:
                guard let id = (entry["id"]?.stringValue).map(PasskeyID.init(trusted:)) else { continue }
                passkeys.append(
                    Passkey(id: id, name: entry["name"]?.stringValue ?? "", at: at, session: session))
            case .identity:
                guard let id = (entry["id"]?.stringValue).map(IdentityID.init(trusted:)),
                    let provider = entry["provider"]?.stringValue
                else { continue }
                identities.append(Identity(id: id, provider: provider, at: at))
            case nil: continue
            }
        }
    }

    private enum Kind: String, CaseIterable { case password, passkey, identity }
}

extension Account {
    /// Whether a sign-up created the account: `user_metadata` then contains the account's id.
    package var isOfSignUp: Bool {
        // Ignored: our own JSON, so it parses.
        (try? JSONReader.read(user.userMetadata))?["sub"]?.stringValue.map { $0.utf8.elementsEqual(user.id.text.utf8) }
            ?? false
    }

    /// The sign-up's `data`, without the server's members.
    package var enteredMetadata: AuthJSONObject {
        // Ignored: our own JSON. If damaged, nothing is known to have been entered.
        let data = identities.first { !$0.isOfProvider }.flatMap { try? JSONReader.read($0.data) }?.objectValue
        return (data ?? [:]).filter { !AccountMetadata.serverMembers.contains(ExternalName(trusted: $0.key)) }
    }
}
