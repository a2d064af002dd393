/// A device's name for display, from its user agent (RFC 9110 §10.1.5). Clients can claim anything.
///
/// ```swift
/// let device = DeviceName(userAgent: "Journal/1.2 (iPhone17,3; iOS 18.2) gatehouse-swift/0.3")
/// title.text = device?.name         // iPhone
/// subtitle.text = device?.details   // Journal · iOS 18.2
/// ```
public struct DeviceName: Hashable, Sendable {
    /// The kinds of devices, for a symbol.
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// An iPhone, or an Android phone.
        case phone
        /// An iPad, or an Android tablet.
        case tablet
        /// A Mac, or any other computer.
        case computer
        /// An Apple Watch.
        case watch
        /// An Apple TV.
        case television
        /// Unknown, as for programs that name only themselves.
        case other
    }

    /// The kind of the device.
    public var kind: Kind
    /// The app or browser, such as `Journal` or `Safari`.
    public var app: String?
    /// For example `iPhone` or `Pixel 8`.
    public var model: String?
    /// Often with a version: `iOS 18.2`, `Windows`.
    public var system: String?

    /// Reads the first 512 bytes. Members have at most 64 code points, none reordering text. nil if neither app nor
    /// device is named.
    public init?(userAgent: String) {
        let agent = UserAgent(userAgent)
        if agent.product(named: Self.client) != nil {
            self.init(agent.products[0].name, agent.comment.first, system: agent.comment.dropFirst().first)
        } else if agent.product(named: "Mozilla") == nil {
            self.init(agent.products.first?.name, nil, system: nil)
        } else {
            let device = agent.device
            self.init(agent.browser, device.model, system: device.system)
        }
        if app == nil, model == nil, system == nil { return nil }
        if system?.hasPrefix("Android") == true { kind = agent.isMobile ? .phone : .tablet }
    }

    private init(_ app: String?, _ identifier: String?, system: String?) {
        let known = identifier.flatMap { identifier in Self.models.first { identifier.hasPrefix($0.prefix) } }
        var system = system.flatMap(Self.shown)
        if known?.name == "iPad", let text = system, text.hasPrefix("iOS ") {
            system = Self.shown("iPad" + String(text.dropFirst()))
        }
        self.app = app.flatMap(Self.shown)
        self.system = system
        model = known?.name ?? identifier.flatMap(Self.shown)
        let isDesktop = ["Windows", "macOS", "Linux", "ChromeOS"].contains { system?.hasPrefix($0) == true }
        kind = known?.kind ?? (isDesktop ? .computer : .other)
    }

    /// The model, otherwise the system, otherwise the app.
    public var name: String { model ?? system ?? app ?? "" }

    /// The rest, such as `Journal · iOS 18.2`; nil if ``name`` is all.
    public var details: String? {
        let rest = [app, system].compactMap { $0 }.filter { $0 != name }
        return rest.isEmpty ? nil : rest.joined(separator: " · ")
    }

    private static func shown(_ text: String) -> String? { text.shown(upTo: 64) }

    /// Prefixes of Apple's model identifiers, longer ones first.
    private static let models: [(prefix: String, name: String, kind: Kind)] = [
        ("iPhone", "iPhone", .phone), ("iPod", "iPod touch", .phone), ("iPad", "iPad", .tablet),
        ("Watch", "Apple Watch", .watch), ("AppleTV", "Apple TV", .television),
        ("RealityDevice", "Apple Vision Pro", .other), ("MacBookPro", "MacBook Pro", .computer),
        ("MacBookAir", "MacBook Air", .computer), ("MacBook", "MacBook", .computer), ("Macmini", "Mac mini", .computer),
        ("MacPro", "Mac Pro", .computer), ("iMac", "iMac", .computer), ("Mac", "Mac", .computer),
    ]
}

extension DeviceName {
    /// Marks the user agents of Gatehouse apps.
    package static let client = "gatehouse-swift"

    /// The user agent that ``init(userAgent:)`` reads.
    ///
    /// - Parameters:
    ///   - app: Cut to 64 code points.
    ///   - model: Apple's identifier, such as `iPhone17,3`.
    ///   - system: Such as `iOS 18.2`.
    ///   - version: This library's.
    package static func userAgent(
        app: String, appVersion: String?, model: String, system: String, version: String
    ) -> String {
        // A token (RFC 9110 §5.6.2) may contain percent and plus signs.
        let (name, number) = (FormText.escape(app.cut(to: 64)), kept(appVersion ?? "", besides: ".-_"))
        let product = number.isEmpty ? name : name + "/" + number
        return "\(product) (\(kept(model, besides: ".,-_ ")); \(kept(system, besides: ".,-_ "))) \(client)/\(version)"
    }

    private static func kept(_ text: String, besides others: String) -> String {
        String(decoding: text.utf8.prefix(64).filter { $0.isAlphanumeric || others.utf8.contains($0) }, as: UTF8.self)
    }
}

private struct UserAgent {
    private(set) var products: [(name: String, version: String)] = []
    private(set) var comment: [String] = []

    init(_ text: String) {
        var rest = Array(text.utf8.prefix(512))[...]
        var hasComment = false
        while let byte = rest.first {
            if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") {
                rest.removeFirst()
            } else if byte == UInt8(ascii: "(") {
                let inside = Self.takeComment(&rest)
                if !hasComment { comment = Self.parts(of: inside) }
                hasComment = true
            } else {
                let product = rest.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "(") }
                rest = rest.dropFirst(product.count)
                let name = product.prefix { $0 != UInt8(ascii: "/") }
                let version = String(decoding: product.dropFirst(name.count + 1), as: UTF8.self)
                products.append((FormText.readLeniently(Substring(decoding: name, as: UTF8.self).utf8), version))
            }
        }
    }

    /// Up to the matching parenthesis (RFC 9110 §5.6.5).
    private static func takeComment(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var depth = 0
        let end = rest.firstIndex { byte in
            if byte == UInt8(ascii: "(") { depth += 1 }
            if byte == UInt8(ascii: ")") { depth -= 1 }
            return depth == 0
        }
        let inside = rest[..<(end ?? rest.endIndex)].dropFirst()
        rest = end.map { rest[($0 + 1)...] } ?? []
        return inside
    }

    private static func parts(of comment: ArraySlice<UInt8>) -> [String] {
        comment.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { part in
            let start = part.drop { $0 == UInt8(ascii: " ") }
            return String(decoding: start.reversed().drop { $0 == UInt8(ascii: " ") }.reversed(), as: UTF8.self)
        }
    }

    func product(named name: String) -> String? { products.first { $0.name == name }?.version }

    /// Most name other browsers, so the order matters.
    var browser: String? {
        let names = [
            ("Edg", "Edge"), ("EdgA", "Edge"), ("EdgiOS", "Edge"), ("OPR", "Opera"), ("Vivaldi", "Vivaldi"),
            ("SamsungBrowser", "Samsung Internet"), ("FxiOS", "Firefox"), ("Firefox", "Firefox"), ("CriOS", "Chrome"),
            ("Chrome", "Chrome"), ("Safari", "Safari"),
        ]
        return names.first { product(named: $0.0) != nil }?.1
    }

    var device: (model: String?, system: String?) {
        guard let platform = comment.first else { return (nil, nil) }
        switch platform {
        case "iPhone", "iPod touch": return (platform, system("iOS", after: " OS "))
        case "iPad": return (platform, system("iPadOS", after: " OS "))
        // Browsers report a frozen macOS version.
        case "Macintosh": return ("Mac", "macOS")
        default: break
        }
        if platform.hasPrefix("Windows") { return (nil, "Windows") }
        guard let android = comment.firstIndex(where: { $0.hasPrefix("Android") }) else {
            if comment.contains(where: { $0.hasPrefix("CrOS") }) { return (nil, "ChromeOS") }
            return (nil, comment.contains { $0.hasPrefix("Linux") || $0.hasPrefix("X11") } ? "Linux" : nil)
        }
        // Chrome sends `K`, Firefox nothing.
        let model = comment.dropFirst(android + 1).first.map { Self.around(" Build/", in: $0)?.before ?? $0 }
        let isNone = ["K", "Mobile", "Tablet"].contains { $0 == model } || model?.hasPrefix("rv:") == true
        return (isNone ? nil : model, comment[android])
    }

    var isMobile: Bool { product(named: "Mobile") != nil || comment.contains { $0 == "Mobile" } }

    /// Reads the version after `mark`, as in `CPU iPhone OS 17_2 like Mac OS X`.
    private func system(_ name: String, after mark: String) -> String {
        for part in comment {
            guard let rest = Self.around(mark, in: part)?.after else { continue }
            let version = rest.utf8.prefix { $0.isDigit || $0 == UInt8(ascii: "_") }
            if let text = String(version), !text.isEmpty {
                return name + " " + text.split(ascii: "_").joined(separator: ".")
            }
        }
        return name
    }

    private static func around(_ mark: String, in text: String) -> (before: String, after: String)? {
        let (bytes, mark) = (Array(text.utf8), Array(mark.utf8))
        guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: mark) }) else { return nil }
        return (
            String(decoding: bytes[..<start], as: UTF8.self),
            String(decoding: bytes[(start + mark.count)...], as: UTF8.self)
        )
    }
}
