// the control: everything is right
import AuthenticationServices
import SwiftUI

struct Right: View {
    @State private var name = ""
    @State private var isShown = false
    @FocusState private var isFocused: Bool

    var body: some View {
        NavigationStack {
            Form {
                TextField("Name", text: $name).focused($isFocused)
                ForEach([1, 2], id: \.self) { Text("\($0)") }
            }
            .alert("Title", isPresented: $isShown) { Button("OK", role: .cancel) {} }
        }
    }
}
