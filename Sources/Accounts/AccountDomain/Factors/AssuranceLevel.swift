package import GatehouseWire

/// NIST SP 800-63B-4, §2. Raw values are stored, and a claim of access tokens.
package enum AssuranceLevel: String, CaseIterable, Comparable, Sendable {
    case aal1, aal2

    package static func < (one: Self, other: Self) -> Bool { one == .aal1 && other == .aal2 }
}

/// A session's `amr` claim: newest first, one entry per method. The only source of the session's level.
package struct AuthenticationEntries: Sendable {
    /// Marks a passkey whose device verified the user, if the settings accept that as two factors.
    package static let verifiedUser = "user_verified"

    private var entries: [AuthJSON]

    /// - Parameter text: A JSON array. Anything else is no entry.
    package init(_ text: String) {
        // Ignored: our own JSON, so it parses.
        entries = (try? JSONReader.read(text))?.arrayValue ?? []
    }

    package var text: String { AuthJSON.array(entries).text }

    package var level: AssuranceLevel { entries.contains(where: Self.raises) ? .aal2 : .aal1 }

    /// When the user gave each proof, in whole seconds. Imported entries with unknown methods are no proof.
    package var times: [Instant] {
        entries.filter { Self.method(of: $0)?.isProof == true }.compactMap { $0["timestamp"]?.intValue }
            .map { Instant(seconds: $0) }
    }

    /// Replaces an entry with the same method.
    ///
    /// - Parameter isUserVerified: See ``verifiedUser``.
    package mutating func add(_ method: AuthenticationMethod, isUserVerified: Bool = false, at now: Instant) {
        remove(method)
        var members: AuthJSONObject = ["method": .string(method.rawValue), "timestamp": .integer(now.seconds)]
        if isUserVerified { members[Self.verifiedUser] = .bool(true) }
        entries.insert(.object(members), at: 0)
    }

    /// Adds the entries that raise another of the user's sessions.
    package mutating func addSecondFactors(of other: AuthenticationEntries) {
        let added = other.entries.filter(Self.raises)
        let methods = added.compactMap(Self.method)
        for method in methods { remove(method) }
        entries = added + entries
    }

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
    var isProof: Bool { self != .anonymous && self != .oauthClient }

    package var isSecondFactor: Bool {
        switch self {
        case .totp, .phoneFactor, .webAuthnFactor, .recoveryCode: true
        case .password, .anonymous, .oauth, .otp, .magicLink, .recovery, .invite, .emailSignUp, .emailChange, .passkey,
            .oauthClient:
            false
        }
    }
}

extension Session {
    /// Setting them updates the level.
    package var entries: AuthenticationEntries {
        get { AuthenticationEntries(authenticationMethods) }
        set {
            authenticationMethods = newValue.text
            assuranceLevel = newValue.level
        }
    }

    /// Removes the methods of second factors that the account no longer has: all of them if the factor that last raised
    /// the session is gone, because the entries do not say which factor gave them.
    ///
    /// - Parameter factors: The account's verified factors.
    package mutating func dropSecondFactors(besides factors: [Factor]) {
        let isKnown = factor.map { id in factors.contains { $0.id == id } } ?? true
        let kept = isKnown ? factors.map(\.kind.method) : []
        for method in AuthenticationMethod.allCases where method.isSecondFactor && !kept.contains(method) {
            entries.remove(method)
        }
        if !isKnown { factor = nil }
    }
}
