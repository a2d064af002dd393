import SwiftUI

/// How an element and its content are drawn: colours and lengths as CSS.
public struct Look: Hashable, Sendable {
    /// The colour of the first text.
    public var text: String?
    public var background: String?
    public var border: String?
    public var corner: String?
    /// The font of the first text; nil for the system's.
    public var family: String?
    /// The size of the first text in points.
    public var size: Double?

    /// Reads the outermost values, and those of the first text.
    @MainActor mutating func read(_ element: ScreenElement) {
        background = background ?? element.style.background
        border = border ?? element.style.border
        corner = corner ?? element.style.cornerRadius
        if element.kind == .text, size == nil {
            (text, family) = (element.style.color, element.style.font?.family)
            size = element.style.font.map { Double($0.size) }
        }
        for child in element.children { read(child) }
    }
}
