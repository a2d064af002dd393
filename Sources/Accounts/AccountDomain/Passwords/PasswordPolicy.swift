package import GatehouseWire

/// Why a password is weak. The raw values are part of the API and keep this order.
package enum WeakPasswordReason: String, CaseIterable, Sendable {
    case length, characters, pwned
}

/// Why a password is refused.
package enum PasswordRefusal: Error, Hashable, Sendable {
    /// Over ``PasswordPolicy/longest`` bytes. Not a question of strength: Supabase Auth answers 400 here, not 422.
    case tooLong
    /// RFC 8264 §9.12. A control character is a mistake of a program: fields for passwords drop it.
    case controlCharacter
    /// At least one reason, without duplicates, in the order of ``WeakPasswordReason``.
    case weak([WeakPasswordReason])
}

/// The rules for new passwords. Does no I/O.
package struct PasswordPolicy: Hashable, Sendable {
    /// In bytes of UTF-8.
    package static let longest = OpaqueString.longest
    /// The minimum lengths that settings can choose.
    package static let minimums = 6...72

    /// In Unicode scalars of the prepared password. Supabase Auth counts bytes, so this is never more permissive.
    package let minimumLength: Int
    /// A password needs at least one character of each set.
    package let requiredSets: [String]
    package let refusesCommon: Bool
    /// Words that a password must not consist of, such as the app's name.
    package let forbiddenWords: [String]

    /// - Parameters:
    ///   - minimumLength: Raised to the lowest of ``minimums`` if smaller.
    ///   - requiredCharacters: Sets separated by colons. `\:` is a colon within a set; a backslash before any other
    ///     character is its own set. Empty sets are ignored.
    ///   - refusesCommon: Whether the most common passwords are refused as `pwned`.
    ///   - forbiddenWords: Refused as `pwned` in any case, also surrounded by digits and punctuation.
    package init(
        minimumLength: Int = 8, requiredCharacters: String = "", refusesCommon: Bool = true,
        forbiddenWords: [String] = []
    ) {
        self.minimumLength = max(minimumLength, Self.minimums.lowerBound)
        requiredSets = Self.sets(in: OpaqueString.prepare(requiredCharacters))
        self.refusesCommon = refusesCommon
        self.forbiddenWords = forbiddenWords.map(OpaqueString.prepare)
    }

    /// Checks the rules that have no exception, without those about strength.
    package static func checkForm(of password: Secret) throws(PasswordRefusal) {
        guard password.utf8Count <= longest else { throw .tooLong }
        guard password.reveal().unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw .controlCharacter
        }
    }

    /// Checks the password's prepared form, which is hashed.
    ///
    /// - Parameter email: The account's address. The password must be neither the address nor its local part.
    /// - Throws: ``PasswordRefusal`` with all reasons together.
    package func check(_ password: Secret, of email: String? = nil) throws(PasswordRefusal) {
        try Self.checkForm(of: password)
        let text = OpaqueString.prepare(password.reveal())
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
        case .controlCharacter: "Password cannot contain control characters"
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
