import SwiftUI

/// The title is also the button's.
protocol DestructiveQuestion {
    var title: Text { get }
    var message: Text { get }
}

extension View {
    /// - Parameter question: Kept while the dialog closes.
    func confirmationDialog(
        for question: (some DestructiveQuestion)?, isPresented: Binding<Bool>, act: @escaping @MainActor () -> Void
    ) -> some View {
        confirmationDialog(question?.title ?? Text(verbatim: ""), isPresented: isPresented, titleVisibility: .visible) {
            Button(role: .destructive) {
                act()
            } label: {
                question?.title
            }
            Button(role: .cancel) {
            } label: {
                Text(ui: "Cancel")
            }
        } message: {
            question?.message
        }
    }
}
