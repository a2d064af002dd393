/// The headless sheet passes the text to the device.
public struct ShareLink<Data: RandomAccessCollection, PreviewImage, PreviewIcon, Label: View> {
    private let items: Data
    private let label: Label
}

extension ShareLink where PreviewImage == Never, PreviewIcon == Never, Data == CollectionOfOne<String> {
    nonisolated public init(
        item: String, subject: Text? = nil, message: Text? = nil, @ViewBuilder label: () -> Label
    ) {
        (items, self.label) = (CollectionOfOne(item), label())
    }
}

extension ShareLink: View, RenderedView where Data == CollectionOfOne<String> {
    package func render(in context: RenderContext) -> [ScreenElement] {
        let (share, text) = (context.environment.share, items[items.startIndex])
        let button = Button {
            share(text)
        } label: {
            label
        }
        return context.elements(of: button)
    }
}
