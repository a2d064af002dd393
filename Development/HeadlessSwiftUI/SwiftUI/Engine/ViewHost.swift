/// Renders a view whenever a value that it read has changed.
///
/// Each rendering evaluates every `body`. `onAppear`, `onChange` and `task` run after it, and may cause the next one.
@MainActor package final class ViewHost {
    private let root: any View
    private let rootNode = ViewNode()
    nonisolated let signal = RenderSignal()
    package private(set) var elements: [ScreenElement] = [] {
        didSet { foundPresentations = nil }
    }
    private var foundPresentations: [ScreenElement]?
    package private(set) var bodyCount = 0
    private(set) var epoch = 0
    private var isRendering = false
    private var isClosed = false
    var afterRendering: [@MainActor () -> Void] = []
    package var onRender: (@MainActor () -> Void)?
    var urlActions: [@MainActor (URL) -> Void] = []
    let keyboard = Keyboard()
    private let presenter = Presenter()
    let catalogs = StringCatalogs()
    package let announcements = Announcements()

    /// Changes take effect immediately.
    package var environment: EnvironmentValues {
        didSet { signal.invalidate() }
    }

    package init(_ root: any View, environment: EnvironmentValues = EnvironmentValues()) {
        self.root = root
        self.environment = environment
        signal.attach(self)
        render()
    }

    /// The views' mistakes that SwiftUI reports as runtime warnings.
    package var complaints: [String] { signal.complaints }

    func countBody() { bodyCount += 1 }

    /// The topmost last. Cached per rendering.
    package var presentations: [ScreenElement] {
        if let foundPresentations { return foundPresentations }
        var found: [ScreenElement] = []
        func visit(_ elements: [ScreenElement]) {
            for element in elements {
                if element.isPresentation { found.append(element) }
                visit(element.children)
            }
        }
        visit(elements)
        foundPresentations = found
        return found
    }

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
        // `onChange` is called once, before the value is set, on the thread that sets it.
        elements = onPhone {
            withObservationTracking {
                RenderContext(host: self, node: rootNode, environment: environment, presenter: presenter)
                    .elements(of: root)
            } onChange: { [signal] in
                signal.invalidate()
            }
        }
        signal.building(false)
        rootNode.sweep(epoch)
        keyboard.end(signal)
        let actions = afterRendering
        afterRendering = []
        onPhone { for action in actions { action() } }
        onRender?()
    }

    package func perform(_ action: @MainActor () -> Void) { onPhone(action) }

    /// With this phone's language, main bundle and listener.
    private func onPhone<Result>(_ body: @MainActor () -> Result) -> Result {
        Phone.$language.withValue(environment.locale) {
            Phone.$app.withValue(environment.mainBundle) { Announcing.$listener.withValue(announcements) { body() } }
        }
    }

    package func open(_ url: URL) {
        render()
        let actions = urlActions
        perform { for action in actions { action(url) } }
    }

    /// Cancels tasks and runs `onDisappear`.
    package func close() {
        isClosed = true
        rootNode.end()
    }
}
