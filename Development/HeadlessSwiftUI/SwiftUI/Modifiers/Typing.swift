// For all fields below, through the environment.
extension View {
    nonisolated public func textContentType(_ textContentType: UITextContentType?) -> some View {
        setting(\.fieldTraits.contentType, textContentType)
    }

    nonisolated public func keyboardType(_ type: UIKeyboardType) -> some View { setting(\.fieldTraits.keyboard, type) }

    nonisolated public func textInputAutocapitalization(
        _ autocapitalization: TextInputAutocapitalization?
    ) -> some View {
        setting(\.fieldTraits.capitalization, autocapitalization)
    }

    nonisolated public func autocorrectionDisabled(_ disable: Bool = true) -> some View {
        setting(\.fieldTraits.isAutocorrected, !disable)
    }

    nonisolated public func submitLabel(_ submitLabel: SubmitLabel) -> some View {
        setting(\.fieldTraits.submitLabel, submitLabel)
    }

    nonisolated public func onSubmit(
        of triggers: SubmitTriggers = .text, _ action: @escaping (() -> Void)
    ) -> some View {
        change(SubmitChange(action: action))
    }

    nonisolated public func scrollDismissesKeyboard(_ mode: ScrollDismissesKeyboardMode) -> some View {
        setting(\.dismissesKeyboard, mode)
    }

    nonisolated public func searchable(
        text: Binding<String>, placement: SearchFieldPlacement = .automatic, prompt: Text? = nil
    ) -> some View {
        change(SearchChange(text: text, prompt: prompt))
    }

    nonisolated public func searchable(
        text: Binding<String>, placement: SearchFieldPlacement = .automatic, prompt: LocalizedStringKey
    ) -> some View {
        searchable(text: text, placement: placement, prompt: Text(prompt))
    }
}

public struct SearchFieldPlacement: Sendable {
    public static let automatic = SearchFieldPlacement()
    public static let toolbar = SearchFieldPlacement()
    public static func navigationBarDrawer(displayMode: NavigationBarDrawerDisplayMode) -> SearchFieldPlacement {
        SearchFieldPlacement()
    }

    public static var navigationBarDrawer: SearchFieldPlacement { SearchFieldPlacement() }

    public struct NavigationBarDrawerDisplayMode: Sendable {
        public static let automatic = NavigationBarDrawerDisplayMode()
        public static let always = NavigationBarDrawerDisplayMode()
    }
}

private struct SubmitChange: ViewChange {
    let action: () -> Void

    func prepare(_ context: inout RenderContext) {
        let action = action
        context.environment.submitActions.append { action() }
    }
}

/// The field belongs to the bar instead of the list.
private struct SearchChange: ViewChange {
    let text: Binding<String>
    let prompt: Text?

    func prepare(_ context: inout RenderContext) {
        let text = text
        context.environment.isSearching = !text.wrappedValue.isEmpty
        context.environment.dismissSearch = DismissSearchAction { text.wrappedValue = "" }
        let label = prompt ?? Text(verbatim: SystemTexts.search.text(in: context.environment.locale))
        let field = TextField(text: text, prompt: prompt) { label }.submitLabel(.search).autocorrectionDisabled()
        let elements = context.child(.slot("search")).elements(of: field)
        for element in elements { element.details["isSearch"] = "true" }
        context.page?.search = elements
    }
}
