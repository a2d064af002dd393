extension View {
    nonisolated public func alert<A: View, M: View>(
        _ title: Text, isPresented: Binding<Bool>, @ViewBuilder actions: () -> A, @ViewBuilder message: () -> M
    ) -> some View {
        change(Question(.alert, title, isPresented, actions: actions(), message: message()))
    }

    nonisolated public func alert<A: View, M: View>(
        _ titleKey: LocalizedStringKey, isPresented: Binding<Bool>, @ViewBuilder actions: () -> A,
        @ViewBuilder message: () -> M
    ) -> some View {
        alert(Text(titleKey), isPresented: isPresented, actions: actions, message: message)
    }

    @_disfavoredOverload
    nonisolated public func alert<S: StringProtocol, A: View, M: View>(
        _ title: S, isPresented: Binding<Bool>, @ViewBuilder actions: () -> A, @ViewBuilder message: () -> M
    ) -> some View {
        alert(Text(title), isPresented: isPresented, actions: actions, message: message)
    }

    nonisolated public func alert<A: View>(
        _ title: Text, isPresented: Binding<Bool>, @ViewBuilder actions: () -> A
    ) -> some View {
        change(Question(.alert, title, isPresented, actions: actions(), message: EmptyView()))
    }

    nonisolated public func alert<A: View>(
        _ titleKey: LocalizedStringKey, isPresented: Binding<Bool>, @ViewBuilder actions: () -> A
    ) -> some View {
        alert(Text(titleKey), isPresented: isPresented, actions: actions)
    }

    @_disfavoredOverload
    nonisolated public func alert<S: StringProtocol, A: View>(
        _ title: S, isPresented: Binding<Bool>, @ViewBuilder actions: () -> A
    ) -> some View {
        alert(Text(title), isPresented: isPresented, actions: actions)
    }

    nonisolated public func alert<A: View, M: View, T>(
        _ title: Text, isPresented: Binding<Bool>, presenting data: T?, @ViewBuilder actions: (T) -> A,
        @ViewBuilder message: (T) -> M
    ) -> some View {
        change(Question(.alert, title, isPresented, actions: data.map(actions), message: data.map(message)))
    }

    nonisolated public func alert<E: LocalizedError, A: View>(
        isPresented: Binding<Bool>, error: E?, @ViewBuilder actions: () -> A
    ) -> some View {
        let title = Text(verbatim: error?.errorDescription ?? "")
        return change(
            Question(.alert, title, isPresented, needs: error != nil, actions: actions(), message: EmptyView()))
    }

    nonisolated public func alert<E: LocalizedError, A: View, M: View>(
        isPresented: Binding<Bool>, error: E?, @ViewBuilder actions: (E) -> A, @ViewBuilder message: (E) -> M
    ) -> some View {
        let title = Text(verbatim: error?.errorDescription ?? "")
        return change(
            Question(
                .alert, title, isPresented, needs: error != nil, actions: error.map(actions),
                message: error.map(message)))
    }
}

extension View {
    nonisolated public func confirmationDialog<A: View, M: View>(
        _ title: Text, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
        @ViewBuilder actions: () -> A, @ViewBuilder message: () -> M
    ) -> some View {
        var question = Question(.dialog, title, isPresented, actions: actions(), message: message())
        question.showsTitle = titleVisibility == .visible
        return change(question)
    }

    nonisolated public func confirmationDialog<A: View, M: View>(
        _ titleKey: LocalizedStringKey, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
        @ViewBuilder actions: () -> A, @ViewBuilder message: () -> M
    ) -> some View {
        confirmationDialog(
            Text(titleKey), isPresented: isPresented, titleVisibility: titleVisibility, actions: actions,
            message: message)
    }

    @_disfavoredOverload
    nonisolated public func confirmationDialog<S: StringProtocol, A: View, M: View>(
        _ title: S, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
        @ViewBuilder actions: () -> A, @ViewBuilder message: () -> M
    ) -> some View {
        confirmationDialog(
            Text(title), isPresented: isPresented, titleVisibility: titleVisibility, actions: actions,
            message: message)
    }

    nonisolated public func confirmationDialog<A: View>(
        _ title: Text, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
        @ViewBuilder actions: () -> A
    ) -> some View {
        var question = Question(.dialog, title, isPresented, actions: actions(), message: EmptyView())
        question.showsTitle = titleVisibility == .visible
        return change(question)
    }

    nonisolated public func confirmationDialog<A: View>(
        _ titleKey: LocalizedStringKey, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
        @ViewBuilder actions: () -> A
    ) -> some View {
        confirmationDialog(
            Text(titleKey), isPresented: isPresented, titleVisibility: titleVisibility, actions: actions)
    }

    nonisolated public func confirmationDialog<A: View, M: View, T>(
        _ title: Text, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic, presenting data: T?,
        @ViewBuilder actions: (T) -> A, @ViewBuilder message: (T) -> M
    ) -> some View {
        var question = Question(
            .dialog, title, isPresented, needs: data != nil, actions: data.map(actions), message: data.map(message))
        question.showsTitle = titleVisibility == .visible
        return change(question)
    }
}

/// Every button closes it.
private struct Question<Actions: View, Message: View>: ViewChange {
    let kind: ScreenElement.Kind
    let title: Text
    let isPresented: Binding<Bool>
    let needs: Bool
    let actions: Actions
    let message: Message
    var showsTitle = true

    init(
        _ kind: ScreenElement.Kind, _ title: Text, _ isPresented: Binding<Bool>, needs: Bool = true, actions: Actions,
        message: Message
    ) {
        (self.kind, self.title, self.isPresented, self.needs) = (kind, title, isPresented, needs)
        (self.actions, self.message) = (actions, message)
    }

    func finish(_ elements: [ScreenElement], in context: RenderContext) -> [ScreenElement] {
        let (node, signal) = (context.node, context.host.signal)
        guard isPresented.wrappedValue, needs else {
            context.presenter.close(node, signal)
            return elements
        }
        guard context.presenter.open(node, signal) else { return elements }
        let inner = context.presented(kind.rawValue, PresentationRules())
        var parts = inner.child(.slot("actions")).elements(of: actions)
        let buttons = parts.filter { $0.kind == .button }
        if kind == .alert ? buttons.isEmpty : !buttons.contains(where: { $0.role == .cancel }) {
            let system = kind == .alert ? SystemTexts.confirm : SystemTexts.cancel
            let button = ScreenElement(.button, system.text(in: context.environment.locale))
            (button.role, button.action) = (.cancel, {})
            button.spoken.traits = [.isButton]
            parts.append(button)
        }
        for button in parts where button.kind == .button {
            let action = button.action
            // The action runs first, because it may present something else.
            button.action = {
                action?()
                isPresented.wrappedValue = false
            }
        }
        let heading = ScreenElement(.text, context.text(title))
        heading.spoken.traits = [.isHeader]
        let lines = inner.child(.slot("message")).elements(of: message)
        let question = ScreenElement(kind, "", (showsTitle ? [heading] : []) + lines + parts)
        question.spoken.label = heading.text
        if kind == .dialog { question.close = { isPresented.wrappedValue = false } }
        return elements + [question]
    }
}
