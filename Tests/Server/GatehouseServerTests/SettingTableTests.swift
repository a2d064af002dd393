import Foundation
import GatehouseServer
import IdentityProviders
import TestSupport
import Testing
import TextMessages

@Suite("The table of settings")
struct SettingTableTests {
    @Test("Every row is listed")
    func complete() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let files = [
            "Setting+Table.swift", "Setting+Mail.swift", "Setting+Codes.swift", "Setting+Notices.swift",
            "Setting+Providers.swift", "Setting+Retention.swift", "Setting+Hooks.swift", "Setting+Captcha.swift",
            "Setting+Pages.swift", "Setting+Factors.swift", "Setting+Phone.swift", "Setting+Passkeys.swift",
            "Setting+Passwords.swift", "Setting+OAuth.swift", "Setting+Traces.swift",
        ]
        let rows = try files.map { name in
            let file = root.appendingPathComponent("Sources/Server/GatehouseServer/Settings/" + name)
            return try String(contentsOf: file, encoding: .utf8).matches(of: /static let \w+ = Setting\(/).count
        }
        // Each provider has eight settings; thirteen kinds of email have two, and their folder. Six
        // hooks have three settings, and four of them one for failures. Text messages have a provider's credentials.
        let generated =
            (3 + KnownProvider.all.count) * 8 + 13 * 2 + 1 + 6 * 3 + 4 + Setting.notices.count
            + TextMessageSettings.names.count - 1
        #expect(rows.reduce(generated, +) == Setting.allCases.count)
    }

    @Test("Names are well formed and unique")
    func names() {
        let names = Setting.allCases.flatMap(\.environmentNames)
        #expect(Set(names).count == names.count)
        for setting in Setting.allCases {
            #expect(setting.key.allSatisfy { $0.isLowercase || $0 == "_" })
            #expect(!setting.summary.isEmpty)
        }
    }

    @Test("The text of each default is a valid value")
    func defaults() {
        var values: [String: String] = [:]
        for setting in Setting.allCases { values[setting.environmentName] = setting.defaultText }
        // The proxy header is refused without it.
        values[Setting.trustedProxies.environmentName] = "10.0.0.0/8"
        #expect(GivenValues.problems(values).isEmpty)
    }
}
