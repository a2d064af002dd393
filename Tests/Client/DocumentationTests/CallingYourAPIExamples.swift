// Written by Scripts/documentation/make-examples: the examples of Gatehouse's documentation. They are compiled, and the tests
// among them run.
import Foundation
import Gatehouse
import GatehouseDesktop
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import SwiftUI
import Testing

// Sources/Client/Gatehouse/Gatehouse.docc/CallingYourAPI.md
private struct Example1 {
    struct JournalAPI {
        let client: GatehouseClient

        func data(for request: URLRequest) async throws -> Data {
            let session = try await client.session
            var (data, response) = try await send(request, session)
            if response.statusCode == 401 {
                (data, response) = try await send(request, client.refreshSession(insteadOf: session.accessToken))
            }
            guard response.statusCode == 200 else { throw URLError(.badServerResponse) }
            return data
        }

        private func send(_ request: URLRequest, _ session: AuthSession) async throws -> (Data, HTTPURLResponse) {
            var request = request
            request.setValue("Bearer \(session.accessToken)", forHTTPHeaderField: "Authorization")
            let (data, response) = try await URLSession.shared.data(for: request)
            guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
            return (data, response)
        }
    }
}

// Sources/Client/Gatehouse/Gatehouse.docc/CallingYourAPI.md
private struct Example2 {
    struct GatehouseInterceptor: Alamofire.RequestInterceptor {
        let client: GatehouseClient

        func adapt(
            _ urlRequest: URLRequest, for _: Alamofire.Session,
            completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
        ) {
            Task {
                do {
                    var request = urlRequest
                    let token = try await client.session.accessToken
                    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
                    completion(.success(request))
                } catch {
                    completion(.failure(error))
                }
            }
        }

        func retry(
            _ request: Alamofire.Request, for _: Alamofire.Session, dueTo _: any Error,
            completion: @escaping @Sendable (Alamofire.RetryResult) -> Void
        ) {
            let header = request.request?.value(forHTTPHeaderField: "Authorization")
            guard request.response?.statusCode == 401, request.retryCount == 0, let header else {
                return completion(.doNotRetry)
            }
            Task {
                do {
                    _ = try await client.refreshSession(insteadOf: String(header.dropFirst("Bearer ".count)))
                    completion(.retry)
                } catch {
                    completion(.doNotRetryWithError(error))
                }
            }
        }
    }
}

// Sources/Client/Gatehouse/Gatehouse.docc/CallingYourAPI.md
private struct Example3 {
    struct GatehouseInterceptor: Apollo.HTTPInterceptor {
        let client: GatehouseClient

        func intercept(request: URLRequest, next: NextHTTPInterceptorFunction) async throws -> Apollo.HTTPResponse {
            let session = try await client.session
            let response = try await next(authorized(request, session))
            guard response.response.statusCode == 401 else { return response }
            return try await next(authorized(request, client.refreshSession(insteadOf: session.accessToken)))
        }

        private func authorized(_ request: URLRequest, _ session: AuthSession) -> URLRequest {
            var request = request
            request.setValue("Bearer \(session.accessToken)", forHTTPHeaderField: "Authorization")
            return request
        }
    }
}

// Sources/Client/Gatehouse/Gatehouse.docc/CallingYourAPI.md
private struct Example4 {
    struct GatehouseInterceptor: GRPCCore.ClientInterceptor {
        let client: GatehouseClient

        func intercept<Input: Sendable, Output: Sendable>(
            request: GRPCCore.StreamingClientRequest<Input>, context: GRPCCore.ClientContext,
            next: (
                GRPCCore.StreamingClientRequest<Input>, GRPCCore.ClientContext
            ) async throws -> GRPCCore.StreamingClientResponse<Output>
        ) async throws -> GRPCCore.StreamingClientResponse<Output> {
            var request = request
            let session = try await client.session
            request.metadata.replaceOrAddString("Bearer \(session.accessToken)", forKey: "authorization")
            let response = try await next(request, context)
            guard case .failure(let error) = response.accepted, error.code == .unauthenticated else { return response }
            let other = try await client.refreshSession(insteadOf: session.accessToken)
            request.metadata.replaceOrAddString("Bearer \(other.accessToken)", forKey: "authorization")
            return try await next(request, context)
        }
    }
}

// Sources/Client/Gatehouse/Gatehouse.docc/CallingYourAPI.md
private struct Example5 {
    func supabase(_ client: GatehouseClient) -> SupabaseClient {
        SupabaseClient(
            supabaseURL: url, supabaseKey: "sb_publishable_…",
            options: SupabaseClientOptions(
                auth: .init(accessToken: { try await client.session.accessToken })))
    }
}
