package import GatehouseWire

/// The credentials of an account that open nothing by themselves: passwords of competing sign-ups, and what was added
/// before the first proof of the address. Their holder restores one by using it once together with a proof of the
/// mailbox.
package struct SetAside: Equatable, Sendable {
    package struct Password: Equatable, Sendable {
        package let hash: Secret
        /// The `user_metadata` of the sign-up that chose it.
        package var data: JSONObject
        package let at: Instant

        package init(hash: Secret, data: JSONObject = [:], at: Instant) {
            (self.hash, self.data, self.at) = (hash, data, at)
        }

        package static func == (one: Self, other: Self) -> Bool {
            one.hash.matches(other.hash) && one.data == other.data && one.at == other.at
        }
    }

    package struct Passkey: Equatable, Sendable {
        package let id: PasskeyID
        package let name: String
        package let at: Instant

        package init(id: PasskeyID, name: String, at: Instant) { (self.id, self.name, self.at) = (id, name, at) }
    }

    package struct Identity: Equatable, Sendable {
        package let id: IdentityID
        package let provider: String
        package let at: Instant

        package init(id: IdentityID, provider: String, at: Instant) {
            (self.id, self.provider, self.at) = (id, provider, at)
        }
    }

    /// More passwords than these are not kept, so that strangers' sign-ups cannot fill the row. The first ones stay.
    package static let mostPasswords = 5

    package var passwords: [Password] = []
    package var passkeys: [Passkey] = []
    package var identities: [Identity] = []

    package init() {}

    package var isEmpty: Bool { passwords.isEmpty && passkeys.isEmpty && identities.isEmpty }

    /// `password`, `passkey` and the names of providers, for the audit log.
    package var methods: [String] {
        (passwords.isEmpty ? [] : ["password"]) + (passkeys.isEmpty ? [] : ["passkey"]) + identities.map(\.provider)
    }

    /// Adds a password, unless it is there already or there are ``mostPasswords``.
    package mutating func add(_ password: Password) {
        guard passwords.count < Self.mostPasswords, !passwords.contains(where: { $0.hash.matches(password.hash) })
        else { return }
        passwords.append(password)
    }

    /// Removes the password with this hash.
    ///
    /// - Returns: nil if there is none.
    package mutating func take(_ hash: Secret) -> Password? {
        passwords.firstIndex { $0.hash.matches(hash) }.map { passwords.remove(at: $0) }
    }
}

extension SetAside {
    /// As stored: an array of objects with `type`.
    ///
    /// - Returns: nil if nothing is set aside.
    package var stored: String? {
        let passwords = passwords.map { password in
            Self.entry(
                "password", at: password.at, ["hash": .string(password.hash.reveal()), "data": .object(password.data)])
        }
        let passkeys = passkeys.map {
            Self.entry("passkey", at: $0.at, ["id": .string($0.id.text), "name": .string($0.name)])
        }
        let identities = identities.map {
            Self.entry("identity", at: $0.at, ["id": .string($0.id.text), "provider": .string($0.provider)])
        }
        return isEmpty ? nil : AnyJSON.array(passwords + passkeys + identities).text
    }

    private static func entry(_ type: String, at: Instant, _ members: JSONObject) -> AnyJSON {
        .object(members.merging(["type": .string(type), "at": .integer(at.microseconds)]) { $1 })
    }

    /// - Parameter stored: The result of ``stored``. Entries of a type that only a newer release knows are left out.
    package init(stored: String?) {
        self.init()
        // Ignored: damage to JSON that this program wrote. Passkeys and identities keep their own marks.
        let entries = stored.flatMap { try? JSONReader.read($0) }?.arrayValue ?? []
        for entry in entries {
            guard let at = entry["at"]?.intValue.map(Instant.init(microseconds:)) else { continue }
            switch entry["type"]?.stringValue.flatMap(Kind.init(text:)) {
            case .password:
                guard let hash = entry["hash"]?.stringValue else { continue }
                passwords.append(
                    Password(hash: Secret(hash), data: entry["data"]?.objectValue ?? [:], at: at))
            case .passkey:
                guard let id = (entry["id"]?.stringValue).map(PasskeyID.init(trusted:)) else { continue }
                passkeys.append(Passkey(id: id, name: entry["name"]?.stringValue ?? "", at: at))
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
    /// Whether a sign-up made the account: then the `user_metadata` have the account's id.
    package var isOfSignUp: Bool {
        // Ignored: damage to JSON that this program wrote.
        (try? JSONReader.read(user.userMetadata))?["sub"]?.stringValue.map { $0.utf8.elementsEqual(user.id.text.utf8) }
            ?? false
    }

    /// The `data` of the sign-up that made the account, without the members that the server adds.
    package var enteredMetadata: JSONObject {
        // Ignored: damage to JSON that this program wrote. Nothing is then known to be entered.
        let data = identities.first { $0.provider == "email" }.flatMap { try? JSONReader.read($0.data) }?.objectValue
        return (data ?? [:]).filter { !AccountMetadata.serverMembers.contains(ExternalName(trusted: $0.key)) }
    }
}
