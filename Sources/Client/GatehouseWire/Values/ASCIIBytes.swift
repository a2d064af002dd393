extension UInt8 {
    /// `[0-9]`.
    package var isDigit: Bool { (0x30...0x39).contains(self) }
    /// `[A-Za-z]`.
    package var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }
    /// `[A-Za-z0-9]`.
    package var isAlphanumeric: Bool { isLetter || isDigit }
    /// `[a-z0-9]`.
    package var isLowerAlphanumeric: Bool { isDigit || (0x61...0x7A).contains(self) }
    /// `[A-Za-z0-9-._~]` (RFC 3986 §2.3).
    package var isUnreserved: Bool { isAlphanumeric || "-._~".utf8.contains(self) }

    /// Either case.
    package var hexadecimalValue: UInt8? {
        if isDigit { return self - 0x30 }
        let lower = self | 0x20
        return (0x61...0x66).contains(lower) ? lower - 0x61 + 10 : nil
    }

    /// The value is below 16.
    package var hexadecimalDigit: UInt8 { self < 10 ? self + 0x30 : self - 10 + 0x61 }
}

extension String {
    /// 1 to 64 of `[A-Za-z0-9_-]`.
    package var isPlainWord: Bool {
        (1...64).contains(utf8.count) && utf8.allSatisfy { $0.isAlphanumeric || "_-".utf8.contains($0) }
    }
}

extension Sequence<UInt8> {
    /// In lower case.
    package var hexadecimal: String {
        String(decoding: flatMap { [($0 >> 4).hexadecimalDigit, ($0 & 15).hexadecimalDigit] }, as: UTF8.self)
    }
}
