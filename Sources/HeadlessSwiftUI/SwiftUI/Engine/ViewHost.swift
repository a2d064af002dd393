/// Keeps a view on the screen: renders it whenever something that it read has changed.
///
/// Each rendering evaluates every `body`. What a rendering asks to be done (`onAppear`, `onChange`, `task`) is done
/// after it, and may ask for the next one.
@MainActor package final class ViewHost {
    private let root: any View
    private let rootNode = ViewNode()
    nonisolated let signal = RenderSignal()
    package private(set) var elements: [ScreenElement] = []
    package private(set) var bodyCount = 0
    private(set) var epoch = 0
    private var isRendering = false
    private var isClosed = false
    var afterRendering: [@MainActor () -> Void] = []
    /// Hears that there are new elements.
    package var onRender: (@MainActor () -> Void)?
    /// What takes an address that the system opens the app with, as of the last rendering.
    var urlActions: [@MainActor (URL) -> Void] = []
    let keyboard = Keyboard()
    let catalogs = StringCatalogs()
    package let announcements = Announcements()

    /// What the device says of itself; a change shows at once.
    package var environment: EnvironmentValues {
        didSet { signal.invalidate() }
    }

    package init(_ root: any View, environment: EnvironmentValues = EnvironmentValues()) {
        self.root = root
        self.environment = environment
        signal.attach(self)
        render()
    }

    /// Mistakes of the views that SwiftUI, too, warns about while it runs.
    package var complaints: [String] { signal.complaints }

    func countBody() { bodyCount += 1 }

    /// Renders until nothing is out of date.
    package func render() {
        guard !isRendering, !isClosed else { return }
        isRendering = true
        defer { isRendering = false }
        var rounds = 0
        while signal.takeStale() {
            rounds += 1
            guard rounds <= 100 else {
                signal.complain("the view never settles")
                return
            }
            renderOnce()
        }
    }

    private func renderOnce() {
        epoch += 1
        signal.building(true)
        keyboard.begin()
        urlActions = []
        rootNode.epoch = epoch
        // `onChange` is called once, before the value is there, on the thread that writes it.
        elements = withObservationTracking {
            RenderContext(host: self, node: rootNode, environment: environment).elements(of: root)
        } onChange: { [signal] in
            signal.invalidate()
        }
        signal.building(false)
        rootNode.sweep(epoch)
        keyboard.end(signal)
        let actions = afterRendering
        afterRendering = []
        Announcing.$listener.withValue(announcements) { for action in actions { action() } }
        onRender?()
    }

    /// Runs what a person does.
    package func perform(_ action: @MainActor () -> Void) { Announcing.$listener.withValue(announcements) { action() } }

    /// The system opens the app with an address.
    package func open(_ url: URL) {
        render()
        let actions = urlActions
        perform { for action in actions { action(url) } }
    }

    /// The screen is gone: tasks are cancelled, `onDisappear` runs.
    package func close() {
        isClosed = true
        rootNode.end()
    }
}
