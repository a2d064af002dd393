import AccountDomain
import GatehouseCLI
import GatehouseServer
import Testing

@Suite("Small parsers")
struct SmallReadingTests {
    @Test(
        "Progress shows share, count, rate and time",
        arguments: [
            (
                Progress(fraction: 0.25, count: 1_200, elapsed: .seconds(3)),
                "[#####---------------]  25%  1,200 accounts  400/s  9 s left"
            ),
            (
                Progress(fraction: 0.5, count: 1_234_567, elapsed: .seconds(90)),
                "[##########----------]  50%  1,234,567 accounts  13,717/s  1 min 30 s left"
            ),
            (Progress(fraction: 0, count: 0, elapsed: .zero), "[--------------------]   0%  0 accounts  0/s"),
            (
                Progress(fraction: 0.5, count: 5, elapsed: .milliseconds(500)),
                "[##########----------]  50%  5 accounts  10/s"
            ),
            (Progress(fraction: 1, count: 10, elapsed: .seconds(5)), "[####################] 100%  10 accounts  2/s"),
            (Progress(fraction: 1.2, count: 10, elapsed: .seconds(5)), "[####################] 100%  10 accounts  2/s"),
            (Progress(fraction: nil, count: 10, elapsed: .seconds(5)), "10 accounts  2/s"),
        ])
    func progress(progress: Progress, text: String) {
        #expect(progress.text("accounts") == text)
    }

    @Test("Thousands are grouped", arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")])
    func grouping(number: Int, text: String) {
        #expect(Progress.grouped(number) == text)
    }

    @Test(
        "A listen address is parsed and printed the same way",
        arguments: [
            ("127.0.0.1:9999", "127.0.0.1", 9_999, "127.0.0.1:9999"), ("[::1]:80", "::1", 80, "[::1]:80"),
            (":8080", "0.0.0.0", 8_080, "0.0.0.0:8080"), ("localhost:0", "localhost", 0, "localhost:0"),
        ])
    func listenAddress(text: String, host: String, port: Int, written: String) throws {
        let address = try #require(ListenAddress(text))
        #expect(address == ListenAddress(host: host, port: port))
        #expect(address.description == written)
    }

    @Test("An invalid listen address is refused", arguments: ["", "9999", "a:b", "::1:80", "a:65536", "a:-1", "a:"])
    func badListenAddress(text: String) {
        #expect(ListenAddress(text) == nil)
    }

    @Test(
        "Only loopback is loopback",
        arguments: [
            ("127.0.0.1", true), ("::1", true), ("localhost", true), ("0.0.0.0", false), ("10.0.0.1", false),
            ("::", false),
        ])
    func loopback(host: String, isLoopback: Bool) {
        #expect(ListenAddress(host: host, port: 1).isLoopback == isLoopback)
    }

    @Test("A wildcard address is reached over loopback from here")
    func url() {
        #expect(ListenAddress(host: "0.0.0.0", port: 80).url == "http://127.0.0.1:80")
        #expect(ListenAddress(host: "::1", port: 80).url == "http://[::1]:80")
    }

    @Test(
        "Go's durations",
        arguments: [
            ("10s", Duration.seconds(10)), ("1m30s", .seconds(90)), ("24h", .seconds(86_400)),
            ("1.5s", .milliseconds(1_500)),
            ("250ms", .milliseconds(250)), ("0", .zero), ("-1h", .seconds(-3_600)),
        ])
    func goDuration(text: String, duration: Duration) {
        #expect(Duration(go: text) == duration)
    }

    @Test("Durations that Go refuses are refused", arguments: ["", "10", "1d", "s", "1h-3m", "1 h", "99999999999h"])
    func badGoDuration(text: String) {
        #expect(Duration(go: text) == nil)
    }
}
