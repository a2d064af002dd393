import Foundation
import Gatehouse
import GatehouseModel
import SwiftUI

struct DevicesView: View {
    @State private var model: DevicesModel
    @State private var loads = 0

    init(model: DevicesModel) { _model = State(initialValue: model) }

    var body: some View {
        // A Group's task would restart with each branch.
        ZStack {
            if let devices = model.devices {
                list(devices)
            } else {
                switch model.phase {
                case .failed: LoadFailure { loads += 1 }
                case .unsupported:
                    Text(ui: "The list of devices isn't available.").foregroundStyle(.secondary).padding(24)
                case .loading, .showing, .working: ProgressView()
                }
            }
        }
        .navigationTitle(Text(ui: "Devices"))
        .inlineTitle()
        .task(id: loads) { await model.load() }
        .onChange(of: model.phase) {
            if model.phase == .failed, model.devices != nil { announce(LoadFailure.text) }
        }
    }

    private func list(_ devices: [SessionInfo]) -> some View {
        List {
            if model.phase == .failed { Section { Text(model: LoadFailure.text).foregroundStyle(.red) } }
            let own = devices.first(where: \.isCurrent)?.id
            let mine = devices.filter { $0.isCurrent || $0.parentID != nil && $0.parentID == own }
            let others = devices.filter { !mine.contains($0) }
            if !mine.isEmpty {
                Section {
                    ForEach(mine) { row($0, among: devices) }
                } header: {
                    Text(ui: "This Device")
                }
            }
            if !others.isEmpty {
                Section {
                    ForEach(others) { row($0, among: devices) }
                } header: {
                    Text(ui: "Other Devices")
                }
            }
        }
        .disabled(model.phase == .working)
    }

    private func row(_ device: SessionInfo, among devices: [SessionInfo]) -> DeviceRow {
        let parent = devices.first { $0.id == device.parentID }
        guard !device.isCurrent else { return DeviceRow(device: device, parent: parent) }
        return DeviceRow(device: device, parent: parent) { model.end(device) }
    }
}

private struct DeviceRow: View {
    let device: SessionInfo
    /// Of a child session.
    let parent: SessionInfo?
    var end: (@MainActor () -> Void)?

    var body: some View {
        AdaptiveRow {
            VStack(alignment: .leading, spacing: 2) {
                name.lineLimit(2)
                if device.oauthClient != nil {
                    Text(ui: "Connected App").textStyle(.footnote).foregroundStyle(.secondary)
                }
                if let kind = device.kind?.words {
                    Text(model: kind).textStyle(.footnote).foregroundStyle(.secondary)
                }
                if let parent = parent?.device?.name {
                    Text(ui: "Set up by \(parent)").textStyle(.footnote).foregroundStyle(.secondary)
                }
                if device.oauthClient == nil, let details = device.device?.details {
                    Text(verbatim: details).textStyle(.footnote).foregroundStyle(.secondary)
                }
                if device.isBound {
                    (device.isCurrent ? Text(ui: "Protected by this device") : Text(ui: "Protected by its device"))
                        .textStyle(.footnote).foregroundStyle(.secondary)
                }
                if !device.isCurrent {
                    Text(ui: "Last used \(lastUse)").textStyle(.footnote).foregroundStyle(.secondary)
                }
            }
            .padding(.leading, indentation)
            Spacer()
            if let end {
                Button(role: .destructive, action: end) {
                    Text(ui: "Sign Out").frame(minWidth: 44, minHeight: 44)
                }
                .buttonStyle(.borderless)
                .accessibilityLabel(Text(ui: "Sign out \(name)"))
            }
        }
    }

    private var indentation: CGFloat { parent == nil ? 0 : 20 }

    private var name: Text {
        let name = device.oauthClient?.shownName ?? device.shownName ?? device.device?.name
        return name.map { Text(verbatim: $0) } ?? Text(ui: "Unknown Device")
    }

    private var lastUse: Text { Text(device.lastUsedAt, format: .dateTime.day().month().year().hour().minute()) }
}
