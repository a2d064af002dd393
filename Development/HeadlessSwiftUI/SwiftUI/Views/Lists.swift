public struct List<SelectionValue: Hashable, Content: View> {
    private let content: Content
}

extension List where SelectionValue == Never {
    nonisolated public init(@ViewBuilder content: () -> Content) { self.content = content() }

    nonisolated public init<Data: RandomAccessCollection, RowContent: View>(
        _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent
    ) where Content == ForEach<Data, Data.Element.ID, RowContent>, Data.Element: Identifiable {
        content = ForEach(data, content: rowContent)
    }

    nonisolated public init<Data: RandomAccessCollection, ID: Hashable, RowContent: View>(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent
    ) where Content == ForEach<Data, ID, RowContent> {
        content = ForEach(data, id: id, content: rowContent)
    }
}

extension List: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] {
        let list = context.scrolling(.list)
        list.details["style"] = context.environment.listRendering
        return list.holding(Rows.sections(context.elements(of: content)))
    }
}

public struct Form<Content: View> {
    private let content: Content
    nonisolated public init(@ViewBuilder content: () -> Content) { self.content = content() }
}

extension Form: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] {
        context.scrolling(.form).holding(Rows.sections(context.elements(of: content)))
    }
}

enum Rows {
    /// Elements between sections form their own section.
    @MainActor static func sections(_ elements: [ScreenElement]) -> [ScreenElement] {
        var sections: [ScreenElement] = []
        var loose: [ScreenElement] = []
        func close() {
            guard !loose.isEmpty else { return }
            sections.append(ScreenElement(.section, "", [ScreenElement(.sectionBody, "", rows(loose))]))
            loose = []
        }
        for element in elements where !element.isPresentation {
            if element.kind == .section {
                close()
                sections.append(element)
            } else {
                loose.append(element)
            }
        }
        close()
        return sections + elements.filter(\.isPresentation)
    }

    @MainActor static func rows(_ elements: [ScreenElement]) -> [ScreenElement] {
        elements.map { ScreenElement(.row, "", [$0]) }
    }
}

public struct Section<Parent, Content, Footer> {
    private let header: Parent
    private let content: Content
    private let footer: Footer
}

extension Section: View, RenderedView, MemberView where Parent: View, Content: View, Footer: View {
    package func render(in context: RenderContext) -> [ScreenElement] {
        let head = context.child(.slot("header")).elements(of: header)
        let body = context.child(.slot("content")).elements(of: content)
        let foot = context.child(.slot("footer")).elements(of: footer)
        var parts = [ScreenElement(.sectionBody, "", Rows.rows(body.filter { !$0.isPresentation }))]
        if !head.isEmpty {
            parts.insert(ScreenElement(.header, "", head), at: 0)
            for text in head { text.subject.spoken.traits.formUnion(.isHeader) }
        }
        if !foot.isEmpty { parts.append(ScreenElement(.footer, "", foot)) }
        return [ScreenElement(.section, "", parts)] + body.filter(\.isPresentation)
    }

    nonisolated public init(
        @ViewBuilder content: () -> Content, @ViewBuilder header: () -> Parent, @ViewBuilder footer: () -> Footer
    ) {
        (self.header, self.content, self.footer) = (header(), content(), footer())
    }
}

extension Section where Parent == EmptyView, Content: View, Footer: View {
    nonisolated public init(@ViewBuilder content: () -> Content, @ViewBuilder footer: () -> Footer) {
        (header, self.content, self.footer) = (EmptyView(), content(), footer())
    }
}

extension Section where Parent: View, Content: View, Footer == EmptyView {
    nonisolated public init(@ViewBuilder content: () -> Content, @ViewBuilder header: () -> Parent) {
        (self.header, self.content, footer) = (header(), content(), EmptyView())
    }
}

extension Section where Parent == EmptyView, Content: View, Footer == EmptyView {
    nonisolated public init(@ViewBuilder content: () -> Content) {
        (header, self.content, footer) = (EmptyView(), content(), EmptyView())
    }
}

extension Section where Parent == Text, Content: View, Footer == EmptyView {
    nonisolated public init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content) {
        (header, self.content, footer) = (Text(titleKey), content(), EmptyView())
    }

    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(_ title: S, @ViewBuilder content: () -> Content) {
        (header, self.content, footer) = (Text(title), content(), EmptyView())
    }
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {
    public var data: Data
    public var content: (Data.Element) -> Content
    private let id: (Data.Element) -> ID
}

extension ForEach: View, RenderedView, MemberView where Content: View {
    package func render(in context: RenderContext) -> [ScreenElement] {
        var seen: Set<ID> = []
        return data.flatMap { element -> [ScreenElement] in
            let id = id(element)
            if !seen.insert(id).inserted {
                context.host.signal.complain("ForEach: the ID \(id) occurs more than once")
            }
            let elements = context.child(.id(AnyHashable(id))).elements(of: content(element))
            for subject in elements.map(\.subject) where subject.tag == nil { subject.tag = AnyHashable(id) }
            return elements
        }
    }

    nonisolated public init(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
    ) {
        (self.data, self.content, self.id) = (data, content, { $0[keyPath: id] })
    }
}

extension ForEach where Content: View, Data.Element: Identifiable, ID == Data.Element.ID {
    nonisolated public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {
        (self.data, self.content, id) = (data, content, { $0.id })
    }
}

extension ForEach where Data == Range<Int>, ID == Int, Content: View {
    nonisolated public init(_ data: Range<Int>, @ViewBuilder content: @escaping (Int) -> Content) {
        (self.data, self.content, id) = (data, content, { $0 })
    }
}
