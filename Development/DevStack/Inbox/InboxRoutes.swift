import GatehouseWire
package import HTTPServing
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

// The inbox of `gatehouse dev`; `gatehouse serve` never routes it. The server's check of `Host` keeps out other
// websites that point their domain at it.
extension Inbox {
    package static let path = LandingPage.path + "/inbox"
    /// Keep-alive events detect dead connections.
    private static let pulse: Duration = .seconds(15)

    /// The address of `hook_send_sms`; a GET request lists the messages.
    package static let textsPath = path + "/texts"

    /// - Parameter textHook: Without it, no program can add text messages.
    package func table(runtime: ServerRuntime, external: String, textHook: InboxTextHook? = nil) -> RouteTable {
        let origin = OwnOriginOnly(external: external)
        let own: Route.Guard = { try origin.check($0, $1) }
        return RouteTable(
            group: RouteGroup(prefixes: [Self.path], format: .auth, crossOrigin: nil, cacheControl: "no-store"),
            runtime: runtime,
            (textHook.map { [receive($0, runtime.now, own)] } ?? []) + [
                Route(.get, "", guardedBy: own, list),
                Route(.get, "/events", guardedBy: own, answersHead: false) { [self] _, _ in events(runtime.sleep) },
                Route(.get, "/mails", guardedBy: own, listAsJSON),
                Route(.get, "/mails/{mail_id}", guardedBy: own, show),
                Route(.get, "/mails/{mail_id}/html", guardedBy: own, showHTML),
                Route(.get, "/texts", guardedBy: own, listTextsAsJSON),
                Route(.get, "/texts/{text_id}", guardedBy: own, showText),
            ])
    }

    @Sendable private func list(_ request: Request, _ context: ServerContext) -> Response {
        let search = search(request)
        return InboxPage(messages: messages(containing: search), search: search, total: count).response
    }

    @Sendable private func listAsJSON(_ request: Request, _ context: ServerContext) -> Response {
        let mails = mails(containing: search(request)).map { AuthJSON.object($0.summary) }
        let json = AuthJSON.object(["mails": .array(mails)])
        return Answer.json(Array(json.text.utf8))
    }

    @Sendable private func listTextsAsJSON(_ request: Request, _ context: ServerContext) -> Response {
        let texts = texts(containing: search(request)).map(\.json)
        return Answer.json(Array(AuthJSON.object(["texts": .array(texts)]).text.utf8))
    }

    @Sendable private func showText(_ request: Request, _ context: ServerContext) -> Response {
        guard let text = text(context.parameters.get("text_id") ?? "") else { return InboxPage.missing("message") }
        return InboxTextPage(text: text).response
    }

    private func receive(
        _ hook: InboxTextHook, _ now: @escaping @Sendable () -> Instant, _ own: @escaping Route.Guard
    ) -> Route {
        Route(.post, "/texts", guardedBy: own) { [self] request, context in
            try keep(try await hook.message(request, context, at: now()))
            return Answer.json(Array("{}".utf8))
        }
    }

    @Sendable private func show(_ request: Request, _ context: ServerContext) -> Response {
        guard let mail = mail(context.parameters.get("mail_id") ?? "") else { return InboxPage.missing("mail") }
        let view = FormFields(request.uri.query ?? "")?["view"] ?? ""
        return InboxMailPage(mail: mail, view: InboxMailPage.View(text: view) ?? .html).response
    }

    @Sendable private func showHTML(_ request: Request, _ context: ServerContext) -> Response {
        guard let mail = mail(context.parameters.get("mail_id") ?? "") else { return InboxPage.missing("mail") }
        return InboxMailPage.framed(mail)
    }

    private func search(_ request: Request) -> String { FormFields(request.uri.query ?? "")?["q"] ?? "" }

    /// Server-sent events (HTML standard, 9.2), one per new message.
    private func events(_ sleep: @escaping @Sendable (Duration) async throws -> Void) -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { [self] writer in try await tell(&writer, sleep) })
    }

    private func tell(
        _ writer: inout any ResponseBodyWriter, _ sleep: @escaping @Sendable (Duration) async throws -> Void
    ) async throws {
        let (number, wakes) = watch()
        let pulse = Task {
            while true {
                try await sleep(Self.pulse)
                poke(number)
            }
        }
        defer {
            pulse.cancel()
            unwatch(number)
        }
        try await writer.write(ByteBuffer(string: "retry: 1000\n\n"))
        // A shutdown must not wait for browsers that only watch.
        for await wake in wakes.cancelOnGracefulShutdown() {
            guard wake == .look else {
                // Browsers ignore an event without data, and reconnect by default.
                try await writer.write(ByteBuffer(string: "event: moved\ndata: elsewhere\n\n"))
                break
            }
            try await writer.write(ByteBuffer(string: "event: mails\ndata: \(count)\n\n"))
        }
        try await writer.finish(nil)
    }
}
