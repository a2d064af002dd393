import Synchronization

/// From any thread.
final class RenderSignal: Sendable {
    private struct State {
        var isStale = true
        var isBuilding = false
        var isScheduled = false
        var complaints: [String] = []
        weak var host: ViewHost?
    }

    private let state = Mutex(State())

    func attach(_ host: ViewHost) { state.withLock { $0.host = host } }

    func invalidate() {
        let host = state.withLock { state -> ViewHost? in
            state.isStale = true
            guard !state.isScheduled else { return nil }
            state.isScheduled = true
            return state.host
        }
        guard let host else { return }
        // Renders later, because the new value may not be set yet.
        Task { @MainActor in
            self.state.withLock { $0.isScheduled = false }
            host.render()
        }
    }

    /// A view's own state must not change while a `body` is evaluated.
    func stateChanged() {
        state.withLock { state in
            if state.isBuilding { state.complaints.append("state changed while the view was being built") }
        }
        invalidate()
    }

    func complain(_ text: String) {
        state.withLock { state in
            if !state.complaints.contains(text) { state.complaints.append(text) }
        }
    }

    var complaints: [String] { state.withLock { $0.complaints } }

    func takeStale() -> Bool {
        state.withLock { state in
            defer { state.isStale = false }
            return state.isStale
        }
    }

    func building(_ isBuilding: Bool) { state.withLock { $0.isBuilding = isBuilding } }
}
