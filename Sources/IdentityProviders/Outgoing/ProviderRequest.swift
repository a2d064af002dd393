package import GatehouseWire

/// One call to a provider. It does not print its credentials.
package struct ProviderRequest: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    package let method: Method
    package let url: ProviderURL
    /// By name, lower case. Nothing secret.
    package let headers: [String: String]
    /// The value of `Authorization`.
    package let authorization: Secret?
    /// The body, as its content type says.
    package let body: Secret?
    /// How long an answer may be. A longer one is not read to its end.
    package let maximumBytes: Int
    /// From the first byte sent to the last one read, the connection included.
    package let timeLimit: Duration

    /// Asks for JSON.
    static func get(_ url: ProviderURL, authorization: Secret? = nil, maximumBytes: Int) -> ProviderRequest {
        ProviderRequest(
            method: .get, url: url, headers: ["accept": "application/json"], authorization: authorization, body: nil,
            maximumBytes: maximumBytes, timeLimit: ProviderLimits.documentTime)
    }

    /// Sends a form, asks for JSON.
    static func post(
        _ url: ProviderURL, form: [(name: String, value: Secret)], authorization: Secret?, maximumBytes: Int
    ) -> ProviderRequest {
        ProviderRequest(
            method: .post, url: url,
            headers: ["accept": "application/json", "content-type": "application/x-www-form-urlencoded"],
            authorization: authorization, body: FormText.encode(form), maximumBytes: maximumBytes,
            timeLimit: ProviderLimits.callTime)
    }
}

/// What the provider answered. It does not print its body.
package struct ProviderResponse: Sendable, CustomStringConvertible, CustomReflectable {
    package let status: Int
    package let body: [UInt8]

    package init(status: Int, body: [UInt8] = []) { (self.status, self.body) = (status, body) }

    package var description: String { "status \(status), \(body.count) bytes" }
    package var customMirror: Mirror { Mirror(self, children: ["status": status, "bytes": body.count]) }
}

/// Why there is no answer.
package enum ProviderTransportFailure: Error, Equatable, Sendable {
    /// No connection, no such host, the connection was lost, the certificate is wrong.
    case noConnection
    /// ``ProviderRequest/timeLimit`` is over.
    case timedOut
    /// Longer than ``ProviderRequest/maximumBytes``.
    case tooLong
    /// The name leads to an address that is not to be called.
    case addressRefused(OutgoingAddressRule.Refusal)
}

/// Carries one request to the provider and its answer back, whatever the status is.
///
/// It keeps the request's limits, follows no redirects, keeps no cookies, and resolves the name and asks
/// ``OutgoingAddressRule/check(_:of:)`` before it connects. It throws ``ProviderTransportFailure`` when there was
/// no answer; any other error counts as ``ProviderTransportFailure/noConnection``.
package typealias ProviderTransport = @Sendable (ProviderRequest) async throws -> ProviderResponse

/// Nothing that comes from a provider is read without a bound.
package enum ProviderLimits {
    /// In bytes, as all lengths here. Far more than Apple's and Google's need.
    package static let idToken = 16_384
    package static let metadata = 65_536
    package static let keys = 262_144
    package static let answer = 65_536
    /// For documents that are kept.
    package static let documentTime: Duration = .seconds(5)
    /// For calls that a person waits for.
    package static let callTime: Duration = .seconds(10)
}
