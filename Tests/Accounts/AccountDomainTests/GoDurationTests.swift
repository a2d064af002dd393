import AccountDomain
import Testing

@Suite("Go durations")
struct GoDurationTests {
    @Test(
        "Durations use Go's syntax",
        arguments: [
            ("0", .zero), ("+0", .zero), ("-0", .zero), ("0s", .zero), ("1s", .seconds(1)), ("+1s", .seconds(1)),
            ("-1s", .seconds(-1)), ("24h", .seconds(86_400)), ("1h30m", .seconds(5_400)),
            ("1h0m10s", .seconds(3_610)), ("-1h30m", .seconds(-5_400)), ("1.5s", .milliseconds(1_500)),
            (".5s", .milliseconds(500)), ("5.s", .seconds(5)), ("1.5h", .seconds(5_400)), ("100ms", .milliseconds(100)),
            ("3us", .microseconds(3)), ("3\u{B5}s", .microseconds(3)), ("3\u{3BC}s", .microseconds(3)),
            ("3ns", .nanoseconds(3)), ("10s1h", .seconds(3_610)), ("1m1m", .seconds(120)),
            ("2540400h", .seconds(2_540_400 * 3_600)), ("876000h", .seconds(876_000 * 3_600)),
        ] as [(String, Duration)])
    func accepted(_ text: String, _ expected: Duration) throws {
        let duration = try #require(Duration(go: text))
        // A fraction is read as a double.
        #expect(abs((duration - expected) / .nanoseconds(1)) < 0.5)
    }

    @Test(
        "Every other text is refused",
        arguments: [
            "", "+", "-", "s", "1", "10", "1.5", "-5", "1 h", " 1h", "1h ", "1d", "1w", "1y", "1H", "1hour", "1h30",
            "1h-30m", "--1h", "+-1h", "1e3s", "1,5s", "1.2.3s", ".s", "-.s", ".", "infs", "nans", "0x1s", "1_000s",
            "١s", "none", "100000000h", "9999999999999999999999h", "-100000000h",
        ])
    func refused(_ text: String) {
        #expect(Duration(go: text) == nil)
    }
}
