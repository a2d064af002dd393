package import GatehouseWire
package import HTTPTypes

/// A signed-in user of a test.
package struct TestSession: Sendable {
    package let userID: String
    package let accessToken: String
    package let refreshToken: String

    package init?(_ answer: TestAnswer) {
        guard let access = answer["access_token"]?.stringValue, let refresh = answer["refresh_token"]?.stringValue,
            let id = answer["user"]?["id"]?.stringValue
        else { return nil }
        (userID, accessToken, refreshToken) = (id, access, refresh)
    }
}

/// In a test's setup.
package struct UnexpectedAnswer: Error {
    package let answer: TestAnswer
    package init(answer: TestAnswer) { self.answer = answer }
}

extension TestServer {
    package static let password = "correct horse battery"

    package func signUp(
        _ email: String = "ada@example.com", password: String = TestServer.password, data: AuthJSON = .null
    ) async throws -> TestSession {
        let answer = try await send(
            .post, "/auth/v1/signup",
            json: ["email": .string(email), "password": .string(password), "data": data])
        guard let session = TestSession(answer) else { throw UnexpectedAnswer(answer: answer) }
        return session
    }

    package func signIn(
        _ email: String = "ada@example.com", password: String = TestServer.password, peer: String = "192.0.2.1"
    ) async throws -> TestAnswer {
        try await send(
            .post, "/auth/v1/token?grant_type=password",
            json: ["email": .string(email), "password": .string(password)], peer: peer)
    }

    package func refresh(_ token: String) async throws -> TestAnswer {
        try await send(.post, "/auth/v1/token?grant_type=refresh_token", json: ["refresh_token": .string(token)])
    }

    package func admin(
        _ method: HTTPRequest.Method, _ path: String, json: AuthJSON? = nil
    ) async throws -> TestAnswer {
        try await send(method, "/auth/v1/admin" + path, bearer: Self.secretKey, json: json)
    }
}
