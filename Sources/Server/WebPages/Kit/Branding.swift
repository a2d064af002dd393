import Foundation
package import GatehouseWire
package import MailTemplates

package struct Branding: Sendable {
    /// The app's.
    package var name = "Gatehouse"
    package var accent: AccentColor?
    package var symbol: Symbol?
    /// By language and English text.
    package var texts: [MailLanguage: [ExternalName: String]] = [:]

    package init() {}

    package struct Symbol: Sendable {
        let bytes: [UInt8]
        let type: String

        package static let maximumBytes = 65_536

        /// - Returns: nil beyond ``maximumBytes``, or for neither PNG nor SVG.
        package init?(_ bytes: [UInt8]) {
            guard bytes.count <= Self.maximumBytes else { return nil }
            if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
                type = "image/png"
            } else if let text = String(validating: bytes, as: UTF8.self), text.contains("<svg") {
                type = "image/svg+xml"
            } else {
                return nil
            }
            self.bytes = bytes
        }
    }

    package enum TextProblem: Error {
        case unknown(String), otherArguments(String), tooLong(String)
    }

    /// In bytes.
    package static let longestText = 1_000

    /// - Parameter file: A JSON object from English texts to others.
    /// - Throws: ``TextProblem``, ``JSONProblem``.
    package static func texts(_ file: [UInt8]) throws -> [ExternalName: String] {
        let (members, known) = (try JSONMembers(file), try PageTexts.known())
        var texts: [ExternalName: String] = [:]
        for english in members.names {
            let key = ExternalName(trusted: english)
            guard known.contains(key), let text = try members.string(english) else {
                throw TextProblem.unknown(english)
            }
            guard text.utf8.count <= longestText else { throw TextProblem.tooLong(english) }
            guard arguments(text) == arguments(english) else { throw TextProblem.otherArguments(english) }
            texts[key] = text
        }
        return texts
    }

    private static func arguments(_ text: String) -> Int { text.components(separatedBy: "%@").count - 1 }
}

/// Keeps text on it and links in it readable (WCAG 2.2, 1.4.3).
package struct AccentColor: Sendable {
    private let red, green, blue: Double

    /// - Parameter text: `#1a56db`.
    package init?(_ text: String) {
        let digits = text.utf8.dropFirst()
        guard text.utf8.count == 7, text.hasPrefix("#"), digits.allSatisfy({ $0.hexadecimalValue != nil }),
            let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { return nil }
        self.init(Double(value >> 16), Double(value >> 8 & 0xFF), Double(value & 0xFF))
    }

    private init(_ red: Double, _ green: Double, _ blue: Double) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    private static let white = AccentColor(255, 255, 255)
    private static let black = AccentColor(0, 0, 0)
    /// The backgrounds closest to the links' colors in each scheme.
    private static let (lightPage, darkCard) = (AccentColor(243, 244, 246), AccentColor(27, 30, 33))

    /// Rules for `--accent`, `--on-accent` and `--link`.
    package var styleSheet: String {
        let onAccent = contrast(.white) >= contrast(.black) ? Self.white : Self.black
        return """
            :root{--accent:\(hex);--on-accent:\(onAccent.hex);--link:\(readable(on: Self.lightPage, toward: .black).hex)}
            @media(prefers-color-scheme:dark){:root{--link:\(readable(on: Self.darkCard, toward: .white).hex)}}

            """
    }

    /// The nearest mixture with black or white at a contrast of 4.5.
    private func readable(on ground: AccentColor, toward end: AccentColor) -> AccentColor {
        for step in 0...20 {
            let share = Double(step) / 20
            let mixed = AccentColor(
                red + (end.red - red) * share, green + (end.green - green) * share, blue + (end.blue - blue) * share)
            if mixed.contrast(ground) >= 4.6 { return mixed }
        }
        return end
    }

    private func contrast(_ other: AccentColor) -> Double {
        let (lighter, darker) = (max(luminance, other.luminance), min(luminance, other.luminance))
        return (lighter + 0.05) / (darker + 0.05)
    }

    /// WCAG 2.2, "relative luminance".
    private var luminance: Double {
        func linear(_ value: Double) -> Double {
            let share = value / 255
            return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    private var hex: String {
        "#"
            + [red, green, blue].map { value in
                let digits = String(Int(value.rounded()), radix: 16)
                return digits.utf8.count == 1 ? "0" + digits : digits
            }.joined()
    }
}
