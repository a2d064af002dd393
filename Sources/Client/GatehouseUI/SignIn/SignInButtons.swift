import Foundation
import GatehouseModel
import SwiftUI

/// A wide button with rounded corners, 50 points high, and higher with larger text.
struct WideButtonStyle: ButtonStyle {
    enum Look {
        case prominent, quiet
    }

    var look = Look.quiet
    @ScaledMetric(relativeTo: .body) private var height: CGFloat = 50
    @Environment(\.isEnabled) private var isEnabled
    @Environment(\.branding) private var branding

    init(_ look: Look = .quiet) { self.look = look }

    func makeBody(configuration: Configuration) -> some View {
        configuration.label
            .font(.body.weight(.medium))
            .multilineTextAlignment(.center)
            .padding(.horizontal, 12)
            .frame(maxWidth: .infinity, minHeight: height)
            .foregroundStyle(look == .prominent ? Color.white : Color.primary)
            .background(look == .prominent ? branding.accent : Color.quiet)
            .clipShape(RoundedRectangle(cornerRadius: 12))
            .opacity(isEnabled ? (configuration.isPressed ? 0.7 : 1) : 0.5)
    }
}

/// "Sign in with …" for a provider in the browser. Google has its coloured logo beside the text, as its branding
/// guidelines ask; the others have a symbol.
struct ProviderButton: View {
    let method: AuthMethod
    let action: @MainActor () -> Void

    var body: some View {
        Button(action: action) {
            HStack(spacing: 8) {
                if method == .google {
                    Image(decorative: "google", bundle: .module)
                } else {
                    Image(systemName: "key.fill").accessibilityHidden(true)
                }
                Text(ui: "Sign in with \(method.name)")
            }
        }
        .buttonStyle(WideButtonStyle())
        .accessibilityHint(Text(ui: "Double tap to authenticate using your \(method.name) account."))
    }
}

extension View {
    /// Rows of filled buttons, which stand on the screen's background instead of a card.
    func clearRows() -> some View {
        listRowBackground(Color.clear).listRowInsets(EdgeInsets()).listRowSeparator(.hidden)
    }
}

/// A word between two lines.
struct OrDivider: View {
    var body: some View {
        HStack {
            line
            Text(ui: "or").font(.footnote).foregroundStyle(.secondary)
            line
        }
        .padding(.vertical, 8)
        .accessibilityHidden(true)
    }

    private var line: some View { Rectangle().fill(Color.secondary.opacity(0.3)).frame(height: 1) }
}

/// A row that becomes a column with the largest text sizes.
struct AdaptiveRow<Content: View>: View {
    @Environment(\.dynamicTypeSize) private var size
    private let content: Content

    init(@ViewBuilder content: () -> Content) { self.content = content() }

    var body: some View {
        if size.isAccessibilitySize { VStack(alignment: .leading) { content } } else { HStack { content } }
    }
}

/// Covers a screen during an operation that must not be interrupted.
struct BusyOverlay: View {
    let text: Text

    var body: some View {
        ZStack {
            Color.black.opacity(0.3).ignoresSafeArea()
            ProgressView { text.multilineTextAlignment(.center) }
                .padding(24)
                .background(.regularMaterial, in: RoundedRectangle(cornerRadius: 12))
                .padding(16)
        }
        .accessibilityElement(children: .combine)
        .accessibilityAddTraits(.isModal)
    }
}
