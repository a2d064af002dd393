import GatehouseWire
import HTTPServing
import HTTPTypes

/// Other apps and agents that users may connect.
struct ClientListPage: ConsolePage {
    var visit: Visit

    static let routes = [
        shows("/clients") { try await $0.show() }
    ]

    private static let rows = 50

    mutating func show() async throws -> Outcome {
        guard visit.isInConsole else { return visit.goToConsoleSignIn(nil) }
        let number = max(1, min(visit.fields["page"].flatMap { Int($0) } ?? 1, 1_000_000))
        var page = Page(ConsolePlace.clients.title)
        page.blocks = try await part("Clients") { console in
            let json = try await console.callAsAdmin(
                .get, "/admin/oauth/clients?page=\(number)&per_page=\(Self.rows)")
            let clients = try RegisteredClient.list(json: json)
            var table = Table(
                caption: "OAuth clients", columns: ["Name", "Registered by", "State", "Type", "Created (UTC)"],
                empty: "No clients are registered.")
            table.rows = clients.map(\.cells)
            if clients.count == Self.rows { table.next = "\(ConsolePlace.clients.path)?page=\(number + 1)" }
            return [
                .soft("Apps and agents that can ask users for access. Users decide for themselves."), .table(table),
                .actions([Link(title: "Register a Client…", address: ConsolePlace.clients.path + "/new")]),
            ]
        }
        return .page(page)
    }
}

/// Of `GET /admin/oauth/clients`.
struct RegisteredClient {
    let id: String
    let name: String
    let document, uri, logo, scope: String?
    let redirectURIs, grants: [String]
    let isConfidential, isVerified, isManual: Bool
    let createdAt: Instant

    static func list(json: AuthJSON) throws(WireProblem) -> [RegisteredClient] {
        try WireMembers.list("clients", of: json) { json throws(WireProblem) in try RegisteredClient(json: json) }
    }

    init(json: AuthJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "client")
        (id, name) = (try members.required("client_id"), members.text("client_name") ?? "")
        (document, uri) = (members.text("document_url"), members.text("client_uri"))
        (logo, scope) = (members.text("logo_uri"), members.text("scope"))
        (redirectURIs, grants) = (try members.texts("redirect_uris"), try members.texts("grant_types"))
        isConfidential = members.text("client_type") == "confidential"
        (isVerified, isManual) = (members.bool("verified"), members.text("registration_type") == "manual")
        createdAt = try members.instant("created_at")
    }

    var shownName: String { name.shownInEnglish }
    var path: String { "\(ConsolePlace.clients.path)/\(FormText.escape(id))" }
    var badge: Badge { isVerified ? Badge(text: "verified", tone: .good) : Badge(text: "not verified", tone: .bad) }

    var registration: String {
        if document != nil { return "its document" }
        return isManual ? "operator" : "itself"
    }

    private var type: String { isConfidential ? "with a secret" : "public" }

    fileprivate var cells: [Cell] {
        let host = (document ?? uri).flatMap { URLParts($0)?.host.shown }
        return [
            Cell(shownName, address: path, detail: host), Cell(registration), Cell([badge]), Cell(type),
            Cell(createdAt.minuteText),
        ]
    }

    var facts: [Fact] {
        var facts = [
            Fact("State", [badge]), Fact("Client ID", (document ?? id).shown), Fact("Registered by", registration),
            Fact("Type", type), Fact("Created", createdAt.minuteText),
        ]
        guard document != nil else { return facts }
        facts += redirectURIs.prefix(10).map { Fact("Redirect address", $0.shown) }
        if let scope { facts.append(Fact("Scopes", scope.shown)) }
        return facts
    }
}
