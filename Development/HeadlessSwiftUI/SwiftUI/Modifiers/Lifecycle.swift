extension View {
    nonisolated public func onAppear(perform action: (() -> Void)? = nil) -> some View {
        change(
            Appearing {
                action?()
            } disappear: {
            })
    }

    nonisolated public func onDisappear(perform action: (() -> Void)? = nil) -> some View {
        change(
            Appearing {
            } disappear: {
                action?()
            })
    }

    nonisolated public func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ action: @escaping (_ oldValue: V, _ newValue: V) -> Void
    ) -> some View {
        change(Watching(value: value, isInitial: initial, action: action))
    }

    nonisolated public func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ action: @escaping () -> Void
    ) -> some View {
        change(Watching(value: value, isInitial: initial) { _, _ in action() })
    }

    nonisolated public func task(
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View {
        change(Working(id: 0, priority: priority, action: action))
    }

    nonisolated public func task<T: Equatable>(
        id value: T, priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View {
        change(Working(id: value, priority: priority, action: action))
    }

    nonisolated public func onOpenURL(perform action: @escaping (URL) -> Void) -> some View {
        change(OpeningURL(action: action))
    }

    nonisolated public func refreshable(action: @escaping @Sendable () async -> Void) -> some View {
        setting(\.refresh, RefreshAction(action))
    }

    nonisolated public func id<ID: Hashable>(_ id: ID) -> some View { Identified(content: self, id: id) }
}

/// A page disappears when a pushed page covers it.
private struct Appearing: ViewChange {
    let appear: () -> Void
    let disappear: () -> Void
    static var isForMembers: Bool { true }

    func prepare(_ context: inout RenderContext) {
        let (node, host) = (context.node, context.host)
        let wasThere = node.memory["isThere"] != nil
        guard wasThere != context.isOnTop else {
            if wasThere { node.onEnd = { disappear() } }
            return
        }
        node.memory["isThere"] = context.isOnTop ? true : nil
        if context.isOnTop {
            node.onEnd = { disappear() }
            host.afterRendering.append { appear() }
        } else {
            node.onEnd = nil
            host.afterRendering.append { disappear() }
        }
    }
}

private struct OpeningURL: ViewChange {
    let action: (URL) -> Void

    func prepare(_ context: inout RenderContext) {
        let action = action
        context.host.urlActions.append { action($0) }
    }
}

private struct Watching<Value: Equatable>: ViewChange {
    let value: Value
    let isInitial: Bool
    let action: (Value, Value) -> Void
    static var isForMembers: Bool { true }

    func prepare(_ context: inout RenderContext) {
        let (value, action) = (value, action)
        let old = context.node.memory["value"] as? Value
        context.node.memory["value"] = value
        if let old {
            if old != value { context.host.afterRendering.append { action(old, value) } }
        } else if isInitial {
            context.host.afterRendering.append { action(value, value) }
        }
    }
}

private struct Working<ID: Equatable>: ViewChange {
    let id: ID
    let priority: TaskPriority
    let action: @isolated(any) () async -> Void
    static var isForMembers: Bool { true }

    func prepare(_ context: inout RenderContext) {
        let node = context.node
        guard context.isOnTop else {
            node.memory["id"] = nil
            node.task?.cancel()
            return
        }
        if let known = node.memory["id"] as? ID, known == id { return }
        node.memory["id"] = id
        node.task?.cancel()
        let (action, priority) = (TaskAction(action), priority)
        context.host.afterRendering.append { node.task = Task(priority: priority) { await action.run() } }
    }
}

private struct Identified<Content: View, ID: Hashable> {
    let content: Content
    let id: ID
}

extension Identified: View, RenderedView, MemberView {
    func render(in context: RenderContext) -> [ScreenElement] {
        context.child(.id(AnyHashable(id))).elements(of: content)
    }
}
