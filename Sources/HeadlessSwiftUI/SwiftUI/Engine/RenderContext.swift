/// Where a view is shown: its place, and what comes down to it.
@MainActor package struct RenderContext {
    package let host: ViewHost
    package let node: ViewNode
    package var environment: EnvironmentValues
    var stack: NavigationPages?
    var page: PageParts?
    var presentation: PresentationRules?
    /// Bindings of focus that the next field below belongs to.
    var focusClaims: [FocusClaim] = []
    /// Whether no pushed page covers it.
    var isOnTop = true
    /// What is to be done to each member of the view here, the outermost first.
    var memberChanges: [any ViewChange] = []

    /// The place below.
    package func child(_ key: ViewNode.Key) -> RenderContext {
        let node = node.child(key)
        node.epoch = host.epoch
        var child = RenderContext(host: host, node: node, environment: environment)
        (child.stack, child.page, child.presentation) = (stack, page, presentation)
        (child.focusClaims, child.isOnTop) = (focusClaims, isOnTop)
        child.memberChanges = memberChanges
        return child
    }

    /// The place of a presentation, which inherits the environment and nothing that belongs to the page below.
    func presented(_ slot: String, _ rules: PresentationRules) -> RenderContext {
        var context = child(.slot(slot))
        (context.stack, context.page, context.presentation) = (nil, nil, rules)
        (context.focusClaims, context.isOnTop) = ([], true)
        context.memberChanges = []
        context.environment.leavePage()
        context.environment.isPresented = true
        return context
    }
}

/// What the content of a presentation decides about it.
@MainActor final class PresentationRules {
    var staysOpen = false
    var detents: [String] = []
}
