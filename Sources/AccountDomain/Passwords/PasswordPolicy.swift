package import GatehouseWire

/// Why a password is weak. The raw values go over the wire, in this order.
package enum WeakPasswordReason: String, CaseIterable, Sendable {
    case length, characters, pwned
}

package enum PasswordRefusal: Error, Hashable, Sendable {
    /// Over ``PasswordPolicy/longest`` bytes. Not a matter of strength: Supabase Auth answers 400 here, not 422.
    case tooLong
    /// At least one reason, each once, in the order of ``WeakPasswordReason``.
    case weak([WeakPasswordReason])
}

/// Which passwords a person may choose. Decides; reads no list from disk and asks no service.
package struct PasswordPolicy: Hashable, Sendable {
    /// Bytes of UTF-8: what bcrypt reads, kept so that accounts can move back to Supabase.
    package static let longest = 72
    /// No setting goes below this many characters.
    package static let lowestMinimum = 6

    /// Unicode scalars. Never more than the bytes Supabase Auth counts here, so never laxer than it.
    package let minimumLength: Int
    /// Of each set at least one character has to occur.
    package let requiredSets: [String]
    package let refusesCommon: Bool

    /// - Parameters:
    ///   - minimumLength: Raised to ``lowestMinimum`` when it is below.
    ///   - requiredCharacters: Sets with colons between them; `\:` is a colon within a set, and a backslash
    ///     before anything else is itself. Empty sets count for nothing.
    ///   - refusesCommon: Whether the most common passwords are refused as `pwned`.
    package init(minimumLength: Int = 8, requiredCharacters: String = "", refusesCommon: Bool = true) {
        self.minimumLength = max(minimumLength, Self.lowestMinimum)
        requiredSets = Self.sets(in: requiredCharacters)
        self.refusesCommon = refusesCommon
    }

    /// - Throws: ``PasswordRefusal`` with every reason at once, so that one more try can be enough.
    package func check(_ password: Secret) throws(PasswordRefusal) {
        guard password.utf8Count <= Self.longest else { throw .tooLong }
        let text = password.reveal()
        var reasons: [WeakPasswordReason] = []
        if text.unicodeScalars.count < minimumLength { reasons.append(.length) }
        if !requiredSets.allSatisfy({ set in text.unicodeScalars.contains(where: set.unicodeScalars.contains) }) {
            reasons.append(.characters)
        }
        if refusesCommon, CommonPasswords.contains(text) { reasons.append(.pwned) }
        guard reasons.isEmpty else { throw .weak(reasons) }
    }

    /// The text for clients; word for word what Supabase Auth says, because apps compare it.
    package func message(for refusal: PasswordRefusal) -> String {
        switch refusal {
        case .tooLong: "Password cannot be longer than \(Self.longest) characters"
        case .weak(let reasons): reasons.map(sentence).joined(separator: " ")
        }
    }

    private func sentence(_ reason: WeakPasswordReason) -> String {
        switch reason {
        case .length:
            "Password should be at least \(minimumLength) characters."
        case .characters:
            "Password should contain at least one character of each: \(requiredSets.joined(separator: ", "))."
        case .pwned:
            "Password is known to be weak and easy to guess, please choose a different one."
        }
    }

    private static func sets(in text: String) -> [String] {
        var sets = [""]
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "\\", rest.first == ":" {
                rest.removeFirst()
                sets[sets.count - 1].unicodeScalars.append(":")
            } else if scalar == ":" {
                sets.append("")
            } else {
                sets[sets.count - 1].unicodeScalars.append(scalar)
            }
        }
        return sets.filter { !$0.isEmpty }
    }
}
