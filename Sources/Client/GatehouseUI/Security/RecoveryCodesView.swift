import GatehouseModel
import SwiftUI

struct RecoveryCodesView: View {
    @Environment(\.branding) private var branding
    @Environment(\.dismiss) private var dismiss
    @State private var model: RecoveryCodesModel
    @State private var loads = 0
    @State private var isCopied = false

    init(manager: AuthManager, replacing: Bool) {
        _model = State(initialValue: RecoveryCodesModel(replacing: replacing, manager: manager))
    }

    var body: some View {
        ZStack {
            switch model.phase {
            case .working, .cancelled: ProgressView()
            case .failed(let message): MessageView(message: message) { loads += 1 }.padding(24)
            case .showing: list
            }
        }
        .navigationTitle(Text(ui: "Recovery Codes"))
        .inlineTitle()
        // Losing the codes by mistake would mean generating others.
        .navigationBarBackButtonHidden(isBound)
        .interactiveDismissDisabled(isBound)
        .task(id: loads) { await model.load() }
        .onChange(of: model.phase) { if model.phase == .cancelled { dismiss() } }
    }

    /// New codes void the user's previous ones.
    private var isBound: Bool { model.phase == .working || model.phase == .showing }

    private var list: some View {
        List {
            Section {
                ForEach(model.codes, id: \.self) { code in
                    Text(verbatim: code.leftToRight).font(.body.monospaced()).textSelection(.enabled)
                }
            } header: {
                Text(ui: "Keep these codes in a safe place. They won't be shown again, and each works once.")
                    .textStyle(.subheadline)
                    .textCase(nil)
                    .frame(maxWidth: .infinity, alignment: .leading)
                    .padding(.bottom, 8)
            }
            Section {
                Button {
                    copy(file)
                    isCopied = true
                    announce("Copied")
                } label: {
                    (isCopied ? Text(ui: "Copied") : Text(ui: "Copy")).frame(minHeight: 44)
                }
                ShareLink(item: file) { Text(ui: "Save or Print").frame(minHeight: 44) }
            }
            Section {
                Button {
                    dismiss()
                } label: {
                    Text(ui: "I've Saved Them")
                }
                .buttonStyle(WideButtonStyle(.prominent))
            }
            .clearRows()
        }
    }

    private var file: String { model.file(title: branding.name) }
}
