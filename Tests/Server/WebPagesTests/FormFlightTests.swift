import GatehouseWire
import Synchronization
import TestSupport
import Testing

@testable import WebPages

@Suite("Forms that a browser sends more than once")
struct FormFlightTests {
    /// Responds when the test says so, and counts the responses.
    private actor Desk {
        private(set) var begun = 0
        private var isOpen = false
        private var waiting: [CheckedContinuation<Void, Never>] = []
        private let lasting: FormAnswer.Lasting

        init(_ lasting: FormAnswer.Lasting = .nothing, isOpen: Bool = false) {
            (self.lasting, self.isOpen) = (lasting, isOpen)
        }

        func work() async -> FormAnswer {
            begun += 1
            let number = begun
            if !isOpen { await withCheckedContinuation { waiting.append($0) } }
            return FormAnswer(
                .move("/\(number)"),
                WebSession(formToken: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 16)),
                lasting: lasting)
        }

        func open() {
            isOpen = true
            for waiter in waiting { waiter.resume() }
            waiting = []
        }
    }

    private struct Failure: Error {}

    private static let time = Instant(microseconds: 0)
    private static let form = name("a")

    private static func name(_ text: String, _ repeated: String? = nil) -> FormName {
        FormName(alike: ExternalName(trusted: text), repeated: ExternalName(trusted: repeated ?? text))
    }

    private func path(_ answer: FormAnswer) -> String {
        if case .move(let path) = answer.outcome { path } else { "" }
    }

    /// Until so many requests wait for the form.
    private func wait(for count: Int, at flights: FormFlights, _ form: FormName = Self.form) async {
        while await flights.waiting(for: form) < count { await Task.yield() }
    }

    @Test("Identical forms at the same time are answered once, and all get the answer")
    func together() async throws {
        let (flights, desk) = (FormFlights(), Desk())
        let requests = (0..<3).map { _ in
            Task { try await flights.answer(to: Self.form, at: Self.time) { await desk.work() } }
        }
        await wait(for: 3, at: flights)
        await desk.open()
        for request in requests { #expect(try await path(request.value) == "/1") }
        #expect(await desk.begun == 1)
        // The next one is a separate form.
        let next = try await flights.answer(to: Self.form, at: Self.time) { await desk.work() }
        #expect(path(next) == "/2")
    }

    @Test("Other forms do not wait")
    func apart() async throws {
        let (flights, desk, other) = (FormFlights(), Desk(), Desk(isOpen: true))
        let request = Task { try await flights.answer(to: Self.form, at: Self.time) { await desk.work() } }
        await wait(for: 1, at: flights)
        let answer = try await flights.answer(to: Self.name("b"), at: Self.time) { await other.work() }
        #expect(path(answer) == "/1")
        await desk.open()
        _ = try await request.value
    }

    @Test("A caller that is cancelled leaves at once, and the others get the answer", arguments: [0, 1])
    func cancellation(leaving: Int) async throws {
        let (flights, desk) = (FormFlights(), Desk())
        var requests: [Task<FormAnswer, any Error>] = []
        for count in 1...2 {
            requests.append(Task { try await flights.answer(to: Self.form, at: Self.time) { await desk.work() } })
            await wait(for: count, at: flights)
        }
        requests[leaving].cancel()
        await #expect(throws: CancellationError.self) { try await requests[leaving].value }
        await desk.open()
        #expect(try await path(requests[1 - leaving].value) == "/1")
        #expect(await desk.begun == 1)
    }

    @Test("A form whose only caller is cancelled is finished, and a caller that was cancelled before does not wait")
    func abandoned() async throws {
        let (flights, desk) = (FormFlights(), Desk(.whole))
        let request = Task { try await flights.answer(to: Self.form, at: Self.time) { await desk.work() } }
        await wait(for: 1, at: flights)
        request.cancel()
        await #expect(throws: CancellationError.self) { try await request.value }
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await flights.answer(to: Self.form, at: Self.time) { await desk.work() }
        }
        await #expect(throws: CancellationError.self) { try await late.value }
        let again = Task { try await flights.answer(to: Self.form, at: Self.time) { await desk.work() } }
        await wait(for: 1, at: flights)
        await desk.open()
        #expect(try await path(again.value) == "/1")
        #expect(await desk.begun == 1)
    }

    @Test("An error reaches every caller, and nothing of it stays")
    func failure() async throws {
        let (flights, desk) = (FormFlights(), Desk())
        let requests = (0..<2).map { _ in
            Task {
                try await flights.answer(to: Self.form, at: Self.time) {
                    _ = await desk.work()
                    throw Failure()
                }
            }
        }
        await wait(for: 2, at: flights)
        await desk.open()
        for request in requests { await #expect(throws: Failure.self) { try await request.value } }
        let next = try await flights.answer(to: Self.form, at: Self.time) { await desk.work() }
        #expect(path(next) == "/2")
    }

    @Test("Beyond the limit a form is answered by itself")
    func limit() async throws {
        let (flights, desk, other) = (FormFlights(), Desk(), Desk(isOpen: true))
        let requests = (0..<FormFlights.most).map { number in
            Task { try await flights.answer(to: Self.name("\(number)"), at: Self.time) { await desk.work() } }
        }
        for number in 0..<FormFlights.most { await wait(for: 1, at: flights, Self.name("\(number)")) }
        for number in 1...2 {
            let answer = try await flights.answer(to: Self.form, at: Self.time) { await other.work() }
            #expect(path(answer) == "/\(number)")
        }
        await desk.open()
        for request in requests { _ = try await request.value }
    }

    @Test("A whole answer is given again for ten minutes; a place only to a session that has it already")
    func kept() async throws {
        for lasting in [FormAnswer.Lasting.whole, .place, .nothing] {
            let (flights, desk) = (FormFlights(), Desk(lasting, isOpen: true))
            let first = try await flights.answer(to: Self.form, at: Self.time) { await desk.work() }
            #expect(path(first) == "/1")
            let same = Self.name("another cookie", "a")
            let again = try await flights.answer(to: same, at: Self.time + .seconds(599)) { await desk.work() }
            #expect(path(again) == (lasting == .whole ? "/1" : "/2"))
            let old = await flights.answer(toOld: Self.form, at: Self.time + .seconds(599))
            #expect(old.map(path) == (lasting == .nothing ? nil : lasting == .whole ? "/1" : "/2"))
            let late = try await flights.answer(to: same, at: Self.time + .seconds(1_300)) { await desk.work() }
            #expect(path(late) == (lasting == .whole ? "/2" : "/3"))
        }
    }

    @Test("The oldest kept answer gives way to one more than there is room for")
    func room() {
        var kept = KeptAnswers()
        let answer = FormAnswer(.move("/"), WebSession(formToken: []), lasting: .place)
        for number in 0...KeptAnswers.most { kept.keep(answer, of: Self.name("\(number)"), at: Self.time) }
        #expect(kept.answer(to: Self.name("0"), at: Self.time) == nil)
        #expect(kept.answer(to: Self.name("1"), at: Self.time) != nil)
        #expect(kept.answer(to: Self.name("\(KeptAnswers.most)"), at: Self.time) != nil)
    }
}
