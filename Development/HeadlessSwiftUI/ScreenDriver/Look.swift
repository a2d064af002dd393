import SwiftUI

/// Colours and lengths as CSS.
public struct Look: Hashable, Sendable {
    /// The first text's colour.
    public var text: String?
    public var background: String?
    public var border: String?
    public var corner: String?
    /// The first text's font; nil for the system's.
    public var family: String?
    /// The first text's, in points.
    public var size: Double?

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
