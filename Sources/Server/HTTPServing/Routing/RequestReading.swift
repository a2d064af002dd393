package import GatehouseWire
package import HTTPTypes
package import Hummingbird
import NIOCore
import Synchronization

/// Form-decoded: unlike in Hummingbird's parser, a plus sign is a space.
package struct Query {
    package private(set) var parameters: [(name: String, value: String)] = []

    package init(_ request: Request) { self.init(form: request.uri.query ?? "") }

    /// - Parameter text: `application/x-www-form-urlencoded`.
    package init(form text: String) {
        // Splitting into Characters is many times slower.
        for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            let value = pair[name.endIndex...].dropFirst()
            parameters.append((FormText.readLeniently(name), FormText.readLeniently(value)))
        }
    }

    /// The first parameter; nil if absent or empty.
    package subscript(name: String) -> String? {
        let value = parameters.first { $0.name == name }?.value
        return value?.isEmpty == false ? value : nil
    }

    package func followed(by other: Query) -> Query {
        var both = self
        both.parameters += other.parameters
        return both
    }

    /// Replaces one parameter and sorts names, as in Supabase's links, without repeating `apikey`.
    package func encoded(setting name: String, to value: String) -> String {
        let others = parameters.filter { $0.name != name && $0.name != "apikey" }
        return (others + [(name, value)]).sorted { $0.name < $1.name }
            .map { "\(FormText.escape($0.name))=\(FormText.escape($0.value))" }.joined(separator: "&")
    }
}

extension HTTPFields {
    /// RFC 6750 §2.1, parsed like Supabase Auth: scheme in any case, one space, no whitespace in the token. nil also
    /// for duplicate headers.
    package var bearerToken: String? {
        var value = single(.authorization)
        return value?.withUTF8 { bytes in
            guard bytes.count > 7, bytes.prefix(7).elementsEqual("bearer ".utf8, by: { $0 | 0x20 == $1 }) else {
                return nil
            }
            let token = UnsafeBufferPointer(rebasing: bytes[7...])
            return Self.isVisible(UnsafeRawBufferPointer(token)) ? String(decoding: token, as: UTF8.self) : nil
        }
    }

    /// nil if repeated, which the subscript would join. Does not copy.
    func single(_ name: HTTPField.Name) -> String? {
        var found: String?
        for field in self where field.name == name {
            guard found == nil else { return nil }
            found = field.value
        }
        return found
    }

    /// Eight bytes per step: a token has about a thousand.
    private static func isVisible(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let whole = bytes.count & ~7
        var found: UInt64 = 0
        for start in stride(from: 0, to: whole, by: 8) {
            let eight = bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            // Sets an invisible byte's upper bit: below 0x21 by the borrow, above 0x7E by the carry or by itself. Only
            // an invisible byte borrows or carries.
            found |= (eight &- 0x2121_2121_2121_2121) | (eight &+ 0x0101_0101_0101_0101) | eight
        }
        return found & 0x8080_8080_8080_8080 == 0 && bytes[whole...].allSatisfy { (0x21...0x7E).contains($0) }
    }
}

extension Request {
    /// Ignores `Content-Type`, like Supabase Auth.
    ///
    /// - Throws: ``Refusal`` `bad_json` (400) for anything but one object, and the errors of ``bytes(_:)``.
    package func jsonMembers(_ context: ServerContext) async throws -> JSONMembers {
        let bytes = try await bytes(context)
        guard !bytes.isEmpty else { throw Refusal.badJSON("unexpected end of JSON input") }
        do throws(JSONProblem) {
            return try JSONMembers(bytes)
        } catch {
            throw Refusal.badJSON(error.sentence)
        }
    }

    /// A second call returns no bytes.
    ///
    /// A slow body is cut off at the deadline when a part arrives, a stalled one by the idle timeout, so ordinary
    /// requests need no timer. Both close the connection.
    ///
    /// - Parameter limit: nil for `context.maxUploadSize`.
    /// - Throws: ``Refusal`` 413 beyond `limit` bytes, before reading if `Content-Length` announces them; 503 if all
    ///   bodies together are too long; 504 after the deadline.
    package func bytes(_ context: ServerContext, upTo limit: Int? = nil) async throws -> [UInt8] {
        let limit = limit ?? context.maxUploadSize
        let announced = headers.single(.contentLength).flatMap { Int($0) }
        if let announced, announced > limit { throw refusedMidway(.bodyTooLarge(limit: limit), context) }
        if headers.contains(.expect) { context.wantBody() }
        var bytes: [UInt8] = []
        // Capped, so an announced length alone allocates no memory.
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
            // If the time limit cancels the wait, the error is the body's own.
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
    /// For the client. Never quotes the body.
    package var sentence: String {
        switch self {
        case .malformed(let reason): reason
        case .wrongType(let member, let expected): "\(member) must be of type \(expected)"
        }
    }
}

/// Limits the memory of all bodies together, however many clients send slowly.
package final class BodyBudget: Sendable {
    /// Free bytes of each body. Sign-ins, refreshes and profile changes are shorter, so long bodies never block them.
    static let free = 8_192

    private struct Use {
        var bytes = 0
        var highest = 0
    }

    private let limit: Int
    private let use = Mutex(Use())

    package init(limit: Int = 33_554_432) { self.limit = limit }

    package var bytes: Int { use.withLock(\.bytes) }

    /// The maximum since the previous call.
    package func takeHighest() -> Int {
        use.withLock { use in
            defer { use.highest = use.bytes }
            return use.highest
        }
    }

    fileprivate func take(_ count: Int) -> Bool {
        use.withLock { use in
            guard use.bytes + count <= limit else { return false }
            use.bytes += count
            use.highest = max(use.highest, use.bytes)
            return true
        }
    }

    fileprivate func giveBack(_ count: Int) { use.withLock { $0.bytes -= count } }
}

final class BodyShare: Sendable {
    private let budget: BodyBudget
    private let taken = Mutex(0)

    init(_ budget: BodyBudget) { self.budget = budget }

    /// - Parameter count: The body's length so far.
    /// - Throws: ``BodiesTooLong``.
    func grow(to count: Int) throws(BodiesTooLong) {
        let isTaken = taken.withLock { taken in
            let wanted = max(0, count - BodyBudget.free)
            guard wanted > taken else { return true }
            guard budget.take(wanted - taken) else { return false }
            taken = wanted
            return true
        }
        if !isTaken { throw BodiesTooLong() }
    }

    func end() {
        let count = taken.withLock { taken in
            defer { taken = 0 }
            return taken
        }
        if count > 0 { budget.giveBack(count) }
    }
}

/// All bodies together exceed the limit.
struct BodiesTooLong: Error {}
