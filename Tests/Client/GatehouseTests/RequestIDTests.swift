import Gatehouse
import TestSupport
import Testing

@Suite("The id of a refused request")
struct RequestIDTests {
    @Test(
        "It is the server's word for the request, in the header of this server or of a hosted project",
        arguments: [
            (["X-Request-Id": "a-1_B"], "a-1_B"), (["sb-request-id": "019a"], "019a"),
            (["x-request-id": "ours", "sb-request-id": "theirs"], "ours"),
            (["x-request-id": "", "sb-request-id": "theirs"], "theirs"), ([:], nil),
            (["x-request-id": "ada@example.com"], nil), (["x-request-id": String(repeating: "a", count: 65)], nil),
        ] as [([String: String], String?)])
    func header(_ headers: [String: String], _ id: String?) async throws {
        try await World.with { world in
            world.network.meet(.answers(status: 422, headers: headers))
            do {
                try await world.client.signIn(email: "ada@example.com", password: "x")
                Issue.record("nothing was refused")
            } catch AuthClientError.refused(let refusal) {
                #expect(refusal.requestID == id)
            }
        }
    }

    @Test("Refusals that say the same are equal, whatever their requests")
    func equality() {
        let first = AuthRefusal(status: 500, code: nil)
        var second = first
        second.requestID = "a"
        #expect(first == second && first.hashValue == second.hashValue)
        second.status = 501
        #expect(first != second)
    }
}
