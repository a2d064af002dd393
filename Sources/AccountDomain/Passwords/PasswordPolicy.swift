package import GatehouseWire

/// Why a password is weak. The raw values are part of the API and keep this order.
package enum WeakPasswordReason: String, CaseIterable, Sendable {
    case length, characters, pwned
}

package enum PasswordRefusal: Error, Hashable, Sendable {
    /// Over ``PasswordPolicy/longest`` bytes. Not a question of strength: Supabase Auth answers 400 here, not 422.
    case tooLong
    /// At least one reason, without duplicates, in the order of ``WeakPasswordReason``.
    case weak([WeakPasswordReason])
}

/// The rules for new passwords. Does no I/O.
package struct PasswordPolicy: Hashable, Sendable {
    /// In bytes of UTF-8: bcrypt's limit, so that accounts can move back to Supabase.
    package static let longest = 72
    /// The smallest minimum length that settings can choose.
    package static let lowestMinimum = 6

    /// In Unicode scalars. Supabase Auth counts bytes, so this is never more permissive.
    package let minimumLength: Int
    /// A password needs at least one character of each set.
    package let requiredSets: [String]
    package let refusesCommon: Bool
    /// Words that a password must not consist of, such as the app's name.
    package let forbiddenWords: [String]

    /// - Parameters:
    ///   - minimumLength: Raised to ``lowestMinimum`` if smaller.
    ///   - requiredCharacters: Sets separated by colons. `\:` is a colon within a set; a backslash before any other
    ///     character stands for itself. Empty sets are ignored.
    ///   - refusesCommon: Whether the most common passwords are refused as `pwned`.
    ///   - forbiddenWords: Refused as `pwned` in any case, also surrounded by digits and punctuation.
    package init(
        minimumLength: Int = 8, requiredCharacters: String = "", refusesCommon: Bool = true,
        forbiddenWords: [String] = []
    ) {
        self.minimumLength = max(minimumLength, Self.lowestMinimum)
        requiredSets = Self.sets(in: requiredCharacters)
        self.refusesCommon = refusesCommon
        self.forbiddenWords = forbiddenWords
    }

    /// - Parameter email: The account's address. The password must be neither the address nor its local part.
    /// - Throws: ``PasswordRefusal`` with all reasons at once.
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
        // Addresses beyond the maximum length are refused elsewhere.
        let address = email.flatMap { $0.utf8.count <= 254 ? $0 : nil } ?? ""
        let words = forbiddenWords + [address, String(address.prefix { $0 != "@" })]
        return words.contains { ForbiddenWord.core(of: $0) == core }
    }

    /// The message for clients: that of Supabase Auth, except that the limit is given in bytes, not characters.
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
