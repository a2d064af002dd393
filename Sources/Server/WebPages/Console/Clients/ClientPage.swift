import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

/// One client, or a new one at `new`.
struct ClientPage: ConsolePage {
    var visit: Visit

    static let routes = [
        shows("/clients/{client_id}") { try await $0.show() },
        takes("/clients/{client_id}") { try await $0.save() },
    ]

    mutating func show() async throws -> Outcome {
        guard visit.isInConsole else { return visit.goToConsoleSignIn(nil) }
        if isNew { return .page(newPage()) }
        return .page(page(try await client()))
    }

    mutating func save() async throws -> Outcome {
        if isNew { return try await create() }
        let client = try await client()
        do {
            try await callAsAdmin(.put, "/admin/oauth/clients/\(clientID)", ClientFields(visit).json)
        } catch let refusal as AdminRefusal where refusal.cause.code == .validationFailed {
            return .page(page(client, .problem(ClientFields.problem)))
        }
        visit.session.sentence = "The client was changed."
        return .move(client.path)
    }
}

extension ClientPage {
    /// Escaped for a call's path.
    var clientID: String { FormText.escape((visit.context.parameters.get("client_id") ?? "").cut(to: 64)) }

    private var isNew: Bool { clientID.utf8.elementsEqual("new".utf8) }

    mutating func client() async throws -> RegisteredClient {
        try RegisteredClient(json: await callAsAdmin(.get, "/admin/oauth/clients/\(clientID)"))
    }

    private mutating func create() async throws -> Outcome {
        var body = ClientFields(visit).json
        body["client_type"] = .string(visit.fields["type"] == "public" ? "public" : "confidential")
        do {
            let json = try await callAsAdmin(.post, "/admin/oauth/clients", body)
            return .page(secretPage(json, title: "Client Registered"))
        } catch let refusal as AdminRefusal where refusal.cause.code == .validationFailed {
            return .page(newPage(.problem(ClientFields.problem)))
        }
    }

    /// Shows a new secret once.
    func secretPage(_ json: AuthJSON, title: String) -> Page {
        let id = json["client_id"]?.stringValue ?? ""
        var page = Page(title, [.facts([Fact("Client ID", id.shown)])])
        page.back = (ConsolePlace.clients.title, ConsolePlace.clients.path)
        if let secret = json["client_secret"]?.stringValue {
            page.blocks += [.text("Copy the client's secret now. It is not shown again."), .code(secret)]
        }
        let client = "\(ConsolePlace.clients.path)/\(FormText.escape(id))"
        page.blocks.append(.actions([Link(title: "Open the Client", address: client)]))
        return page
    }

    private func newPage(_ notice: Notice? = nil) -> Page {
        var page = Page("Register a Client")
        page.notice = notice
        page.back = (ConsolePlace.clients.title, ConsolePlace.clients.path)
        var type = Field(
            kind: .choice, name: "type", label: "Type", value: visit.entered("type") ?? "confidential",
            hint: "An app on users' devices cannot keep a secret.")
        type.options = [
            Field.Option(value: "confidential", title: "Runs on a server, with a secret"),
            Field.Option(value: "public", title: "Runs on users' devices, public"),
        ]
        page.blocks = [
            .soft("A client that you register is verified: users see its name and logo without a warning."),
            .form(
                Form(
                    action: ConsolePlace.clients.path + "/new",
                    fields: ClientFields(visit).fields + [type], button: "Register")),
        ]
        return page
    }

    private func page(_ client: RegisteredClient, _ notice: Notice? = nil) -> Page {
        var page = Page(client.shownName)
        page.notice = notice
        page.back = (ConsolePlace.clients.title, ConsolePlace.clients.path)
        let acts = ClientAct.allCases.filter { $0.fits(client) }
        page.blocks = [
            .facts(client.facts),
            .actions(acts.map { Link(title: $0.title + "…", address: "\(client.path)/\($0.rawValue)") }),
        ]
        guard client.document == nil else { return page }
        let fields = visit.request.method == .post ? ClientFields(visit) : ClientFields(client)
        page.blocks += [
            .heading("Change"), .form(Form(action: client.path, fields: fields.fields, button: "Save")),
        ]
        return page
    }
}

/// An operator's input about a client.
struct ClientFields {
    private let name, redirects, uri, logo, scope, flows: String
    private static let device = "urn:ietf:params:oauth:grant-type:device_code"

    static let problem = """
        The server rejected this. A name has 1 to 100 characters, a redirect address is an https, loopback or app address \
        without a fragment, website and logo are https addresses, and scopes are separated by spaces.
        """

    init(_ visit: Visit) {
        func field(_ name: String) -> String { (visit.entered(name) ?? "").cut(to: 24_000) }
        (name, redirects, uri) = (field("name"), field("redirects"), field("uri"))
        (logo, scope, flows) = (field("logo"), field("scope"), field("flows"))
    }

    init(_ client: RegisteredClient) {
        (name, redirects) = (client.name, client.redirectURIs.joined(separator: " "))
        (uri, logo, scope) = (client.uri ?? "", client.logo ?? "", client.scope ?? "")
        let isOfDevice = client.grants.contains(Self.device)
        flows = isOfDevice ? (client.grants.contains("authorization_code") ? "both" : "device") : "browser"
    }

    var json: AuthJSONObject {
        var grants = flows == "device" ? [] : ["authorization_code"]
        if flows == "device" || flows == "both" { grants.append(Self.device) }
        let addresses = redirects.split(ascii: " ").map { AuthJSON.string(String($0)) }
        return [
            "client_name": .string(name), "redirect_uris": .array(addresses), "client_uri": .string(uri),
            "logo_uri": .string(logo), "scope": .string(scope),
            "grant_types": .array((grants + ["refresh_token"]).map(AuthJSON.string)),
        ]
    }

    var fields: [Field] {
        var flow = Field(kind: .choice, name: "flows", label: "Where users approve", value: flows)
        flow.options = [
            Field.Option(value: "browser", title: "In their browser"),
            Field.Option(value: "device", title: "On another device, with a code"),
            Field.Option(value: "both", title: "Both"),
        ]
        return [
            text("name", "Name", name, longest: 100, isLatin: false),
            text(
                "redirects", "Redirect addresses", redirects, hint: "Separated by spaces, at most 10.", longest: 20_500),
            flow, text("uri", "Website", uri, hint: "Optional."),
            text("logo", "Logo address", logo, hint: "Optional. Shown if the client is verified."),
            text(
                "scope", "Scopes", scope, hint: "Optional. Separated by spaces. Empty: all of this server.",
                longest: 1_024),
        ]
    }

    private func text(
        _ name: String, _ label: String, _ value: String, hint: String? = nil, longest: Int = 2_048,
        isLatin: Bool = true
    ) -> Field {
        var field = Field(kind: .text, name: name, label: label, value: value, hint: hint, maximumLength: longest)
        (field.isRequired, field.isLatin) = (name == "name", isLatin)
        return field
    }
}
