import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

// What a browser sees: server-sent events (HTML standard, 9.2), each with the whole newest screen. What was overtaken
// is never sent.
extension LiveApp {
    /// How often something is said when nothing happens: a connection that died is found by it.
    private static let pulse: Duration = .seconds(15)

    func events(_ request: Request, sleep: @escaping @Sendable (Duration) async throws -> Void) async throws -> Response
    {
        let fresh = newPhone()
        let known = phoneName(request)
        let phone = try await phones.open(known ?? fresh.name)
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
        // A server that is told to end does not wait for browsers that only watch.
        for await wake in wakes.cancelOnGracefulShutdown() {
            guard wake == .look else {
                // Without data a browser tells its script nothing. One that is not told connects again by itself.
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
