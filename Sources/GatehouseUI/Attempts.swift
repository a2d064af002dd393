import SwiftUI

extension View {
    /// Performs a user's request once per number, starting at 1. `task(id:)` alone would repeat it: SwiftUI restarts
    /// the task with the same id when its page reappears.
    func attempt(_ number: Int, perform: @escaping @MainActor () async -> Void) -> some View {
        modifier(Attempts(number: number, perform: perform))
    }
}

private struct Attempts: ViewModifier {
    let number: Int
    let perform: @MainActor () async -> Void
    @State private var handled = 0

    func body(content: Content) -> some View {
        content.task(id: number) {
            guard number > handled else { return }
            handled = number
            await perform()
        }
    }
}
