import AccountDomain
import AuthServer
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import IdentityProviders
import Logging
import NIOCore
import Synchronization
import WebPages

/// - Parameter tables: The APIs that the pages call.
/// - Throws: A template's error.
func makePages(
    _ settings: ServerSettings, _ secrets: ServerSecrets, _ tables: [RouteTable], _ runtime: ServerRuntime,
    _ world: World
) throws -> ServedPages {
    var made = ServedPages()
    let accountPages = settings.parts.contains(.pages) ? settings.pages : nil
    // Most servers have neither, and need no second router.
    guard accountPages != nil || settings.console != nil else { return made }
    let transport = insideTransport(settings, tables, world)
    if var pages = accountPages {
        let redirects = settings.auth.redirects
        pages.allowsRedirect = { redirects.allows($0) }
        let account = try makePages(.account, pages, settings, secrets, world, transport)
        made.tables.append(account.table(runtime))
        made.branding = makeBrandingWatch(account, pages, settings, world)
    }
    if let console = settings.console {
        made.tables.append(try makePages(.console, console, settings, secrets, world, transport).table(runtime))
    }
    return made
}

struct ServedPages {
    var tables: [RouteTable] = []
    /// nil without the operator's branding files.
    var branding: BrandingWatch?
}

func makeBrandingWatch(
    _ pages: WebPages, _ pageSettings: PageSettings, _ settings: ServerSettings, _ world: World
) -> BrandingWatch? {
    settings.brandingFiles.map { BrandingWatch($0, pageSettings.branding, pages, world.logger) }
}

private func insideTransport(_ settings: ServerSettings, _ tables: [RouteTable], _ world: World) -> PageTransport {
    let responder = Ports.router(tables).buildResponder()
    let (prefix, rule, logger) = (settings.authPrefixes.first ?? "", settings.clientAddress, world.logger)
    return { call in
        var headers = call.headers
        if let field = call.clientAddress.flatMap(rule.field) { headers.append(field) }
        let head = HTTPRequest(
            method: call.method, scheme: "http", authority: "localhost",
            path: (call.api == .auth ? prefix : "") + call.path, headerFields: headers)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: call.body ?? [])))
        // For limits and the list of devices.
        var context = ServerContext(peerAddress: call.clientAddress, logger: logger)
        context.isOwnPage = true
        let response = try await responder.respond(to: request, context: context)
        let body = CollectedBody()
        try await response.body.write(body)
        return PageReply(status: response.status.code, headers: response.headers, body: body.bytes)
    }
}

/// Account pages that call the APIs over HTTP.
///
/// - Throws: A template's error.
func makeRemotePages(
    _ pages: PageSettings, _ settings: ServerSettings, _ secrets: ServerSecrets, _ tracer: Tracer?, _ world: World
) throws -> WebPages {
    let (http, rule) = (world.http, settings.clientAddress)
    let sleep = world.sleep
    return try makePages(.account, pages, settings, secrets, world) { call in
        let base = call.api == .auth ? pages.authURL : SettingsReader.origin(of: pages.authURL)
        var outgoing = OutgoingCall(
            method: call.method.rawValue, url: base + call.path, headers: headers(of: call, rule), body: call.body,
            maximumBytes: 4_194_304)
        guard OutgoingURL.isAllowed(outgoing.url) else { throw OutgoingFailure.notAllowed }
        let answer = try await tracer.inSpan(call.api == .auth ? "call auth API" : "call gateway", .client) { span in
            if let context = ActiveSpan.current?.context { outgoing.headers.merge(context.headers) { own, _ in own } }
            span?.note(outgoing.method, ProviderURL(outgoing.url))
            let answer = try await limited(to: outgoing.timeLimit, by: sleep) { [outgoing] in
                try await http.answer(to: outgoing)
            }
            span?.note(status: answer.status)
            return answer
        }
        return PageReply(status: answer.status, headers: [:], body: answer.body)
    }
}

/// Without cookies: the Auth API's belong to its own host.
private func headers(of call: PageCall, _ rule: ClientAddressRule) -> [String: String] {
    var headers: [String: String] = [:]
    for field in call.headers where field.name != .cookie { headers[field.name.canonicalName] = field.value }
    // Trusted if the Auth API reads this header and lists this server in trusted_proxies.
    if let field = call.clientAddress.map(rule.forwarded) { headers[field.name.canonicalName] = field.value }
    return headers
}

private func makePages(
    _ site: Site, _ pages: PageSettings, _ settings: ServerSettings, _ secrets: ServerSecrets, _ world: World,
    _ transport: @escaping PageTransport
) throws -> WebPages {
    let name = site == .account ? "account pages" : "console"
    let seal = PageSeal(
        seal: { try secrets.seal($0, name: name, nonce: world.randomBytes(12)) },
        open: { try secrets.open($0, name: name) })
    return try WebPages(
        site, pages, seal: seal, clientAddress: settings.clientAddress, now: world.now, randomBytes: world.randomBytes,
        transport: transport)
}

private final class CollectedBody: ResponseBodyWriter, Sendable {
    private let collected = Mutex<[UInt8]>([])
    var bytes: [UInt8] { collected.withLock { $0 } }

    func write(_ buffer: ByteBuffer) async throws { collected.withLock { $0 += buffer.readableBytesView } }
    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
