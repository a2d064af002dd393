package import GatehouseWire

/// A request to a provider. Does not print its credentials.
package struct ProviderRequest: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    package let method: Method
    package let url: ProviderURL
    /// By name in lower case. Contains no secrets.
    package let headers: [String: String]
    /// The value of `Authorization`.
    package let authorization: Secret?
    /// The body, as its content type says.
    package let body: Secret?
    /// The maximum length of the response. Reading stops beyond it.
    package let maximumBytes: Int
    /// The time limit of the whole request, including connecting.
    package let timeLimit: Duration

    /// A GET request for a text, to a service that is no provider.
    package static func text(
        _ url: ProviderURL, headers: [String: String], maximumBytes: Int, timeLimit: Duration
    ) -> ProviderRequest {
        ProviderRequest(
            method: .get, url: url, headers: headers, authorization: nil, body: nil, maximumBytes: maximumBytes,
            timeLimit: timeLimit)
    }

    /// A GET request for JSON.
    static func get(_ url: ProviderURL, authorization: Secret? = nil, maximumBytes: Int) -> ProviderRequest {
        ProviderRequest(
            method: .get, url: url, headers: ["accept": "application/json"], authorization: authorization, body: nil,
            maximumBytes: maximumBytes, timeLimit: ProviderLimits.documentTime)
    }

    /// A form POST with a JSON response.
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

/// A provider's response. Does not print its body.
package struct ProviderResponse: Sendable, Unprinted {
    package let status: Int
    package let body: [UInt8]

    package init(status: Int, body: [UInt8] = []) { (self.status, self.body) = (status, body) }

    package var description: String { "status \(status), \(body.count) bytes" }
}

/// Why there is no response.
package enum ProviderTransportFailure: Error, Equatable, Sendable {
    /// The host does not exist, the connection failed or was lost, or its certificate is invalid. The cause is for the
    /// log: the same text for the same failure.
    case noConnection(String)
    /// ``ProviderRequest/timeLimit`` has passed.
    case timedOut
    /// The response is longer than ``ProviderRequest/maximumBytes``.
    case tooLong
    /// The name resolves to an address that must not be called.
    case addressRefused(OutgoingAddressRule.Refusal)
}

/// Sends a request to a provider and returns the response, whatever its status.
///
/// It enforces the request's limits, follows no redirects, stores no cookies, and resolves the name and calls
/// ``OutgoingAddressRule/check(_:of:)`` before connecting. It throws ``ProviderTransportFailure`` without a response;
/// any other error counts as ``ProviderTransportFailure/noConnection(_:)``.
package typealias ProviderTransport = @Sendable (ProviderRequest) async throws -> ProviderResponse

/// Limits for everything that providers send.
package enum ProviderLimits {
    /// In bytes, like all lengths here. Far more than Apple and Google need.
    package static let idToken = 16_384
    package static let metadata = 65_536
    package static let keys = 262_144
    package static let answer = 65_536
    /// For documents that are cached.
    package static let documentTime: Duration = .seconds(5)
    /// For calls during a sign-in.
    package static let callTime: Duration = .seconds(10)
}
