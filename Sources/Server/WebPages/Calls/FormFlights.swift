import GatehouseWire

/// Processes identical forms once: concurrent ones, as after a double click, share one answer, later ones get the kept
/// answer.
///
/// A form outlives its cancelled request. Each process knows only its own forms.
actor FormFlights {
    typealias Work = @Sendable () async throws -> FormAnswer
    private typealias Waiter = CheckedContinuation<FormAnswer, any Error>

    /// Further forms are processed separately.
    static let most = 256

    private var waiters: [ExternalName: [Int: Waiter]] = [:]
    private var count = 0
    private var kept = KeptAnswers()

    /// - Parameter work: Not called if another request runs or ran it.
    /// - Throws: The error of `work`; `CancellationError` as soon as the caller is cancelled, while `work` continues.
    func answer(to form: FormName, at now: Instant, _ work: @escaping Work) async throws -> FormAnswer {
        if let answer = kept.answer(to: form, at: now), answer.lasting == .whole { return answer }
        if waiters[form.alike] == nil {
            guard waiters.count < Self.most else { return try await done(form, at: now, work) }
            waiters[form.alike] = [:]
            Task { await fly(form, at: now, work) }
        }
        count += 1
        let number = count
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                // An earlier cancellation found no waiter to resume.
                guard !Task.isCancelled else { return waiter.resume(throwing: CancellationError()) }
                waiters[form.alike]?[number] = waiter
            }
        } onCancel: {
            Task { await leave(form, number) }
        }
    }

    /// nil unless the form ended its session and its answer is kept.
    func answer(toOld form: FormName, at now: Instant) -> FormAnswer? { kept.answer(to: form, at: now) }

    /// For tests.
    func waiting(for form: FormName) -> Int { waiters[form.alike]?.count ?? 0 }

    private func fly(_ form: FormName, at now: Instant, _ work: Work) async {
        let result: Result<FormAnswer, any Error>
        do {
            result = .success(try await done(form, at: now, work))
        } catch {
            result = .failure(error)
        }
        for waiter in waiters.removeValue(forKey: form.alike)?.values ?? [:].values { waiter.resume(with: result) }
    }

    private func done(_ form: FormName, at now: Instant, _ work: Work) async throws -> FormAnswer {
        let answer = try await work()
        kept.keep(answer, of: form, at: now)
        return answer
    }

    private func leave(_ form: FormName, _ number: Int) {
        waiters[form.alike]?.removeValue(forKey: number)?.resume(throwing: CancellationError())
    }
}
