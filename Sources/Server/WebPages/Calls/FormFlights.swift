import GatehouseWire

/// Answers identical forms once: those that arrive at the same time share one answer, as after two presses of a button,
/// and a later one gets the answer that ``KeptAnswers`` has for it.
///
/// A form is not cancelled with the request that brought it. Each process knows its own forms only.
actor FormFlights {
    typealias Work = @Sendable () async throws -> FormAnswer
    private typealias Waiter = CheckedContinuation<FormAnswer, any Error>

    /// The maximum of forms whose duplicates are joined. Further forms are answered one by one.
    static let most = 256

    private var waiters: [ExternalName: [Int: Waiter]] = [:]
    private var count = 0
    private var kept = KeptAnswers()

    /// - Parameter work: Answers the form. Not called if another request does, or has.
    /// - Throws: The error of `work`; `CancellationError` as soon as the caller is cancelled, while the form's work
    ///   continues.
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
                // A cancellation before this found no waiter to resume.
                guard !Task.isCancelled else { return waiter.resume(throwing: CancellationError()) }
                waiters[form.alike]?[number] = waiter
            }
        } onCancel: {
            Task { await leave(form, number) }
        }
    }

    /// The kept answer of a form whose session it ended; nil for another form.
    func answer(toOld form: FormName, at now: Instant) -> FormAnswer? { kept.answer(to: form, at: now) }

    /// How many requests wait for the answer to a form, for tests.
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
