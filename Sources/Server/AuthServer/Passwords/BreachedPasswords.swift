import Crypto
package import GatehouseWire
import HTTPServing
package import IdentityProviders

/// Have I Been Pwned receives the first five of 40 digits of the password's SHA-1, which about a thousand other
/// passwords share.
package struct BreachedPasswords: Sendable {
    /// The path below which the ranges are.
    package static let url = "https://api.pwnedpasswords.com/range/"
    /// A person waits.
    private static let timeLimit: Duration = .seconds(2)
    /// A padded range has about 40 KB.
    private static let maximumBytes = 262_144

    private let url: String
    private let send: ProviderTransport

    package init(url: String = Self.url, send: @escaping ProviderTransport) { (self.url, self.send) = (url, send) }

    /// - Throws: ``ProviderTransportFailure``, ``UnusableRange``, or `CancellationError`.
    package func contains(_ password: Secret) async throws -> Bool {
        let text = OpaqueString.prepare(password.reveal())
        let digits = Array(Insecure.SHA1.hash(data: Array(text.utf8)).flatMap(Self.hexadecimal))
        guard let range = ProviderURL(url + String(decoding: digits.prefix(5), as: UTF8.self)) else {
            throw UnusableRange(status: 0)
        }
        // Padding: the response's length would reveal the range.
        let answer = try await send(
            .text(
                range, headers: ["add-padding": "true", "user-agent": "Gatehouse"], maximumBytes: Self.maximumBytes,
                timeLimit: Self.timeLimit))
        guard answer.status == 200 else { throw UnusableRange(status: answer.status) }
        return Self.has(digits.dropFirst(5), in: answer.body)
    }

    /// Lines of 35 digits, a colon and the number of times, which is 0 for padding.
    private static func has(_ rest: ArraySlice<UInt8>, in body: [UInt8]) -> Bool {
        body.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }).contains { line in
            guard line.starts(with: rest) else { return false }
            let number = line.dropFirst(rest.count)
            return number.first == UInt8(ascii: ":") && !number.dropFirst().elementsEqual("0".utf8)
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> [UInt8] {
        [byte >> 4, byte & 15].map { $0 < 10 ? UInt8(ascii: "0") + $0 : UInt8(ascii: "A") + $0 - 10 }
    }
}

package struct UnusableRange: Error, Equatable, Sendable {
    /// 0 for an invalid URL.
    package let status: Int

    package init(status: Int) {
        self.status = status
    }
}

extension SignInHandlers {
    /// Accepts the password and counts the failure if the service does not respond.
    func isBreached(_ password: Secret) async throws -> Bool {
        guard let breachedPasswords else { return false }
        do {
            let isBreached = try await breachedPasswords.contains(password)
            counts.breachedPasswords.increment(isBreached ? "found" : "not_found")
            return isBreached
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            counts.breachedPasswords.increment("failed")
            return false
        }
    }
}
