import GatehouseWire
import SwiftUI

@MainActor @Observable final class OpenSheet<Question: Sendable, Answer: Sendable> {
    /// nil if closed.
    private(set) var question: Question?
    @ObservationIgnored private var waiting: CheckedContinuation<Answer, any Error>?
    @ObservationIgnored private var number = 0

    private let closed: any Error

    init(closed: any Error) { self.closed = closed }

    /// A swipe sets it to false.
    var isOpen: Bool {
        get { question != nil }
        set { if !newValue { end(.failure(closed)) } }
    }

    /// Replaces an open sheet.
    ///
    /// - Throws: The error passed to ``end(_:)``, or `CancellationError`.
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

    func end(_ answer: Result<Answer, any Error>) {
        let waiting = waiting
        self.waiting = nil
        if question != nil { question = nil }
        waiting?.resume(with: answer)
    }
}
