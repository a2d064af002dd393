import SwiftUI

extension View {
    /// Does what a person asked for, once for each number, counted from 1. A `task(id:)` alone would do it again: SwiftUI
    /// starts it anew, with the number that it had, whenever its page is uncovered.
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
