import GatehouseWire
import SwiftUI

/// A sheet of the system that is open, and the code that waits for what comes of it.
@MainActor @Observable final class OpenSheet<Question: Sendable, Answer: Sendable> {
    /// What the sheet is about; nil while none is open.
    private(set) var question: Question?
    @ObservationIgnored private var waiting: CheckedContinuation<Answer, any Error>?
    @ObservationIgnored private var number = 0

    /// What a person does who swipes it away.
    private let closed: any Error

    init(closed: any Error) { self.closed = closed }

    /// Written by a swipe.
    var isOpen: Bool {
        get { question != nil }
        set { if !newValue { end(.failure(closed)) } }
    }

    /// Opens it, in place of one that is open.
    ///
    /// - Throws: What ``end(_:)`` is given, or `CancellationError` when the task was cancelled.
    func ask(_ question: Question) async throws -> Answer {
        end(.failure(closed))
        number += 1
        let mine = number
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiting = continuation
                self.question = question
            }
        } onCancel: {
            Task { @MainActor in if self.number == mine { self.end(.failure(CancellationError())) } }
        }
    }

    /// Closes it; nothing when none is open.
    func end(_ answer: Result<Answer, any Error>) {
        let waiting = waiting
        self.waiting = nil
        if question != nil { question = nil }
        waiting?.resume(with: answer)
    }
}
