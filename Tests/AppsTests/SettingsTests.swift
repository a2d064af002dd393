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

    @Test("The gateway is the server itself unless it stands elsewhere; Google is offered when the app says so")
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

    @Test("A value that is missing or empty is named", arguments: [nil, "", "  "])
    func missing(_ value: String?) {
        for key in whole.keys {
            var values = whole
            values[key] = value
            #expect(throws: SettingsProblem(key: key, isMissing: true)) { try settings(values) }
        }
    }

    @Test("An address without a host is none: what an xcconfig leaves of `https://…` is `https:`")
    func comment() {
        var values = whole
        values["GatehouseServer"] = "https:"
        #expect(throws: SettingsProblem(key: "GatehouseServer", isMissing: false)) {
            try settings(values)
        }
    }
}
