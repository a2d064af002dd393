import GatehouseWire
import Testing

@Suite("Instant")
struct InstantTests {
    @Test(
        "An instant is printed as RFC 3339 in UTC, without trailing zeros in the fraction, and read back",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (1, "1970-01-01T00:00:00.000001Z"), (10, "1970-01-01T00:00:00.00001Z"),
            (100_000, "1970-01-01T00:00:00.1Z"), (120_300, "1970-01-01T00:00:00.1203Z"),
            (999_999, "1970-01-01T00:00:00.999999Z"), (1_000_000, "1970-01-01T00:00:01Z"),
            (-1, "1969-12-31T23:59:59.999999Z"), (-1_000_000, "1969-12-31T23:59:59Z"),
            (-500_000, "1969-12-31T23:59:59.5Z"), (-62_135_596_800_000_000, "0001-01-01T00:00:00Z"),
            (-11_670_998_400_000_000, "1600-02-29T00:00:00Z"), (-2_203_891_201_000_000, "1900-02-28T23:59:59Z"),
            (-2_203_891_200_000_000, "1900-03-01T00:00:00Z"), (951_782_400_000_000, "2000-02-29T00:00:00Z"),
            (951_868_800_000_000, "2000-03-01T00:00:00Z"), (1_709_210_096_250_000, "2024-02-29T12:34:56.25Z"),
            (4_107_542_400_000_000, "2100-03-01T00:00:00Z"), (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
        ] as [(Int64, String)])
    func printing(_ microseconds: Int64, _ text: String) {
        #expect("\(Instant(microseconds: microseconds))" == text)
        #expect(Instant(text) == Instant(microseconds: microseconds))
    }

    @Test("Every instant has a text, even beyond RFC 3339")
    func farAway() {
        #expect("\(Instant(microseconds: .min))" == "-290308-12-21T19:59:05.224192Z")
        #expect("\(Instant(microseconds: .max))" == "294247-01-10T04:00:54.775807Z")
        #expect("\(Instant(seconds: 253_402_300_800))" == "10000-01-01T00:00:00Z")
    }

    @Test(
        "Other formats are read: offsets, lowercase letters, and those of PostgreSQL",
        arguments: [
            ("2026-01-02 03:04:05+00", "2026-01-02T03:04:05Z"),
            ("2026-01-02 03:04:05.678901+00", "2026-01-02T03:04:05.678901Z"),
            ("2026-01-02 03:04:05.6+05:30", "2026-01-01T21:34:05.6Z"), ("2026-01-02T03:04:05", "2026-01-02T03:04:05Z"),
            ("2026-01-02 03:04:05", "2026-01-02T03:04:05Z"), ("2026-01-02t03:04:05z", "2026-01-02T03:04:05Z"),
            ("2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05Z"),
            ("2026-01-02T03:04:05-0230", "2026-01-02T05:34:05Z"),
            ("2026-01-02T03:04:05-00:00", "2026-01-02T03:04:05Z"),
            ("2026-01-01T00:00:00+23:59", "2025-12-31T00:01:00Z"),
            ("2026-01-02T03:04:05.1Z", "2026-01-02T03:04:05.1Z"),
            ("2026-01-02T03:04:05.120Z", "2026-01-02T03:04:05.12Z"),
            ("2026-01-02T03:04:05.1234569Z", "2026-01-02T03:04:05.123456Z"),
            ("2026-02-03T08:15:30.120345678Z", "2026-02-03T08:15:30.120345Z"),
            ("2026-01-02T03:04:05.0000000000000000000001Z", "2026-01-02T03:04:05Z"),
            ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"), ("0000-02-29T00:00:00Z", "0000-02-29T00:00:00Z"),
        ])
    func otherSpellings(_ text: String, _ canonical: String) {
        #expect(Instant(text)?.description == canonical)
    }

    @Test(
        "An invalid time is refused",
        arguments: [
            "", "now", "infinity", "2026", "2026-01-02", "2026-01-02T", "2026-01-02T03:04", "2026-01-02T03:04Z",
            "26-01-02T03:04:05Z", "02026-01-02T03:04:05Z", "+2026-01-02T03:04:05Z", "-2026-01-02T03:04:05Z",
            "2026-1-02T03:04:05Z", "2026-01-2T03:04:05Z", "2026/01/02T03:04:05Z", "20260102T030405Z",
            "2026-01-02_03:04:05Z", "2026-01-02  03:04:05Z", " 2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z ",
            "9999-12-31T23:59:60Z", "9999-12-31T23:59:59-00:01", "0000-01-01T00:00:00+00:01",
            "2026-00-02T03:04:05Z", "2026-13-02T03:04:05Z", "2026-01-00T03:04:05Z", "2026-01-32T03:04:05Z",
            "2026-01-02T24:00:00Z", "2026-01-02T03:60:00Z", "2026-01-02T03:04:61Z", "2026-01-02T03:04:-1Z",
            "2026-01-02T03:04:05.Z", "2026-01-02T03:04:05,5Z", "2026-01-02T03:04:05.5.5Z", "2026-01-02T03:04:05ZZ",
            "2026-01-02T03:04:05X", "2026-01-02T03:04:05+", "2026-01-02T03:04:05+1", "2026-01-02T03:04:05+24",
            "2026-01-02T03:04:05+01:60", "2026-01-02T03:04:05+01:", "2026-01-02T03:04:05+01:0",
            "2026-01-02T03:04:05+01:000", "2026-01-02T03:04:05 +01", "2026-01-02T03:04:05 UTC",
            "٢٠٢٦-01-02T03:04:05Z", "2026-01-02T03:04:05.٥Z", "2026-01-02T03:04:05Z\u{301}",
            "2026-01-02 03:04:05+00 BC",
        ])
    func refused(_ text: String) {
        #expect(Instant(text) == nil)
    }

    @Test(
        "A day that its month does not have is refused",
        arguments: [
            "2026-02-29", "2024-02-30", "1900-02-29", "2100-02-29", "2000-02-30", "2026-04-31", "2026-06-31",
            "2026-09-31", "2026-11-31",
        ])
    func noSuchDay(_ day: String) {
        #expect(Instant("\(day)T00:00:00Z") == nil)
    }

    @Test("Every month from year 0 to 9999 begins when the one before it ends")
    func everyMonth() {
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        func padded(_ value: Int, _ count: Int) -> String {
            String(repeating: "0", count: count - String(value).count) + String(value)
        }
        var seconds: Int64 = -62_167_219_200
        var wrong: [Instant] = []
        for year in stride(from: 0, through: 9_999, by: 1) {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            for (month, length) in zip(1..., lengths) {
                let days = month == 2 && isLeap ? 29 : length
                let first = Instant(seconds: seconds)
                if "\(first)" != "\(padded(year, 4))-\(padded(month, 2))-01T00:00:00Z" { wrong.append(first) }
                seconds += Int64(days) * 86_400
            }
        }
        #expect(wrong.isEmpty)
        #expect(seconds == 253_402_300_800)
    }

    @Test("Any instant of the years 0 to 9999 reads back from its text")
    func roundTrip() {
        var random = SplitMix(seed: 1)
        var wrong: [Instant] = []
        for _ in 0..<20_000 {
            let range: ClosedRange<Int64> = -62_167_219_200_000_000...253_402_300_799_999_999
            var microseconds = Int64.random(in: range, using: &random)
            if random.isOneIn(2) { microseconds -= microseconds % 1_000_000 }
            let instant = Instant(microseconds: microseconds)
            if Instant(instant.description) != instant { wrong.append(instant) }
        }
        #expect(wrong.isEmpty)
    }

    @Test("Instants are in the order of their microseconds")
    func order() {
        #expect(Instant(seconds: -1) < Instant(seconds: 0))
        #expect(Instant(microseconds: 1) > Instant(seconds: 0))
        #expect(Instant(seconds: 1) == Instant(microseconds: 1_000_000))
    }

    @Test(
        "Seconds are rounded down, before 1970 too",
        arguments: [
            (0, 0), (1, 0), (999_999, 0), (1_000_000, 1), (1_999_999, 1), (-1, -1), (-999_999, -1), (-1_000_000, -1),
            (-1_000_001, -2), (-2_000_000, -2), (.max, 9_223_372_036_854), (.min, -9_223_372_036_855),
        ] as [(Int64, Int64)])
    func seconds(_ microseconds: Int64, _ seconds: Int64) {
        #expect(Instant(microseconds: microseconds).seconds == seconds)
    }

    @Test("Durations are added and subtracted in whole microseconds")
    func arithmetic() {
        let start = Instant(seconds: 100)
        #expect(start + .seconds(5) == Instant(seconds: 105))
        #expect(start - .milliseconds(1) == Instant(microseconds: 99_999_000))
        #expect(start + .nanoseconds(1_999) == Instant(microseconds: 100_000_001))
        #expect(start + .seconds(-101) == Instant(seconds: -1))
        #expect(Instant(seconds: 105) - start == .seconds(5))
        #expect(start - Instant(seconds: 105) == .seconds(-5))
        #expect(Duration.microseconds(-1_500_000).microseconds == -1_500_000)
        #expect(Duration.seconds(30 * 86_400).microseconds == 2_592_000_000_000)
    }
}
