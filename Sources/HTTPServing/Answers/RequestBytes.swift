package import GatehouseWire
import HTTPTypes
package import Hummingbird
import NIOCore

extension Request {
    /// Reads the members of the JSON object in the body. Ignores `Content-Type`, like Supabase Auth.
    ///
    /// - Throws: ``Refusal`` `bad_json` (400) for an empty body or anything but one object, and the errors of
    ///   ``bytes(_:)``.
    package func jsonMembers(_ context: ServerContext) async throws -> JSONMembers {
        let bytes = try await bytes(context)
        guard !bytes.isEmpty else { throw Refusal.badJSON("unexpected end of JSON input") }
        do throws(JSONProblem) {
            return try JSONMembers(bytes)
        } catch {
            throw Refusal.badJSON(error.sentence)
        }
    }

    /// Reads the body. It can be read only once; a second call returns no bytes.
    ///
    /// A slow body is cut off at the request's deadline, checked when a part arrives. A stalled one ends with the
    /// connection's idle timeout, so that ordinary requests need no timer. Both close the connection.
    ///
    /// - Throws: ``Refusal`` 413 for more than `context.maxUploadSize` bytes, before reading if `Content-Length`
    ///   announces them; 503 if the bodies of all requests together are too long; 504 after the deadline.
    package func bytes(_ context: ServerContext) async throws -> [UInt8] {
        let limit = context.maxUploadSize
        let announced = headers[.contentLength].flatMap { Int($0) }
        if let announced, announced > limit { throw refusedMidway(.bodyTooLarge(limit: limit), context) }
        var bytes: [UInt8] = []
        // Capped, so that an announced length alone allocates no memory.
        bytes.reserveCapacity(min(announced ?? 0, BodyBudget.free))
        var parts = body.makeAsyncIterator()
        while let part = try await next(&parts, context) {
            guard bytes.count + part.readableBytes <= limit else {
                throw refusedMidway(.bodyTooLarge(limit: limit), context)
            }
            do {
                try context.bodyShare?.grow(to: bytes.count + part.readableBytes)
            } catch {
                throw refusedMidway(.unavailable(error), context)
            }
            bytes.append(contentsOf: part.readableBytesView)
            if let announced, bytes.count >= announced { continue }
            if let deadline = context.deadline, deadline.isOver { throw refusedMidway(.timeout, context) }
        }
        return bytes
    }

    private func next(_ parts: inout RequestBody.AsyncIterator, _ context: ServerContext) async throws -> ByteBuffer? {
        do {
            return try await parts.next()
        } catch {
            // When the time limit cancels the wait for the body, the error is the body's own.
            if Task.isCancelled { throw refusedMidway(.timeout, context) }
            throw ConnectionLost(cause: error)
        }
    }

    private func refusedMidway(_ refusal: Refusal, _ context: ServerContext) -> Refusal {
        context.closeConnection(after: .seconds(5))
        return refusal
    }
}

extension JSONProblem {
    /// A message for the client. Never quotes the body.
    var sentence: String {
        switch self {
        case .malformed(let reason): reason
        case .wrongType(let member, let expected): "\(member) must be of type \(expected)"
        }
    }
}
