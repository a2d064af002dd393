import Foundation
import Gatehouse
import SwiftUI

/// The list of the user's sessions, all of which except the current one can be ended.
struct DevicesView: View {
    private enum Step: Hashable {
        case load(Int)
        case end(UUID, Int)
    }

    let load: @Sendable () async throws -> [SessionInfo]
    @Environment(\.accountCalls) private var calls
    @State private var devices: [SessionInfo]?
    @State private var step = Step.load(0)
    @State private var count = 0
    /// The number of the last handled request to end a session.
    @State private var handled = 0
    @State private var hasFailed = false
    @State private var isWorking = false

    var body: some View {
        // Not a Group, whose tasks would restart with each branch.
        ZStack {
            if let devices {
                List {
                    if hasFailed {
                        Section { Text(ui: "Something went wrong. Please try again.").foregroundStyle(.red) }
                    }
                    Section {
                        ForEach(devices) { row($0) }
                    }
                }
                .disabled(isWorking)
            } else if hasFailed {
                LoadFailure { step = .load(next()) }
            } else {
                ProgressView()
            }
        }
        .navigationTitle(Text(ui: "Devices"))
        .inlineTitle()
        .task(id: step) { await run() }
    }

    private func row(_ device: SessionInfo) -> some View {
        AdaptiveRow {
            VStack(alignment: .leading, spacing: 2) {
                name(device).lineLimit(2)
                if device.isCurrent {
                    Text(ui: "This Device").font(.footnote).foregroundStyle(.secondary)
                } else {
                    Text(device.refreshedAt ?? device.createdAt, format: .dateTime.day().month().year())
                        .font(.footnote)
                        .foregroundStyle(.secondary)
                }
            }
            Spacer()
            if !device.isCurrent, calls.endDevice != nil {
                Button(role: .destructive) {
                    step = .end(device.id, next())
                } label: {
                    Text(ui: "Sign Out").frame(minWidth: 44, minHeight: 44)
                }
                .buttonStyle(.borderless)
                .accessibilityLabel(Text(ui: "Sign out \(name(device))"))
            }
        }
    }

    private func name(_ device: SessionInfo) -> Text {
        device.userAgent.map { Text(verbatim: $0) } ?? Text(ui: "Unknown Device")
    }

    private func next() -> Int {
        count += 1
        return count
    }

    private func run() async {
        (isWorking, hasFailed) = (true, false)
        do {
            // A page that reappears restarts its task with the same step; do not end a session twice.
            if case .end(let id, let number) = step, number > handled {
                handled = number
                try await calls.endDevice?(id)
            }
            devices = try await load()
        } catch {
            hasFailed = true
            announce("Something went wrong. Please try again.")
        }
        isWorking = false
    }
}
