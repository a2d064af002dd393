import SwiftUI

@MainActor enum HTMLStyle {
    static func text(_ element: ScreenElement, _ parent: HTMLWriter.Parent) -> String {
        (flex(element, parent) + look(element.style) + box(element)).joined(separator: ";")
    }

    private static func flex(_ element: ScreenElement, _ parent: HTMLWriter.Parent) -> [String] {
        let isRow = parent == .row
        let isWide = element.isGreedy(.horizontal, inRow: isRow)
        let isHigh = element.isGreedy(.vertical, inRow: isRow)
        if parent == .layers { return (isWide ? ["width:100%"] : []) + (isHigh ? ["height:100%"] : []) }
        let (main, cross) = isRow ? (isWide, isHigh) : (isHigh, isWide)
        let shrinks = isRow && [.text, .vstack, .box, .link, .button].contains(element.kind)
        // Stretched, an element with a maximum would stay at the start instead of where its container aligns it.
        let isLimited = !isRow && element.style.width.maximum.map { $0 != .infinity } ?? false
        return [main ? "flex:1 1 0" : shrinks ? "flex:0 1 auto" : "flex:none"]
            + (cross ? [isLimited ? "width:100%" : "align-self:stretch"] : [])
    }

    private static func look(_ style: ElementStyle) -> [String] {
        var css: [String] = []
        if let font = style.font {
            css.append("font-size:\(font.size)px;font-weight:\(font.weight)")
            if font.isItalic { css.append("font-style:italic") }
            if let family = font.family { css.append("font-family:\(family)") }
            if font.isMonospaced { css.append("font-family:monospace") }
        }
        if let color = style.color { css.append("color:\(color)") }
        if let alignment = style.textAlignment {
            css.append("text-align:\(alignment == .center ? "center" : alignment == .leading ? "start" : "end")")
        }
        if let limit = style.lineLimit {
            css.append("display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:\(limit);overflow:hidden")
        }
        if let background = style.background { css.append("background:\(background)") }
        if let border = style.border { css.append("border:\(border)") }
        if let corner = style.cornerRadius { css.append("border-radius:\(corner)") }
        if style.isClipped { css.append("overflow:hidden") }
        if style.opacity != 1 { css.append("opacity:\(style.opacity)") }
        return css
    }

    private static func box(_ element: ScreenElement) -> [String] {
        let style = element.style
        var css: [String] = []
        for (name, limits) in [("width", style.width), ("height", style.height)] {
            if let fixed = limits.fixed { css.append("\(name):\(fixed)px") }
            if let minimum = limits.minimum { css.append("min-\(name):\(minimum)px") }
            if let maximum = limits.maximum, maximum != .infinity { css.append("max-\(name):\(maximum)px") }
        }
        let padding = style.padding
        if padding != EdgeInsets() {
            css.append("padding-block:\(padding.top)px \(padding.bottom)px")
            css.append("padding-inline:\(padding.leading)px \(padding.trailing)px")
        }
        if let spacing = style.spacing { css.append("gap:\(spacing)px") }
        if let alignment = style.alignment { css += aligned(element.kind, alignment) }
        return css
    }

    private static func aligned(_ kind: ScreenElement.Kind, _ alignment: Alignment) -> [String] {
        switch kind {
        case .hstack: ["align-items:\(alignment.vertical.css)"]
        case .zstack: ["align-items:\(alignment.vertical.css);justify-items:\(alignment.horizontal.css)"]
        case .vstack: ["align-items:\(alignment.horizontal.css)"]
        default: ["align-items:\(alignment.horizontal.css);justify-content:\(alignment.vertical.css)"]
        }
    }
}
