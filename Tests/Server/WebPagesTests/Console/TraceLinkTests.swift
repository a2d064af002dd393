import Testing

@testable import WebPages

@Suite("Links to traces")
struct TraceLinkTests {
    @Test(
        "A template needs a web address with an ID",
        arguments: [
            ("https://t.example.org/{trace_id}", true), ("http://t.example.org/#{request_id}", true),
            ("https://t.example.org/", false), ("https://t.example.org/{id}", false), ("{trace_id}", false),
            ("javascript:open({trace_id})", false), ("/{trace_id}", false), ("ftp://t.example.org/{trace_id}", false),
        ])
    func templates(text: String, isAccepted: Bool) { #expect((TraceLink(text) != nil) == isAccepted) }

    @Test("A request without a named ID, or with one that a client made up, has no link")
    func addresses() throws {
        let both = try #require(TraceLink("https://t.example.org/{trace_id}?r={request_id}&s={request_id}"))
        #expect(both.address(trace: "aa", request: "b-1") == "https://t.example.org/aa?r=b-1&s=b-1")
        #expect(both.address(trace: nil, request: "b-1") == nil && both.address(trace: "aa", request: nil) == nil)
        #expect(both.address(trace: "aa", request: "\"><script>") == nil)
        let request = try #require(TraceLink("https://t.example.org/{request_id}"))
        #expect(request.address(trace: nil, request: "b") == "https://t.example.org/b")
    }
}
