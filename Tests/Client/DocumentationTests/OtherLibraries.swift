import Foundation
import Gatehouse

// Declarations of libraries that this package does not depend on, as documented.

/// Alamofire 5.10.
enum Alamofire {
    final class Session: Sendable {}

    final class Request: Sendable {
        var request: URLRequest? { nil }
        var response: HTTPURLResponse? { nil }
        var retryCount: Int { 0 }
    }

    enum RetryResult: Sendable {
        case retry, retryWithDelay(TimeInterval), doNotRetry, doNotRetryWithError(any Error)
    }

    protocol RequestInterceptor: Sendable {
        func adapt(
            _ urlRequest: URLRequest, for session: Session,
            completion: @escaping @Sendable (_ result: Result<URLRequest, any Error>) -> Void)
        func retry(
            _ request: Request, for session: Session, dueTo error: any Error,
            completion: @escaping @Sendable (RetryResult) -> Void)
    }
}

/// Apollo iOS 2.0.
enum Apollo {
    struct HTTPResponse: Sendable, ~Copyable {
        let response: HTTPURLResponse
    }

    protocol HTTPInterceptor: Sendable {
        typealias NextHTTPInterceptorFunction = @Sendable (URLRequest) async throws -> HTTPResponse
        func intercept(request: URLRequest, next: NextHTTPInterceptorFunction) async throws -> HTTPResponse
    }
}

/// grpc-swift 2.
enum GRPCCore {
    struct Metadata: Sendable {
        mutating func replaceOrAddString(_: String, forKey _: String) {}
    }

    struct ClientContext: Sendable {}

    struct RPCError: Error {
        enum Code: Sendable { case unauthenticated, unavailable }
        var code: Code
    }

    struct StreamingClientRequest<Message: Sendable>: Sendable {
        var metadata: Metadata
    }

    struct StreamingClientResponse<Message: Sendable>: Sendable {
        struct Contents: Sendable {}
        var accepted: Result<Contents, RPCError>
    }

    protocol ClientInterceptor: Sendable {
        func intercept<Input: Sendable, Output: Sendable>(
            request: StreamingClientRequest<Input>, context: ClientContext,
            next: (StreamingClientRequest<Input>, ClientContext) async throws -> StreamingClientResponse<Output>
        ) async throws -> StreamingClientResponse<Output>
    }
}

/// supabase-swift 2.
struct SupabaseClient {
    init(supabaseURL _: URL, supabaseKey _: String, options _: SupabaseClientOptions) {}
}

struct SupabaseClientOptions {
    struct AuthOptions {
        init(accessToken _: @escaping @Sendable () async throws -> String?) {}
    }

    init(auth _: AuthOptions) {}
}
