// the control: everything is right
import AuthenticationServices
import Foundation
import SwiftUI

struct Tall: LabelStyle {
    func makeBody(configuration: Configuration) -> some View {
        VStack {
            configuration.icon
            configuration.title
        }
    }
}

struct Ticket: Shape {
    func path(in rect: CGRect) -> Path { Path(roundedRect: rect, cornerRadius: 4) }
}

@MainActor @Observable final class Model {
    var isShown = false
}

struct Right: View {
    let model: Model
    let action: @MainActor () -> Void

    var body: some View {
        Label("Title", systemImage: "plus").labelStyle(Tall())
        Label("Title", systemImage: "plus").labelStyle(.iconOnly)
        Ticket().fill(.blue).clipShape(Circle().inset(by: 2))
        ProgressView("Working")
        ProgressView(value: 0.5) {
            Text("Working")
        } currentValueLabel: {
            Text("half")
        }
        Button("Go", action: action)
            .alert("Title", isPresented: Binding(get: { model.isShown }, set: { model.isShown = $0 })) {}
            .toolbar {
                ToolbarItem { Text("1") }
                ToolbarItem { Text("2") }
                ToolbarItem { Text("3") }
                ToolbarItem { Text("4") }
                ToolbarItem { Text("5") }
                ToolbarItem { Text("6") }
                ToolbarItem { Text("7") }
                ToolbarItem { Text("8") }
                ToolbarItem { Text("9") }
                ToolbarItem { Text("10") }
            }
    }
}

func text(_ code: ASAuthorizationError.Code) -> String {
    switch code {
    case .canceled: "cancelled"
    case .unknown, .invalidResponse, .notHandled, .failed, .notInteractive: "failed"
    @unknown default: "failed"
    }
}
