public import GatehouseModel
public import SwiftUI

extension View {
    /// Handles "Send Report" on the screens below, instead of the system's share sheet.
    ///
    /// ```swift
    /// HomeView()
    ///     .authReport { report in support.open(attaching: report.text) }
    /// ```
    public func authReport(_ send: @escaping @MainActor (AuthReport) -> Void) -> some View {
        environment(\.sendReport, send)
    }
}

struct ReportButton: View {
    let report: AuthReport
    @Environment(\.sendReport) private var send

    var body: some View {
        Group {
            if let send {
                Button {
                    send(report)
                } label: {
                    label
                }
            } else {
                shareLink(report.text) { label }
            }
        }
        .textStyle(.footnote)
    }

    private var label: some View { Text(ui: "Send Report").frame(minWidth: 44, minHeight: 44) }
}

private struct SendReportKey: EnvironmentKey {
    static let defaultValue: (@MainActor (AuthReport) -> Void)? = nil
}

extension EnvironmentValues {
    fileprivate var sendReport: (@MainActor (AuthReport) -> Void)? {
        get { self[SendReportKey.self] }
        set { self[SendReportKey.self] = newValue }
    }
}
