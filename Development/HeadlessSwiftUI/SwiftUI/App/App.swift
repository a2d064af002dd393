@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Self.Body { get }
}

extension Never: Scene {}

@resultBuilder public struct SceneBuilder {
    public static func buildExpression<Content: Scene>(_ content: Content) -> Content { content }
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

public struct WindowGroup<Content: View> {
    package let content: Content

    nonisolated public init(@ViewBuilder content: () -> Content) { self.content = content() }
}

extension WindowGroup: Scene {
    public var body: Never { bodiless(Self.self) }
}

@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Self.Body { get }
    @MainActor @preconcurrency init()
}

extension App {
    /// There is no display here; `ScreenDriver` drives the views.
    public static func main() { preconditionFailure("no screen here: drive the views with ScreenDriver") }
}

/// Expands to nothing, but its body is type-checked.
@freestanding(declaration) public macro Preview(
    _ name: String? = nil, @ViewBuilder body: @escaping @MainActor () -> any View
) = #externalMacro(module: "PreviewPlugin", type: "Preview")

public struct ContentUnavailableView<Label: View, Description: View, Actions: View> {
    private let label: Label
    private let description: Description
    private let actions: Actions

    nonisolated public init(
        @ViewBuilder label: () -> Label, @ViewBuilder description: () -> Description = { EmptyView() },
        @ViewBuilder actions: () -> Actions = { EmptyView() }
    ) {
        (self.label, self.description, self.actions) = (label(), description(), actions())
    }
}

extension ContentUnavailableView where Label == SwiftUI.Label<Text, Image>, Description == Text?, Actions == EmptyView {
    nonisolated public init(_ title: LocalizedStringKey, systemImage name: String, description: Text? = nil) {
        label = SwiftUI.Label(title, systemImage: name)
        (self.description, actions) = (description, EmptyView())
    }
}

extension ContentUnavailableView: View {
    public var body: some View {
        VStack(spacing: 12) {
            label.font(.title2.bold())
            description.font(.subheadline).foregroundStyle(.secondary).multilineTextAlignment(.center)
            actions
        }
        .padding()
        .frame(maxWidth: .infinity, maxHeight: .infinity)
    }
}
