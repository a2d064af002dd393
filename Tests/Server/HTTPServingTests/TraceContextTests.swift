import HTTPServing
import Testing

@Suite("W3C Trace Context")
struct TraceContextTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let span = "00f067aa0ba902b7"
    private static let valid = "00-\(trace)-\(span)-01"

    @Test(
        "A traceparent is parsed as level 1 says",
        arguments: [
            (valid, true), ("00-\(trace)-\(span)-00", false),
            // Only the lowest flag is known.
            ("00-\(trace)-\(span)-ff", true), ("00-\(trace)-\(span)-fe", false),
            // A later version may append to what is known.
            ("cc-\(trace)-\(span)-01", true), ("cc-\(trace)-\(span)-01-what-the-future-brings", true),
        ])
    func accepted(text: String, isSampled: Bool) throws {
        let context = try #require(TraceContext(traceparent: text))
        #expect(context.trace.text == Self.trace && context.span.text == Self.span)
        #expect(context.isSampled == isSampled && context.state == nil)
        #expect(context.traceparent == "00-\(Self.trace)-\(Self.span)-\(isSampled ? "01" : "00")")
    }

    @Test(
        "A malformed traceparent is none",
        arguments: [
            "", "00", valid.uppercased(), " " + valid, valid + " ", valid + "-", valid + "-00",
            "ff" + valid.dropFirst(2),
            "0g" + valid.dropFirst(2), "00-\(String(repeating: "0", count: 32))-\(span)-01",
            "00-\(trace)-\(String(repeating: "0", count: 16))-01", "00-\(trace)-\(span)-0", "00-\(trace)-\(span)-0G",
            "00-\(trace.dropLast())-\(span)-01", "00_\(trace)_\(span)_01", "cc-\(trace)-\(span)-01.more",
            "00-\(trace)-\(span)-é", "cc-\(trace)-\(span)-01-\(String(repeating: "a", count: 201))",
            // Two values that a proxy joined.
            valid + "," + valid,
        ])
    func refused(text: String) { #expect(TraceContext(traceparent: text) == nil) }

    @Test(
        "A tracestate passes on unchanged, from one or several fields",
        arguments: [
            (["rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"], "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"),
            (["a=1", "b=2"], "a=1,b=2"), (["a=1 , \tb= 2"], "a=1 , \tb= 2"), (["a=1,,b=2"], "a=1,,b=2"),
            (["0tenant@system=x"], "0tenant@system=x"), (["a_-*/=~!"], "a_-*/=~!"),
        ])
    func state(lines: [String], text: String) {
        #expect(TraceContext(traceparent: Self.valid, tracestate: lines)?.state == text)
        #expect(
            TraceContext(traceparent: Self.valid, tracestate: lines)?.headers
                == ["traceparent": Self.valid, "tracestate": text])
    }

    @Test(
        "A malformed tracestate is dropped, and its traceparent stays",
        arguments: [
            [], [""], [","], ["a"], ["a="], ["=1"], ["A=1"], ["0=1"], ["a=1=2"], ["a=1,a=2"], ["a@=1"], ["a@b@c=1"],
            ["a@0=1"], ["a=é"], ["a=1\u{7F}"], [String(repeating: "a", count: 257) + "=1"],
            ["a=" + String(repeating: "1", count: 511)],
            [(0..<33).map { "k\($0)=1" }.joined(separator: ",")],
        ])
    func droppedState(lines: [String]) throws {
        let context = try #require(TraceContext(traceparent: Self.valid, tracestate: lines))
        #expect(context.state == nil && context.headers == ["traceparent": Self.valid])
    }
}
