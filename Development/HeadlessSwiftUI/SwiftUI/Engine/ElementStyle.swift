/// Lengths are in points; colours are CSS, resolved for light or dark appearance.
package struct ElementStyle: Sendable {
    package struct Limits: Sendable {
        package var fixed: CGFloat?
        package var minimum: CGFloat?
        package var maximum: CGFloat?
    }

    package struct TextFont: Hashable, Sendable {
        package var size: CGFloat
        /// CSS: 400 is regular.
        package var weight: Int
        package var isItalic = false
        package var isMonospaced = false
        /// A CSS list of fonts; nil for the system's.
        package var family: String?
    }

    package var font: TextFont?
    package var color: String?
    package var textAlignment: TextAlignment?
    package var lineLimit: Int?
    package var width = Limits()
    package var height = Limits()
    package var padding = EdgeInsets()
    package var alignment: Alignment?
    package var spacing: CGFloat?
    package var background: String?
    package var border: String?
    /// A CSS length, such as `12px` or `50%`.
    package var cornerRadius: String?
    package var isClipped = false
    package var opacity = 1.0
    package var ignoresSafeArea = false
}
