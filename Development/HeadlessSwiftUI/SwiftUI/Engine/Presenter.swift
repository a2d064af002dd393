/// Shows one sheet, cover, alert or dialog at a time, as on iOS: another waits until it closes. Presented content has
/// its own presenter.
@MainActor final class Presenter {
    private weak var shown: ViewNode?
    private var hasWaiting = false

    func open(_ node: ViewNode, _ signal: RenderSignal) -> Bool {
        guard shown == nil || shown === node else {
            hasWaiting = true
            return false
        }
        shown = node
        node.onEnd = { [weak self, weak node] in
            if let node { self?.close(node, signal) }
        }
        return true
    }

    func close(_ node: ViewNode, _ signal: RenderSignal) {
        guard shown === node else { return }
        shown = nil
        node.onEnd = nil
        if hasWaiting { signal.invalidate() }
        hasWaiting = false
    }
}
