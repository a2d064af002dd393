import GatehouseWire
import Testing

@testable import WebPages

@Suite("The numbers of the console")
struct FiguresTests {
    @Test("Counts have commas", arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (-12_345_678, "−12,345,678")])
    func counts(number: Int, text: String) { #expect(Figures.count(number) == text) }

    @Test(
        "The axis has short numbers",
        arguments: [
            (0, "0"), (950, "950"), (1_000, "1k"), (1_500, "1.5k"), (12_000, "12k"), (2_500_000, "2.5M"),
            (1_000_000_000_000, "1,000G"),
        ])
    func short(number: Int, text: String) { #expect(Figures.short(number) == text.replacing(",", with: "")) }

    @Test(
        "A small share is not nothing, and almost all is not all",
        arguments: [(0, 5, "0%"), (1, 1_000, "<1%"), (1, 3, "33%"), (999, 1_000, ">99%"), (5, 5, "100%"), (1, 0, "–")])
    func percent(part: Int, whole: Int, text: String) { #expect(Figures.percent(part, of: whole) == text) }

    @Test(
        "Durations have the unit that fits",
        arguments: [
            (0, "0.0 ms"), (0.44, "0.4 ms"), (9.94, "9.9 ms"), (9.96, "10 ms"), (999.4, "999 ms"), (1_500, "1.5 s"),
            (90_000, "1.5 min"), (-1, "–"), (.infinity, "–"), (.nan, "–"),
        ])
    func durations(value: Double, text: String) { #expect(Figures.milliseconds(value) == text) }

    @Test("Ages and times", arguments: [(40, "40 s"), (60, "1 min"), (7_199, "1 h"), (172_800, "2 days"), (-5, "0 s")])
    func ages(seconds: Int, text: String) {
        let now = Instant(seconds: 1_800_000_000)
        #expect(Figures.age(since: now - .seconds(seconds), now: now) == text)
    }

    @Test("A time is shown in UTC")
    func times() throws {
        let time = try #require(Instant("2026-11-03T04:05:06.789+01:00"))
        #expect(time.minuteText == "2026-11-03 03:05")
        #expect(time.secondText == "2026-11-03 03:05:06")
        #expect(time.shortDay == "3 Nov")
    }
}
