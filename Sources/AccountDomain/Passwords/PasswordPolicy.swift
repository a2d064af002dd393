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
    /// What a password may not consist of: the app's name, for instance.
    package let forbiddenWords: [String]

    /// - Parameters:
    ///   - minimumLength: Raised to ``lowestMinimum`` when it is below.
    ///   - requiredCharacters: Sets with colons between them; `\:` is a colon within a set, and a backslash
    ///     before anything else is itself. Empty sets count for nothing.
    ///   - refusesCommon: Whether the most common passwords are refused as `pwned`.
    ///   - forbiddenWords: Refused as `pwned`, too, also with other letters' case, and with digits and signs around them.
    package init(
        minimumLength: Int = 8, requiredCharacters: String = "", refusesCommon: Bool = true,
        forbiddenWords: [String] = []
    ) {
        self.minimumLength = max(minimumLength, Self.lowestMinimum)
        requiredSets = Self.sets(in: requiredCharacters)
        self.refusesCommon = refusesCommon
        self.forbiddenWords = forbiddenWords
    }

    /// - Parameter email: The account's address. Neither it nor what stands before its `@` makes a password.
    /// - Throws: ``PasswordRefusal`` with every reason at once, so that one more try can be enough.
    package func check(_ password: Secret, of email: String? = nil) throws(PasswordRefusal) {
        guard password.utf8Count <= Self.longest else { throw .tooLong }
        let text = password.reveal()
        var reasons: [WeakPasswordReason] = []
        if text.unicodeScalars.count < minimumLength { reasons.append(.length) }
        if !requiredSets.allSatisfy({ set in text.unicodeScalars.contains(where: set.unicodeScalars.contains) }) {
            reasons.append(.characters)
        }
        if (refusesCommon && CommonPasswords.contains(text)) || isForbidden(text, email) { reasons.append(.pwned) }
        guard reasons.isEmpty else { throw .weak(reasons) }
    }

    private func isForbidden(_ password: String, _ email: String?) -> Bool {
        let core = ForbiddenWord.core(of: password)
        guard core.count >= ForbiddenWord.shortest else { return false }
        // An address that is longer than any address is refused elsewhere.
        let address = email.flatMap { $0.utf8.count <= 254 ? $0 : nil } ?? ""
        let words = forbiddenWords + [address, String(address.prefix { $0 != "@" })]
        return words.contains { ForbiddenWord.core(of: $0) == core }
    }

    /// The text for clients; what Supabase Auth says, word for word except that it calls the limit's bytes characters.
    package func message(for refusal: PasswordRefusal) -> String {
        switch refusal {
        case .tooLong: "Password cannot be longer than \(Self.longest) bytes"
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
