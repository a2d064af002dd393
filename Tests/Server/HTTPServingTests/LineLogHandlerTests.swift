import GatehouseWire
import HTTPServing
import Logging
import Testing

@Suite("Log lines")
struct LineLogHandlerTests {
    private func line(_ format: LineLogHandler.Format, _ log: (Logger) -> Void) -> String {
        let lines = LogLines()
        var handler = LineLogHandler(
            label: "gatehouse", format: format, logLevel: .info,
            now: { Instant(microseconds: 1_767_225_600_120_000) }, write: { lines.append($0) })
        handler[metadataKey: "hb.request.id"] = "theirs"
        log(Logger(label: "gatehouse") { [handler] _ in handler })
        return lines.text
    }

    @Test("JSON is one object per line")
    func json() throws {
        let text = line(.json) {
            $0.event(.warning, "request answered", [.route: "/token", .outcome: "a\"b\nc"])
            $0.event(.debug, "not this one")
        }
        #expect(
            text == #"{"time":"2026-01-01T00:00:00.12Z","level":"warning","logger":"gatehouse","#
                + #""message":"request answered","metadata":{"outcome":"a\"b\nc","route":"/token"}}"# + "\n")
        #expect(try JSONReader.read(text)["metadata"]?["outcome"] == "a\"b\nc")
    }

    @Test("The console line is for people and cannot be forged or coloured")
    func console() {
        let text = line(.console) {
            $0.event(.error, "failed", [.cause: "x\u{1B}[31m\ny\u{9B}\u{202E}\u{2028}z", .route: "/a"])
        }
        #expect(text == "00:00:00.120 error    failed cause=x [31m y   z route=/a\n")
    }
}
