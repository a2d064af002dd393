import Foundation
package import Gatehouse
import GatehouseWire
package import HTTPServing
import HTTPTypes
import Hummingbird

/// The reference apps in a browser: `/app` of `gatehouse dev`, rendered by the screens' own code. A cookie identifies
/// each browser's simulated phone. `gatehouse serve` never routes it.
package struct LiveApp: Sendable {
    package static let path = "/app"

    let phones: Phones
    let server: String
    private let service: PhoneService

    /// - Parameters:
    ///   - server: Root URL without a trailing slash: `http://127.0.0.1:9999`.
    ///   - transport: The phones' network.
    ///   - clock: The phones' time.
    ///   - randomBytes: A cryptographically secure source.
    /// - Returns: nil if `server` is not a valid URL.
    package init?(
        server: String, publishableKey: String, transport: @escaping HTTPTransport,
        clock: ClientClock = SystemDefaults.clock(),
        randomBytes: @escaping @Sendable (Int) -> [UInt8]
    ) {
        guard let url = URL(string: server), url.host() != nil else { return nil }
        self.server = server
        service = PhoneService(
            server: url, publishableKey: publishableKey, transport: transport, clock: clock,
            randomBytes: randomBytes)
        phones = Phones(service)
    }

    /// The screens cannot be rendered without texts and fonts next to the program.
    package static var hasResources: Bool {
        let folder = Bundle.main.bundleURL
        return ["GatehouseUI", "BoxScoreScreens", "DailyRitualScreens", "LiveScreens"].allSatisfy {
            FileManager.default.fileExists(atPath: folder.appending(path: "gatehouse_\($0).resources").path)
        }
    }

    /// BoxScore's, as a file for the setting `team_catalogue`.
    package static var teams: [UInt8] { PackageResources.teams_json }

    package func table(runtime: ServerRuntime) -> RouteTable {
        RouteTable(
            group: RouteGroup(prefixes: [Self.path], format: .auth, crossOrigin: nil, cacheControl: "no-store"),
            runtime: runtime,
            ReferenceApp.allCases.flatMap { routes(of: $0, runtime) } + [
                Route(.get, "/app.js") { _, _ in LivePages.script }.unlogged,
                Route(.get, "/app.css") { _, _ in LivePages.style }.unlogged,
                Route(.get, "/close.js") { _, _ in LivePages.closing }.unlogged,
                Route(.get, "/fonts/{name}") { _, context in
                    try LivePages.font(context.parameters.get("name") ?? "")
                },
                Route(.get, "/callback/{ticket}", guardedBy: checkHost, answersHead: false, comeBack),
            ])
    }

    private func routes(of app: ReferenceApp, _ runtime: ServerRuntime) -> [Route] {
        [
            Route(.get, app.path) { request, _ in showPage(of: app, request) },
            Route(.get, app.path + "/events", guardedBy: checkCaller, answersHead: false) { request, _ in
                try await events(of: app, request, sleep: runtime.sleep)
            },
            Route(.post, app.path + "/actions", guardedBy: checkCaller, timeLimit: runtime.requestTimeLimit) {
                try await act(in: app, $0, $1)
            },
        ]
    }

    /// Redirects this machine's other names to the one that providers and cookie use.
    private func showPage(of app: ReferenceApp, _ request: Request) -> Response {
        isCalledByName(request) ? LivePages.page(of: app) : Answer.redirect(to: server + Self.path + app.path)
    }

    /// From a provider or an email's link.
    @Sendable private func comeBack(_ request: Request, _ context: ServerContext) async -> Response {
        let ticket = context.parameters.get("ticket") ?? ""
        guard let phone = await phones.phone(ticket: ticket), let url = URL(string: server + request.uri.string) else {
            return LivePages.nobodyWaits
        }
        await phone.open(url)
        return LivePages.back
    }
}

// Access control.
extension LiveApp {
    /// Other websites can reach a local port, even under their own names (DNS rebinding), but must not see or operate a
    /// phone. Programs send no origin.
    @Sendable private func checkCaller(_ request: Request, _ context: inout ServerContext) throws {
        try checkHost(request, &context)
        let site = request.headers[.fetchSite] ?? "same-origin"
        guard request.headers[.origin].map({ $0 == server }) ?? true, site == "same-origin" else {
            throw Refusal(.forbidden, RefusalCode("foreign_origin"), "Only the page at \(server) may call this.")
        }
    }

    @Sendable private func checkHost(_ request: Request, _ context: inout ServerContext) throws {
        guard isCalledByName(request) else {
            throw Refusal(.forbidden, RefusalCode("foreign_host"), "This server is at \(server).")
        }
    }

    private func isCalledByName(_ request: Request) -> Bool {
        server.hasSuffix("://" + (request.head.authority ?? "").lowercased())
    }

    /// Contains the port, because cookies are shared between all ports of a host.
    private var cookieName: String { "gatehouse-phone-\(service.server.port ?? 80)" }

    func phoneName(_ request: Request) -> String? {
        for header in request.headers[values: .cookie] {
            for pair in header.utf8.split(separator: UInt8(ascii: ";")) {
                let halves = pair.drop { $0 == UInt8(ascii: " ") }.split(separator: UInt8(ascii: "="), maxSplits: 1)
                guard halves.count == 2, halves[0].elementsEqual(cookieName.utf8), halves[1].count == 32,
                    halves[1].allSatisfy({
                        UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
                            || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
                    })
                else { continue }
                return String(Substring(halves[1]))
            }
        }
        return nil
    }

    func newPhone() -> (name: String, cookie: HTTPField) {
        let name = service.newName()
        let value = "\(cookieName)=\(name); Path=\(Self.path); HttpOnly; SameSite=Strict"
        return (name, HTTPField(name: .setCookie, value: value))
    }
}

extension HTTPField.Name {
    static let fetchSite = Self("sec-fetch-site")!
}
