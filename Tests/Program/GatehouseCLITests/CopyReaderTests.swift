import GatehouseCLI
import Testing

@Suite("Rows of a plain dump")
struct CopyReaderTests {
    private func steps(_ text: String) -> (steps: [CopyReader.Step], isWhole: Bool) {
        var reader = CopyReader(wanted: ["auth.users", "auth.identities"])
        let steps = text.split(separator: "\n", omittingEmptySubsequences: false).map { reader.take(Array($0.utf8)) }
        return (steps.filter { $0 != .nothing }, reader.isWhole)
    }

    @Test("Text in another table is not mistaken for a heading")
    func smuggled() {
        let result = steps(
            """
            COPY public.notes (text) FROM stdin;
            COPY auth.identities (id, user_id) FROM stdin;
            1\t2
            \\.
            COPY public.nothing  FROM stdin;

            \\.
            COPY auth.users (id, email) FROM stdin;
            COPY auth.identities (id) FROM stdin;\t\\N
            \\.
            """)
        let text = "COPY auth.identities (id) FROM stdin;"
        #expect(
            result.steps == [
                .began(table: "auth.users"), .row(table: "auth.users", columns: ["id", "email"], values: [text, nil]),
            ])
        #expect(result.isWhole)
    }

    @Test(
        "A truncated dump is incomplete",
        arguments: [
            ("COPY auth.users (id) FROM stdin;\n1", false), ("COPY public.notes (id) FROM stdin;", false),
            ("-- PostgreSQL database dump\nCOPY auth.users (id) FROM stdin;\n1\n\\.", false),
            ("-- PostgreSQL database dump\n-- PostgreSQL database dump complete\n-- PostgreSQL database dump", false),
            ("-- PostgreSQL database dump\n-- PostgreSQL database dump complete", true), ("", true),
        ])
    func interrupted(text: String, isWhole: Bool) { #expect(steps(text).isWhole == isWhole) }

    @Test("A malformed line is reported, in the relevant tables")
    func unreadable() {
        let result = steps(
            "COPY public.notes (a) FROM stdin;\n1\t2\n\\.\nCOPY auth.users (a, b) FROM stdin;\n1\n1\t2\t3\n1\t2\n\\.")
        #expect(result.steps.count == 4)
        for step in result.steps[1...2] { #expect(step == .unreadable(reason: "not as many values as columns")) }
        var reader = CopyReader(wanted: ["auth.users"])
        #expect(reader.take(nil) == .nothing)
        _ = reader.take(Array("COPY auth.users (id) FROM stdin;".utf8))
        #expect(reader.take(nil) == .unreadable(reason: "longer than \(LineReader.maximumBytes) bytes"))
    }

    @Test("A PostgreSQL array is read with its quotes, escapes and nulls")
    func arrays() {
        let text = #"{nba_1,"a \"b\", {c} \\",NULL,"NULL",x\,y}"#
        #expect(CopyText.array(text) == ["nba_1", #"a "b", {c} \"#, nil, "NULL", "x,y"])
        #expect(CopyText.array("{}") == [])
        for text in ["", "{", "}", "a,b", "{a,}", "{,a}", "{{a},{b}}", #"{"a}"#, #"{"a"b}"#, "[0:1]={a,b}", #"{a\}"#] {
            #expect(CopyText.array(text) == nil, "\(text)")
        }
    }

    @Test("Pages without a reader end without blocking the program")
    func abandonedPages() {
        let queue = PageQueue()
        let page = [SupabaseRow(id: "1", text: [])]
        #expect(queue.give(page) && queue.give(page))
        queue.close()
        #expect(!queue.give(page))
    }
}
