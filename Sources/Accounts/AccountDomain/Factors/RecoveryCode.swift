package import GatehouseWire

/// A recovery code: lower-case letters of base32.
///
/// Its first two letters are stored as they are and find the row, so that a request computes one hash. The codes of a set
/// differ in them. What they give away is no more than ten bits of the code.
package struct RecoveryCode: Sendable {
    package let text: Secret
    package let selector: String

    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
    private static let selectorLength = 2
    /// Longer than any code with separators.
    private static let longestInput = 256

    /// Reads what a user typed: case, white space and hyphens do not count.
    ///
    /// - Returns: nil if nothing else is left. Another text is a wrong code.
    package init?(typed: Secret) {
        var letters: [UInt8] = []
        for scalar in typed.reveal().unicodeScalars.prefix(Self.longestInput)
        where scalar != "-" && !scalar.properties.isWhitespace {
            letters += Array(String(scalar).lowercased().utf8)
        }
        guard !letters.isEmpty else { return nil }
        self.init(letters)
    }

    private init(_ letters: [UInt8]) {
        text = Secret(String(decoding: letters, as: UTF8.self))
        let first = letters.prefix(Self.selectorLength)
        // No code begins with other letters, and a database need not hold them.
        selector = first.allSatisfy(\.isLowerAlphanumeric) ? String(decoding: first, as: UTF8.self) : ""
    }

    /// - Parameter randomBytes: Returns that many unpredictable bytes.
    package static func set(_ rules: RecoveryCodeRules, randomBytes: (Int) -> [UInt8]) -> [RecoveryCode] {
        var codes: [RecoveryCode] = []
        while codes.count < rules.count {
            // 32 letters: every value of a byte is equally likely to give each.
            let code = RecoveryCode(randomBytes(rules.length).map { alphabet[Int($0 & 31)] })
            if !codes.contains(where: { $0.selector == code.selector }) { codes.append(code) }
        }
        return codes
    }
}
