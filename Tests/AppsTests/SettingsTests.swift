import Foundation
import Testing

@testable import AppSupport

@Suite("An app's settings")
struct SettingsTests {
    private let whole = [
        "GatehouseServer": "https://accounts.example.com", "GatehousePublishableKey": "sb_publishable_1",
        "GatehouseRedirect": "boxscore://auth-callback",
    ]

    private func settings(_ values: [String: String]) throws -> ServerSettings {
        try ServerSettings { key in values[key] }
    }

    @Test("The gateway is the server itself unless configured; the app decides whether Google is offered")
    func optional() throws {
        var values = whole
        var settings = try self.settings(values)
        #expect(settings.gateway == URL(string: "https://accounts.example.com"))
        #expect(!settings.offersGoogle)
        values["GatehouseGateway"] = "https://api.example.com"
        values["GatehouseGoogle"] = "YES"
        settings = try self.settings(values)
        #expect(settings.gateway == URL(string: "https://api.example.com"))
        #expect(settings.offersGoogle)
    }

    @Test("A missing or empty value is named", arguments: [nil, "", "  "])
    func missing(_ value: String?) {
        for key in whole.keys {
            var values = whole
            values[key] = value
            #expect(throws: SettingsProblem(key: key, isMissing: true)) { try settings(values) }
        }
    }

    @Test("A URL without a host is invalid: an xcconfig reduces `https://…` to `https:`")
    func comment() {
        var values = whole
        values["GatehouseServer"] = "https:"
        #expect(throws: SettingsProblem(key: "GatehouseServer", isMissing: false)) {
            try settings(values)
        }
    }
}
