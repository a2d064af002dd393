import Foundation
import GatehouseWire
import TestSupport
import Testing

@testable import WebPages

@Suite("The charts of the console")
struct ConsoleChartTests {
    static func activity(_ counts: String, funnels: String = "", until: String = "2026-11-23T02:30:00Z") throws
        -> Activity
    {
        try Activity(
            json: JSONReader.read(
                """
                {"from":"2026-11-23T00:30:00Z","until":"\(until)","step":3600,"counts":[\(counts)],"funnels":[\(funnels)]}
                """))
    }

    static func signIns(_ hour: Int, _ method: String, _ outcome: String, _ count: Int) -> String {
        let label = AuthJSON.array([.string(method), .string(outcome)]).text
        return #"{"at":"2026-11-23T0\#(hour):00:00Z","name":"sign_ins","labels":\#(label),"count":\#(count)}"#
    }

    private func chart(_ counts: String...) throws -> BarChart {
        try BarChart("sign-ins", "Sign-ins", Self.activity(counts.joined(separator: ",")), of: "sign_ins") {
            $0.first.map(MethodNames.shown)
        }
    }

    @Test("A small chart is this SVG")
    func golden() throws {
        let chart = try chart(
            Self.signIns(0, "password", "signed_in", 4), Self.signIns(2, "password", "signed_in", 1),
            Self.signIns(2, "google", "signed_up", 2))
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let golden = try String(contentsOf: folder.appending(path: "chart.html"), encoding: .utf8)
        #expect(chart.figure.description.replacing("><", with: ">\n<") + "\n" == golden)
    }

    @Test("A name with markup is text, and a name of ten megabytes is cut")
    func hostile() throws {
        let markup = "<script>alert(1)</script>\u{202E}\""
        let chart = try chart(
            Self.signIns(0, markup, "ok", 4),
            Self.signIns(1, String(repeating: "x", count: 10_000_000), "ok", 1))
        let html = chart.figure.description
        #expect(!html.contains("<script"))
        #expect(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;"))
        #expect(html.utf8.count < 6_000)
        #expect(html.contains(String(repeating: "x", count: 39) + "…"))
    }

    @Test("Many methods become five series and the others, and no count is lost")
    func manySeries() throws {
        let chart = try BarChart(
            "sign-ins", "Sign-ins",
            Self.activity((1...9).map { Self.signIns(0, "m\($0)", "ok", $0) }.joined(separator: ",")), of: "sign_ins"
        ) { $0.first }
        #expect(chart.series.map(\.name) == ["m9", "m8", "m7", "m6", "m5", "Other"])
        #expect(chart.total == 45)
        #expect(Set(chart.series.map(\.tone)).count == 6)
        let few = try BarChart(
            "sign-ins", "Sign-ins",
            Self.activity((1...7).map { Self.signIns(0, "m\($0)", "ok", 1) }.joined(separator: ",")), of: "sign_ins"
        ) { $0.first }
        #expect(few.series.last?.name == "Other: m6, m7")
    }

    @Test("Counts outside of the range, of other counters and of no method are not drawn")
    func outside() throws {
        let chart = try chart(
            Self.signIns(0, "a", "ok", 1), Self.signIns(3, "a", "ok", 1),
            #"{"at":"2026-11-23T00:00:00Z","name":"refreshes","labels":["rotate"],"count":1}"#,
            #"{"at":"2026-11-23T00:00:00Z","name":"sign_ins","labels":[],"count":1}"#)
        #expect(chart.bins.count == 3)
        #expect(chart.total == 1)
    }

    @Test(
        "The lines of a chart are round and at most five",
        arguments: [
            (0, [0, 1]), (1, [0, 1]), (4, [0, 1, 2, 3, 4]), (5, [0, 2, 4, 6]), (96, [0, 50, 100]),
            (100, [0, 50, 100]), (1_234, [0, 500, 1_000, 1_500]),
            (1_000_000_000_000, [0, 500_000_000_000, 1_000_000_000_000]),
        ])
    func scale(maximum: Int, lines: [Int]) {
        #expect(ChartScale(maximum: maximum).lines == lines)
    }

    @Test("The largest chart stays small")
    func size() throws {
        let counts = (0..<100).flatMap { hour in
            (0..<6).map { method in
                let at = Instant(seconds: 1_767_225_600 + Int64(hour) * 3_600)
                return #"{"at":"\#(at)","name":"sign_ins","labels":["m\#(method)","ok"],"count":1234567}"#
            }
        }
        let activity = try Activity(
            json: JSONReader.read(
                """
                {"from":"2026-01-01T00:00:00Z","until":"2026-01-05T04:00:00Z","step":3600,\
                "counts":[\(counts.joined(separator: ","))],"funnels":[]}
                """))
        let chart = BarChart("sign-ins", "Sign-ins", activity, of: "sign_ins") { $0.first }
        #expect(chart.bins.count == 100)
        #expect(chart.figure.description.utf8.count < 120_000)
    }
}

@Suite("The funnels of the console")
struct ConsoleFunnelTests {
    private func figure(_ text: String) throws -> String {
        try Funnel(json: JSONReader.read(text)).figure.description
    }

    @Test("Each step has its number, and what was lost on the way to it in percent")
    func drops() throws {
        let html = try figure(
            """
            {"method":"google","selected":200,"started":150,"cancelled":20,"completed":120,
             "failed":[{"error_type":"network","count":3},{"error_type":"timeout","count":7}]}
            """)
        #expect(html.contains("<h3>Google</h3>"))
        #expect(html.contains("−25%<span"))
        #expect(html.contains("−20%<span"))
        #expect(html.contains("width=\"75%\""))
        #expect(html.contains("Cancelled: 20. Failed: 10 (timeout 7, network 3)."))
    }

    @Test("More completed than started sign-ins are no drop, and no bar is wider than the page")
    func growing() throws {
        let html = try figure(#"{"method":"x","selected":0,"started":1,"cancelled":0,"completed":9,"failed":[]}"#)
        #expect(!html.contains("drop"))
        #expect(html.contains("width=\"100%\" height=\"10\" rx=\"3\"/></svg></li></ol>"))
    }

    @Test("Texts of apps are text")
    func hostile() throws {
        let html = try figure(
            """
            {"method":"<img src=x>","selected":1,"started":1,"cancelled":0,"completed":0,
             "failed":[{"error_type":"</p><script>","count":1}]}
            """)
        #expect(!html.contains("<img") && !html.contains("<script"))
    }
}
