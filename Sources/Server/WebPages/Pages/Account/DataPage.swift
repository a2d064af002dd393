import GatehouseWire
import HTTPTypes

struct DataPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/data") { try await $0.show() },
        takes("/data") { try await $0.download() },
    ]

    mutating func show() async throws -> Outcome {
        _ = try await visit.user()
        return .page(page())
    }

    mutating func download() async throws -> Outcome {
        do {
            var record = try await visit.callAsUser(.get, "/user/export").objectValue ?? [:]
            if pages.settings.hasGateway { record["profile"] = try await visit[ProfilePage.self].profile() }
            return .file(Array((AuthJSON.object(record).text + "\n").utf8), name: "account-data.json")
        } catch let refusal as CallRefusal where !refusal.needsProof {
            return .page(page(.problem(visit.message(for: refusal))))
        }
    }
}

extension DataPage {
    private func page(_ notice: Notice? = nil) -> Page {
        var page = visit.accountPage(say("Your Data"), notice)
        page.blocks = [
            .text(say("Download everything that is stored about you: account, profile, devices and history, as JSON.")),
            .form(Form(action: Place.data.path, button: say("Download My Data"))),
        ]
        return page
    }
}
