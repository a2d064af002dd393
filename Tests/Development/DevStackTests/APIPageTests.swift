import DevStack
import GatehouseWire
import HTTPServing
import HTTPTypes
import TestDatabases
import Testing

@Suite("The page of requests")
struct APIPageTests {
    private static let attack = #"<script>alert(1)</script>"#

    @Test("It lists the requests of a document as text, under a strict policy")
    func page() async throws {
        let operation: AuthJSON = [
            "tags": ["Auth"], "summary": .string(Self.attack), "x-error-codes": [.string(Self.attack)],
        ]
        let document = AuthJSON.object(["paths": ["/auth/v1/user": ["get": operation]]])
        let page = try APIPage(document: Array(document.text.utf8))
        let answer = try await DevRouter(api: page).get("/dev/api")
        #expect(answer.status == 200 && answer.text.contains("GET /auth/v1/user"))
        #expect(!answer.text.contains(Self.attack) && answer.text.contains("&lt;script&gt;alert(1)"))
        let policy = answer.headers[.init("content-security-policy")!] ?? ""
        #expect(policy.contains("default-src 'none'") && policy.contains("connect-src 'self'"))
        #expect(!policy.contains("unsafe") && answer.headers[.cacheControl] == "no-store")
    }
}
