package import GatehouseWire

/// The authenticator assurance level of a session (NIST SP 800-63B-4, §2). The raw values are stored, and a claim of
/// access tokens.
package enum AssuranceLevel: String, CaseIterable, Comparable, Sendable {
    case aal1, aal2

    package static func < (one: Self, other: Self) -> Bool { one == .aal1 && other == .aal2 }
}

/// How and when the user of a session authenticated: its `amr` claim, newest first, with one entry for each method.
///
/// The entries are the only source of a session's level. A row and a token take it from here.
package struct AuthenticationEntries: Sendable {
    /// Marks the entry of a passkey whose device verified the user, if the settings let that count as two factors.
    package static let verifiedUser = "user_verified"

    private var entries: [AuthJSON]

    /// - Parameter text: A JSON array. Anything else counts as no entry.
    package init(_ text: String) {
        // Ignored: this program wrote the JSON, so it parses.
        entries = (try? JSONReader.read(text))?.arrayValue ?? []
    }

    /// The JSON array.
    package var text: String { AuthJSON.array(entries).text }

    package var level: AssuranceLevel { entries.contains(where: Self.raises) ? .aal2 : .aal1 }

    /// When the user last gave each proof, in whole seconds. An entry with another method, which an import may bring, is no
    /// proof.
    package var times: [Instant] {
        entries.filter { Self.method(of: $0)?.isProof == true }.compactMap { $0["timestamp"]?.intValue }
            .map { Instant(seconds: $0) }
    }

    /// Adds an entry, or renews the time of the one with this method.
    ///
    /// - Parameter isUserVerified: For a passkey: see ``verifiedUser``.
    package mutating func add(_ method: AuthenticationMethod, isUserVerified: Bool = false, at now: Instant) {
        remove(method)
        var members: AuthJSONObject = ["method": .string(method.rawValue), "timestamp": .integer(now.seconds)]
        if isUserVerified { members[Self.verifiedUser] = .bool(true) }
        entries.insert(.object(members), at: 0)
    }

    /// Adds the entries of another session of the user that raise it, with their times.
    package mutating func addSecondFactors(of other: AuthenticationEntries) {
        let added = other.entries.filter(Self.raises)
        let methods = added.compactMap(Self.method)
        for method in methods { remove(method) }
        entries = added + entries
    }

    /// Removes every entry that raises the session.
    package mutating func removeSecondFactors() { entries.removeAll(where: Self.raises) }

    package mutating func remove(_ method: AuthenticationMethod) {
        entries.removeAll { Self.method(of: $0) == method }
    }

    private static func method(of entry: AuthJSON) -> AuthenticationMethod? {
        entry["method"]?.stringValue.flatMap(AuthenticationMethod.init(text:))
    }

    private static func raises(_ entry: AuthJSON) -> Bool {
        guard let method = method(of: entry) else { return false }
        if method == .passkey { return entry[verifiedUser]?.boolValue == true }
        return method.isSecondFactor
    }
}

extension AuthenticationMethod {
    /// Whether its user showed who they are.
    var isProof: Bool { self != .anonymous }

    /// Whether an entry of the method raises a session to aal2.
    package var isSecondFactor: Bool {
        switch self {
        case .totp, .phoneFactor, .webAuthnFactor, .recoveryCode: true
        case .password, .anonymous, .oauth, .otp, .magicLink, .recovery, .invite, .emailSignUp, .emailChange, .passkey:
            false
        }
    }
}

extension Session {
    /// The entries of ``authenticationMethods``. The level follows every change.
    package var entries: AuthenticationEntries {
        get { AuthenticationEntries(authenticationMethods) }
        set {
            authenticationMethods = newValue.text
            assuranceLevel = newValue.level
        }
    }

    /// Takes away the methods of second factors that the account does not have. A session that such a factor raised last
    /// loses the methods of all: it is unknown which factors gave the others.
    ///
    /// - Parameter factors: The verified ones of the account.
    package mutating func dropSecondFactors(besides factors: [Factor]) {
        let isKnown = factor.map { id in factors.contains { $0.id == id } } ?? true
        let kept = isKnown ? factors.map(\.kind.method) : []
        for method in AuthenticationMethod.allCases where method.isSecondFactor && !kept.contains(method) {
            entries.remove(method)
        }
        if !isKnown { factor = nil }
    }
}
