extension Color {
    /// Linear sRGB.
    public struct Resolved: Hashable, Sendable {
        public var linearRed: Float
        public var linearGreen: Float
        public var linearBlue: Float
        public var opacity: Float

        /// - Parameters: sRGB, 0 to 1.
        public init(red: Float, green: Float, blue: Float, opacity: Float = 1) {
            (linearRed, linearGreen, linearBlue) = (linear(red), linear(green), linear(blue))
            self.opacity = opacity
        }

        public var red: Float { curved(linearRed) }
        public var green: Float { curved(linearGreen) }
        public var blue: Float { curved(linearBlue) }
    }
}

extension Color.Resolved {
    /// Reads `#rgb`, `#rrggbb`, `rgb(r g b / a)`, and these as a variable's fallback; anything else is transparent.
    init(css: String) {
        let text = css.hasPrefix("var(") ? String(css.drop { $0 != "," }.dropFirst(2).dropLast()) : css
        let parts: [Float]
        if text.hasPrefix("#") {
            let digits = text.dropFirst().compactMap(\.hexDigitValue)
            let bytes =
                digits.count == 3
                ? digits.map { $0 * 17 }
                : stride(from: 0, to: digits.count - 1, by: 2).map {
                    digits[$0] * 16 + digits[$0 + 1]
                }
            parts = bytes.map { Float($0) / 255 }
        } else {
            let numbers = text.split { !($0.isNumber || $0 == ".") }.compactMap { Float($0) }
            parts = numbers.enumerated().map { $0 < 3 ? $1 / 255 : $1 }
        }
        let isColor = parts.count >= 3
        self.init(
            red: isColor ? parts[0] : 0, green: isColor ? parts[1] : 0, blue: isColor ? parts[2] : 0,
            opacity: isColor ? (parts.count > 3 ? parts[3] : 1) : 0)
    }
}

private func linear(_ part: Float) -> Float { part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4) }
private func curved(_ part: Float) -> Float { part <= 0.0031308 ? part * 12.92 : 1.055 * pow(part, 1 / 2.4) - 0.055 }
