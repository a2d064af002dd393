import AccountDomain
import AuthServer
import GatehouseWire
import HTTPServing
import HTTPTypes
import IdentityProviders
import MailTemplates

extension Inputs {
    private static let patterns = RedirectAllowList(
        siteURL: "https://app.example.com",
        entries: [
            "https://*.example.org/**", "https://exact.example.net/a", "app.example://done", "http://127.0.0.1:3000/*",
        ],
        takesPatterns: true)
    private static let hosts = ["app.example.com", "exact.example.net", "127.0.0.1", "localhost"]

    /// An accepted address leads to an entry's host, also in a browser, which ends the host at the first of `/\?#`.
    static func redirect(_ input: [UInt8]) throws(FuzzFinding) {
        let url = text(input)
        guard patterns.allows(url) else { return }
        let bytes = Array(url.utf8)
        try expect(bytes.allSatisfy { (0x21...0x7E).contains($0) }, "an address with unprintable bytes")
        guard !url.lowercased().hasPrefix("app.example:") else { return }
        let scheme = ["https://", "http://"].first { url.lowercased().hasPrefix($0) }
        guard let scheme else { throw FuzzFinding("neither http nor https") }
        let authority = bytes.dropFirst(scheme.utf8.count).prefix { !"/\\?#".utf8.contains($0) }
        let host = text(authority.prefix { $0 != UInt8(ascii: ":") }).lowercased()
        try expect(hosts.contains(host) || host.hasSuffix(".example.org"), "the browser goes to \(host)")
    }

    /// A parsed address has one text, which parses to the same value.
    static func address(_ input: [UInt8]) throws(FuzzFinding) {
        let text = text(input)
        if let email = EmailAddress(text) {
            try expect(EmailAddress(email.text) == email, "an address of two spellings")
        }
        if let number = PhoneNumber(text) {
            try expect(PhoneNumber(number.text) == number, "a number of two spellings")
        }
        if let address = IPAddress(forwarded: text) {
            try expect(IPAddress("\(address)") == address, "an IP address of two spellings")
        }
        _ = IPNetwork(text)
        if let url = ProviderURL(text) {
            try expect(ProviderURL(url.text) == url, "a URL of two spellings")
            // Ignored: the rule reads every host.
            _ = try? OutgoingAddressRule().check(url)
        }
    }

    /// Device names are in other users' lists and in terminals.
    static func agent(_ input: [UInt8]) throws(FuzzFinding) {
        guard let device = DeviceName(userAgent: text(input)) else { return }
        try expect(!device.name.isEmpty, "a device without a name")
        for part in [device.app, device.model, device.system] {
            guard let scalars = part?.unicodeScalars else { continue }
            try expect(!scalars.isEmpty && scalars.count <= 64, "a name of \(scalars.count) code points")
            try expect(!scalars.contains(where: \.isDeceptive), "a deceptive name")
        }
    }

    /// Caller, bearer and language. Lines are headers: `name: value`.
    static func header(_ input: [UInt8]) throws(FuzzFinding) {
        var headers = HTTPFields()
        for line in input.split(separator: UInt8(ascii: "\n")).prefix(64) {
            let name = line.prefix { $0 != UInt8(ascii: ":") }
            guard let known = HTTPField.Name(text(name)) else { continue }
            headers.append(HTTPField(name: known, value: text(line.dropFirst(name.count + 1))))
        }
        if let token = headers.bearerToken {
            try expect(token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && !token.isEmpty, "a token with blanks")
        }
        if let languages = headers[.acceptLanguage], let language = MailLanguage.matching(languages) {
            try expect(languages.lowercased().contains(language.rawValue), "a language that was not asked for")
        }
        guard let forwarded = HTTPField.Name("X-Forwarded-For"), let proxy = IPNetwork("10.0.0.0/8") else {
            throw FuzzFinding("a constant is wrong")
        }
        let rules: [ClientAddressRule.Source] = [
            .peer, .header(forwarded, from: [proxy]), .headerFromAnyone(forwarded),
        ]
        for rule in rules.map(ClientAddressRule.init) {
            let direct = (rule.limitKey(peer: "192.0.2.1", headers), rule.address(peer: "192.0.2.1", HTTPFields()))
            _ = (direct, rule.text(peer: "10.0.0.1", headers), rule.limitKey(peer: nil, headers))
        }
        // Only a trusted proxy chooses the address.
        let trusted = ClientAddressRule(.header(forwarded, from: [proxy]))
        let chosen = trusted.address(peer: "192.0.2.1", headers)
        try expect(chosen == IPAddress("192.0.2.1"), "an address that a stranger chose")
    }
}
