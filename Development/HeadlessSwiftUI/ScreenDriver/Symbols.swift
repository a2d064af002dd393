import Foundation

/// Our own drawings, because Apple's may not be distributed.
public enum Symbols {
    /// - Throws: ``ScreenError`` for a name without a drawing.
    public static func svg(_ name: String) throws -> String {
        guard let paths = drawings[name] else { throw ScreenError(description: "no drawing for the symbol \(name)") }
        let frame = "viewBox=\"0 0 24 24\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\""
        return "<svg \(frame) stroke-linecap=\"round\" stroke-linejoin=\"round\">\(paths)</svg>"
    }

    /// As SVG.
    static func asset(_ name: String, in bundle: String) throws -> String {
        let file = URL(filePath: bundle).appending(path: "Assets.xcassets/\(name).imageset/\(name).svg")
        return try String(contentsOf: file, encoding: .utf8)
    }

    private static let drawings: [String: String] = {
        var (drawings, name): ([String: String], String) = ([:], "")
        for line in table.split(separator: "\n") {
            if line.hasPrefix(" ") {
                drawings[name, default: ""] += line.dropFirst()
            } else {
                name = String(line)
            }
        }
        return drawings.mapValues {
            $0.replacing("FILLED", with: "fill=\"currentColor\" stroke=\"none\"")
                .replacing("HOLE", with: "stroke=\"var(--back)\"")
        }
    }()

    /// A name, and below it the drawing in a square of 24 units. FILLED and HOLE are replaced by attributes.
    private static let table = """
        person.fill
          <g FILLED><circle cx="12" cy="8" r="4.2"/><path d="M4 21c0-5 3-8 8-8s8 3 8 8z"/></g>
        person.crop.circle.fill
          <g FILLED><circle cx="12" cy="12" r="10"/></g><g HOLE><circle cx="12" cy="10" r="3"/><path
          d="M6 19c1-4 3-5 6-5s5 1 6 5"/></g>
        person.crop.circle
          <circle cx="12" cy="12" r="10"/><circle cx="12" cy="10" r="3"/><path d="M6 19c1-4 3-5 6-5s5 1 6 5"/>
        sportscourt.fill
          <rect x="2" y="5" width="20" height="14" rx="2" FILLED/><g HOLE><path d="M12 5v14M2 9h4v6H2M22
          9h-4v6h4"/> <circle cx="12" cy="12" r="2.5"/></g>
        book.closed.fill
          <path FILLED d="M6 2h12a1 1 0 0 1 1 1v18a1 1 0 0 1-1 1H6a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2z"/><path HOLE
          d="M6 18.5h13M8 2v16" stroke-width="1.2"/>
        xmark
          <path d="M5 5l14 14M19 5L5 19"/>
        xmark.circle.fill
          <circle cx="12" cy="12" r="10" FILLED opacity=".35"/><path d="M8 8l8 8M16 8l-8 8"/>
        apple.logo
          <path FILLED d="M12 8c2-1.6 6-1.2 7 1-3 2-2.5 6 .5 7.5C18 20 16.5 22 14.5 22c-1 0-1.5-.6-2.7-.6S10
          22 9 22c-3 0-6-5.5-5-9.5S9 6.5 12 8zM12.5 6.5c0-2.5 1.7-4.2 3.8-4.5.2 2.5-1.6 4.4-3.8 4.5z"/>
        envelope.fill
          <path FILLED d="M3 5h18a1 1 0 0 1 1 1v.5l-10 6-10-6V6a1 1 0 0 1 1-1z"/><path FILLED d="M2 9l10 6
          10-6v9a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1z"/>
        envelope.badge
          <rect x="2" y="6" width="18" height="13" rx="2"/><path d="M3 8l8 6 8-6"/><circle cx="20" cy="5"
          r="3" FILLED/>
        message.fill
          <path FILLED d="M12 3c5.5 0 10 3.6 10 8s-4.5 8-10 8c-1.2 0-2.4-.2-3.4-.5L3 21l1.6-4.4C3 15.1 2 13.1 2
          11c0-4.4 4.5-8 10-8z"/>
        phone.fill
          <path FILLED d="M6.5 2.5l3 4.5-2 2.5c1.3 2.9 3.6 5.2 6.5 6.5l2.5-2 4.5 3c.4.3.6.8.4 1.3-.7
          2-2.6 3.2-4.7 3C9.5 20.5 3.5 14.5 2.7 7.3c-.2-2.1 1-4 3-4.7z"/>
        person.badge.plus
          <circle cx="10" cy="8" r="4"/><path d="M3 20c0-4 3-6 7-6s7 2 7 6M19 3v6M16 6h6"/>
        line.3.horizontal
          <path d="M3 6h18M3 12h18M3 18h18"/>
        chevron.backward
          <path d="M15 4l-8 8 8 8"/>
        checkmark
          <path d="M4 12l6 6L20 6"/>
        checkmark.circle.fill
          <circle cx="12" cy="12" r="10" FILLED/><path HOLE d="M7 12l4 4 6-7"/>
        circle
          <circle cx="12" cy="12" r="9"/>
        exclamationmark.triangle.fill
          <path FILLED d="M12 3l10 18H2z"/><path HOLE d="M12 10v5M12 18v.1"/>
        exclamationmark.circle.fill
          <circle cx="12" cy="12" r="10" FILLED/><path HOLE d="M12 7v6M12 17v.1"/>
        link
          <path d="M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1"/>
        key.fill
          <circle cx="8" cy="8" r="5" FILLED/><path d="M11 11l9 9M17 17l3-3"/>
        person.badge.key.fill
          <g FILLED><circle cx="9" cy="7" r="4.2"/><path d="M1.5 20c0-5 3-8 7.5-8 2 0 3.7.6 5 1.7L12.5 20z"/></g>
          <circle cx="18" cy="14.5" r="2.6"/><path d="M18 17v5M18 20h2"/>
        globe
          <circle cx="12" cy="12" r="10"/><path d="M2 12h20M12 2c-6 6-6 14 0 20M12 2c6 6 6 14 0 20"/>
        iphone
          <rect x="6" y="2" width="12" height="20" rx="3"/><path d="M11 19h2"/>
        laptopcomputer
          <rect x="4" y="5" width="16" height="11" rx="1"/><path d="M2 20h20"/>
        plus
          <path d="M12 4v16M4 12h16"/>
        pencil
          <path d="M4 20l1-5L16 4l4 4L9 19z"/>
        star.fill
          <path FILLED d="M12 2l3 7 7 .6-5.3 4.7 1.7 7.2L12 17.5 5.6 21.5l1.7-7.2L2 9.6 9 9z"/>
        trash
          <path d="M4 6h16M9 6V3h6v3M6 6l1 15h10l1-15"/>
        arrow.clockwise
          <path d="M20 5v6h-6M20 11a8 8 0 1 0-1 6"/>
        magnifyingglass
          <circle cx="10" cy="10" r="6.5"/><path d="M15 15l6 6"/>
        square.and.pencil
          <path d="M12 4H5a1 1 0 0 0-1 1v14a1 1 0 0 0 1 1h14a1 1 0 0 0 1-1v-7M10 14l1-4 8-8 3 3-8 8z"/>
        """
}
