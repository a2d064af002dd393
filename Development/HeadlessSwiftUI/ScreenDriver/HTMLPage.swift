import Foundation
import SwiftUI

/// For pictures in a browser.
public struct HTMLPage {
    /// Points.
    public var width = 390
    public var height = 844

    public init(width: Int = 390, height: Int = 844) { (self.width, self.height) = (width, height) }

    /// - Throws: ``ScreenError`` for a symbol that ``Symbols`` does not contain.
    @MainActor public func text(of screen: Screen) throws -> String {
        screen.host.render()
        let settings = screen.settings
        let isDark = screen.host.elements.first.map { _ in settings.colorScheme == .dark } ?? false
        let direction = settings.layoutDirection == .rightToLeft ? "rtl" : "ltr"
        let language = settings.locale.language.languageCode?.identifier ?? "en"
        var writer = HTMLWriter()
        let body = try writer.layers(screen.host.elements)
        let title = writer.escaped(screen.title ?? screen.texts.first ?? "Screen")
        return """
            <!doctype html>
            <html lang="\(language)" dir="\(direction)" class="\(isDark ? "dark" : "light")">
            <meta charset="utf-8">
            <title>\(title)</title>
            <style>
            \(HTMLPage.controls)
            body { width: \(width)px; height: \(height)px; font-size: \(17 * settings.dynamicTypeSize.factor)px }
            \(HTMLPage.style)
            </style>
            <body class="screen"><main>\(body)</main></body>
            </html>

            """
    }
}
