@MainActor package struct RenderContext {
    package let host: ViewHost
    package let node: ViewNode
    package var environment: EnvironmentValues
    var presenter: Presenter
    var stack: NavigationPages?
    var page: PageParts?
    var presentation: PresentationRules?
    var focusClaims: [FocusClaim] = []
    /// No pushed page covers the view.
    var isOnTop = true
    /// For each member of the view, the outermost first.
    var memberChanges: [any ViewChange] = []

    package func child(_ key: ViewNode.Key) -> RenderContext {
        let node = node.child(key)
        node.epoch = host.epoch
        var child = RenderContext(host: host, node: node, environment: environment, presenter: presenter)
        (child.stack, child.page, child.presentation) = (stack, page, presentation)
        (child.focusClaims, child.isOnTop) = (focusClaims, isOnTop)
        child.memberChanges = memberChanges
        return child
    }

    /// Inherits the environment but nothing else of the page below.
    func presented(_ slot: String, _ rules: PresentationRules) -> RenderContext {
        var context = child(.slot(slot))
        (context.stack, context.page, context.presentation) = (nil, nil, rules)
        (context.focusClaims, context.isOnTop) = ([], true)
        context.memberChanges = []
        context.presenter = context.node.remembered("presenter") { Presenter() }
        context.environment.leavePage()
        context.environment.isPresented = true
        return context
    }
}

/// Set by the content.
@MainActor final class PresentationRules {
    var staysOpen = false
    var detents: [String] = []
}
