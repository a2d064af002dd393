package import GatehouseWire

/// Does not print its credentials.
package struct ProviderRequest: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    package let method: Method
    package let url: ProviderURL
    /// Lower-case names, no secrets.
    package let headers: [String: String]
    package let authorization: Secret?
    package let body: Secret?
    /// Reading the response stops beyond it.
    package let maximumBytes: Int
    /// For the whole request, including connecting.
    package let timeLimit: Duration
    /// For traces; nil if the path has values.
    package let route: String?

    /// For a service other than a provider.
    package static func text(
        _ url: ProviderURL, headers: [String: String], maximumBytes: Int, timeLimit: Duration
    ) -> ProviderRequest {
        ProviderRequest(
            method: .get, url: url, headers: headers, authorization: nil, body: nil, maximumBytes: maximumBytes,
            timeLimit: timeLimit, route: nil)
    }

    /// A GET request for JSON.
    static func get(
        _ url: ProviderURL, headers: [String: String] = [:], authorization: Secret? = nil, maximumBytes: Int
    ) -> ProviderRequest {
        ProviderRequest(
            method: .get, url: url, headers: headers.merging(["accept": "application/json"]) { $1 },
            authorization: authorization, body: nil, maximumBytes: maximumBytes, timeLimit: ProviderLimits.documentTime,
            route: url.path)
    }

    /// A POST request for JSON, with a form.
    ///
    /// - Parameter hasFixedPath: false if the path has values, such as an account.
    package static func post(
        _ url: ProviderURL, form: [(name: String, value: Secret)], authorization: Secret?, maximumBytes: Int,
        hasFixedPath: Bool = true
    ) -> ProviderRequest {
        ProviderRequest(
            method: .post, url: url,
            headers: ["accept": "application/json", "content-type": "application/x-www-form-urlencoded"],
            authorization: authorization, body: FormText.encode(form), maximumBytes: maximumBytes,
            timeLimit: ProviderLimits.callTime, route: hasFixedPath ? url.path : nil)
    }
}

package struct ProviderResponse: Sendable, Unprinted {
    package let status: Int
    package let body: [UInt8]

    package init(status: Int, body: [UInt8] = []) { (self.status, self.body) = (status, body) }

    package var description: String { "status \(status), \(body.count) bytes" }
}

package enum ProviderTransportFailure: Error, Equatable, Sendable {
    /// For the log: constant for a given failure.
    case noConnection(String)
    case timedOut
    case tooLong
    case addressRefused(OutgoingAddressRule.Refusal)
}

/// Returns the response whatever its status.
///
/// Enforces the request's limits, follows no redirects, stores no cookies, and calls
/// ``OutgoingAddressRule/check(_:of:)`` before connecting. Throws ``ProviderTransportFailure`` without a response; any
/// other error is treated as ``ProviderTransportFailure/noConnection(_:)``.
package typealias ProviderTransport = @Sendable (ProviderRequest) async throws -> ProviderResponse

/// In bytes.
package enum ProviderLimits {
    /// Far more than Apple and Google need.
    package static let idToken = 16_384
    package static let metadata = 65_536
    package static let keys = 262_144
    package static let answer = 65_536
    /// For cached documents.
    package static let documentTime: Duration = .seconds(5)
    /// For calls during a sign-in.
    package static let callTime: Duration = .seconds(10)
}
