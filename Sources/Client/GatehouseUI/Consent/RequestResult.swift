import Gatehouse
import GatehouseModel
import SwiftUI

/// After the decision, or without one to make.
struct RequestResult: View {
    let model: AuthorizationRequestModel
    let open: @MainActor (OAuthRedirect) -> Void
    @Environment(\.dismiss) private var dismiss

    var body: some View {
        QuestionPage(symbol: symbol, title: title) {
            message.foregroundStyle(.secondary)
        } answers: {
            Button {
                dismiss()
            } label: {
                Text(ui: "Done")
            }
            .buttonStyle(WideButtonStyle(.prominent))
            if let redirect {
                Button {
                    open(redirect)
                } label: {
                    Text(ui: "Continue on This Device").frame(minWidth: 44, minHeight: 44)
                }
            }
        }
    }

    /// The browser that waits may be on another device, and a denial may tell the client by itself.
    private var redirect: OAuthRedirect? {
        switch model.phase {
        case .approved(let redirect): redirect
        case .denied(let redirect) where model.continuesHere: redirect
        default: nil
        }
    }

    private var symbol: String {
        switch model.phase {
        case .approved: "checkmark.circle.fill"
        case .denied: "xmark.circle.fill"
        default: "exclamationmark.circle.fill"
        }
    }

    private var title: Text {
        switch model.phase {
        case .approved: Text(ui: "Approved")
        case .denied: Text(ui: "Denied")
        case .alreadyDecided: Text(ui: "This request was already answered.")
        default: Text(ui: "This request is no longer valid.")
        }
    }

    @ViewBuilder private var message: some View {
        switch model.phase {
        case .approved:
            if let name { Text(ui: "\(name) now has access. You can end it at any time under Connected Apps.") }
            if !model.continuesHere { Text(ui: "Continue where you started.") }
        case .denied: if let name { Text(ui: "\(name) was not given access.") }
        case .alreadyDecided: Text(ui: "Connected Apps shows what has access to your account.")
        default: Text(ui: "It may have expired, or be meant for another account. Start again where you came from.")
        }
    }

    private var name: String? { model.details?.client.shownName.isolated }
}
