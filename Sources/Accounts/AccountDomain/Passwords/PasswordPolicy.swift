package import GatehouseWire

/// Raw values are part of the API and keep this order.
package enum WeakPasswordReason: String, CaseIterable, Sendable {
    case length, characters, pwned
}

package enum PasswordRefusal: Error, Hashable, Sendable {
    /// Separate from strength: Supabase Auth returns 400 here, not 422.
    case tooLong
    /// RFC 8264 §9.12. Password fields drop control characters.
    case controlCharacter
    /// Without duplicates, in the order of ``WeakPasswordReason``.
    case weak([WeakPasswordReason])
}

package struct PasswordPolicy: Hashable, Sendable {
    /// UTF-8 bytes.
    package static let longest = OpaqueString.longest
    package static let minimums = 6...72

    /// In Unicode scalars of the prepared password. Supabase Auth counts bytes, so this is never more permissive.
    package let minimumLength: Int
    /// A password needs a character of each set.
    package let requiredSets: [String]
    package let refusesCommon: Bool
    /// Such as the app's name.
    package let forbiddenWords: [String]

    /// - Parameters:
    ///   - minimumLength: Raised to the lowest of ``minimums`` if smaller.
    ///   - requiredCharacters: Sets separated by colons. `\:` is a colon within a set; any other backslash is its own
    ///     set. Empty sets are ignored.
    ///   - refusesCommon: As `pwned`.
    ///   - forbiddenWords: Refused as `pwned` in any case, including surrounded by digits and punctuation.
    package init(
        minimumLength: Int = 8, requiredCharacters: String = "", refusesCommon: Bool = true,
        forbiddenWords: [String] = []
    ) {
        self.minimumLength = max(minimumLength, Self.minimums.lowerBound)
        requiredSets = Self.sets(in: OpaqueString.prepare(requiredCharacters))
        self.refusesCommon = refusesCommon
        self.forbiddenWords = forbiddenWords.map(OpaqueString.prepare)
    }

    /// Checks the limits that no setting changes, not the strength.
    package static func checkForm(of password: Secret) throws(PasswordRefusal) {
        guard password.utf8Count <= longest else { throw .tooLong }
        guard password.reveal().unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw .controlCharacter
        }
    }

    /// Checks the prepared form, which is hashed.
    ///
    /// - Parameter email: The password must be neither this address nor its local part.
    /// - Throws: All reasons together.
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
        let address = email.flatMap { $0.utf8.count <= 254 ? $0 : nil } ?? ""
        let words = forbiddenWords + [address, String(address.prefix { $0 != "@" })]
        return words.contains { ForbiddenWord.core(of: $0) == core }
    }

    /// Supabase Auth's, except that the limit is in bytes.
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
