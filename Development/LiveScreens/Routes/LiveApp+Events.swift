import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

// Server-sent events (HTML standard, 9.2), each with the complete current screen; outdated ones are skipped.
extension LiveApp {
    /// Keep-alive events detect dead connections.
    private static let pulse: Duration = .seconds(15)

    func events(
        of app: ReferenceApp, _ request: Request, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) async throws -> Response {
        let fresh = newPhone()
        let known = phoneName(request)
        let phone = try await phones.open(known ?? fresh.name, app)
        var response = Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in try await Self.show(phone, to: &writer, sleep) })
        if known == nil { response.headers.append(fresh.cookie) }
        return response
    }

    private static func show(
        _ phone: Phone, to writer: inout any ResponseBodyWriter,
        _ sleep: @escaping @Sendable (Duration) async throws -> Void
    ) async throws {
        let (number, wakes) = await phone.watch()
        let pulse = Task {
            while true {
                try await sleep(Self.pulse)
                await phone.poke(number)
            }
        }
        defer {
            pulse.cancel()
            Task { @MainActor in phone.unwatch(number) }
        }
        try await writer.write(ByteBuffer(string: "retry: 1000\n\n"))
        var shown = 0
        // A shutdown must not wait for browsers that only watch.
        for await wake in wakes.cancelOnGracefulShutdown() {
            guard wake == .look else {
                // Browsers ignore an event without data, and reconnect by default.
                try await writer.write(ByteBuffer(string: "event: moved\ndata: elsewhere\n\n"))
                break
            }
            let frame = await phone.frame
            let isNew = frame.revision != shown
            shown = frame.revision
            try await writer.write(ByteBuffer(string: isNew ? "event: screen\ndata: \(frame.json())\n\n" : ":\n\n"))
        }
        try await writer.finish(nil)
    }
}
