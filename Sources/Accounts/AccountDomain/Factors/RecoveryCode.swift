package import GatehouseWire

/// Lower-case base32 letters.
///
/// The first two letters are stored in the clear and find the row, so that a request computes one hash. They differ
/// within a set and reveal at most ten bits.
package struct RecoveryCode: Sendable {
    package let text: Secret
    package let selector: String

    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
    private static let selectorLength = 2
    private static let longestInput = 256

    /// Ignores case, white space, hyphens, and the marks of direction that screens put around codes.
    ///
    /// - Returns: nil if nothing else is left. Other text is a wrong code.
    package init?(typed: Secret) {
        var letters: [UInt8] = []
        for scalar in typed.reveal().unicodeScalars.prefix(Self.longestInput)
        where scalar != "-" && !scalar.properties.isWhitespace && !(0x2066...0x2069).contains(scalar.value) {
            letters += Array(String(scalar).lowercased().utf8)
        }
        guard !letters.isEmpty else { return nil }
        self.init(letters)
    }

    private init(_ letters: [UInt8]) {
        text = Secret(String(decoding: letters, as: UTF8.self))
        let first = letters.prefix(Self.selectorLength)
        // No code begins with other letters, which a database may be unable to store.
        selector = first.allSatisfy(\.isLowerAlphanumeric) ? String(decoding: first, as: UTF8.self) : ""
    }

    package static func set(_ rules: RecoveryCodeRules, randomBytes: (Int) -> [UInt8]) -> [RecoveryCode] {
        var codes: [RecoveryCode] = []
        while codes.count < rules.count {
            // 32 letters, so there is no modulo bias.
            let code = RecoveryCode(randomBytes(rules.length).map { alphabet[Int($0 & 31)] })
            if !codes.contains(where: { $0.selector == code.selector }) { codes.append(code) }
        }
        return codes
    }
}
