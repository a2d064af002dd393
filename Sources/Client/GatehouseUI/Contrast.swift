package import SwiftUI

// WCAG 2.2.
extension Color.Resolved {
    static let black = Color.Resolved(red: 0, green: 0, blue: 0)
    static let white = Color.Resolved(red: 1, green: 1, blue: 1)
    /// For text.
    package static let least = 4.5

    /// 0 for black to 1 for white.
    package var luminance: Double {
        // Outside of sRGB, parts may be below 0 or above 1.
        func part(_ value: Float) -> Double { Double(min(max(value, 0), 1)) }
        return 0.2126 * part(linearRed) + 0.7152 * part(linearGreen) + 0.0722 * part(linearBlue)
    }

    /// 1 for equal opaque colours to 21 for black and white.
    package func contrast(to other: Color.Resolved) -> Double {
        let (light, dark) = (max(luminance, other.luminance), min(luminance, other.luminance))
        return (light + 0.05) / (dark + 0.05)
    }

    /// Over an opaque colour.
    package func over(_ below: Color.Resolved) -> Color.Resolved {
        func mixed(_ above: Float, _ below: Float) -> Float { above * opacity + below * (1 - opacity) }
        return Color.Resolved(
            red: mixed(red, below.red), green: mixed(green, below.green), blue: mixed(blue, below.blue))
    }

    /// The preferred text colour if its contrast is at least 4.5:1, else white or black, one of which always suffices.
    package static func legible(on background: Color.Resolved, preferring wish: Color.Resolved?) -> Color.Resolved {
        let wished = wish.map { $0.over(background) }
        return [wished, .white].compactMap { $0 }.first { $0.contrast(to: background) >= least } ?? .black
    }
}
