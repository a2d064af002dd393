@MainActor @preconcurrency public struct DismissAction {
    private let action: @MainActor () -> Void

    nonisolated init(_ action: @escaping @MainActor () -> Void) { self.action = action }
    public func callAsFunction() { action() }
}

@MainActor @preconcurrency public struct DismissSearchAction {
    private let action: @MainActor () -> Void

    nonisolated init(_ action: @escaping @MainActor () -> Void) { self.action = action }
    public func callAsFunction() { action() }
}

public struct RefreshAction: Sendable {
    private let action: @Sendable () async -> Void

    init(_ action: @escaping @Sendable () async -> Void) { self.action = action }
    public func callAsFunction() async { await action() }
}

@MainActor @preconcurrency public struct OpenURLAction {
    public struct Result: Sendable {
        private enum Answer: Hashable { case handled, discarded, system }
        private let answer: Answer

        public static let handled = Result(answer: .handled)
        public static let discarded = Result(answer: .discarded)
        public static let systemAction = Result(answer: .system)
        public static func systemAction(_ url: URL) -> Result { .systemAction }

        var isAccepted: Bool { answer != .discarded }
    }

    private let handler: @MainActor (URL) -> Result

    public init(handler: @escaping (URL) -> OpenURLAction.Result) { self.handler = { handler($0) } }
    nonisolated init() { handler = { _ in .discarded } }

    public func callAsFunction(_ url: URL) { _ = handler(url) }
    public func callAsFunction(_ url: URL, completion: @escaping (_ accepted: Bool) -> Void) {
        completion(handler(url).isAccepted)
    }
}
