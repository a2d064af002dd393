import AuthenticationServices
import Foundation
import GatehouseModel
import SwiftUI

/// At least 50 points high, in the theme's shape.
struct WideButtonStyle: ButtonStyle {
    enum Look {
        case prominent, quiet, google
    }

    /// The maximum width of Apple's button, in points.
    static let widest: CGFloat = 375

    var look = Look.quiet
    @ScaledMetric(relativeTo: .body) private var height: CGFloat = 50
    @Environment(\.isEnabled) private var isEnabled
    @Environment(\.branding) private var branding
    @Environment(\.onAccent) private var onAccent
    @Environment(\.colorScheme) private var colorScheme

    init(_ look: Look = .quiet) { self.look = look }

    func makeBody(configuration: Configuration) -> some View {
        configuration.label
            .textStyle(.body, .button, weight: .medium)
            .multilineTextAlignment(.center)
            .padding(.horizontal, 12)
            .frame(maxWidth: .infinity, minHeight: height)
            .foregroundStyle(colors.text)
            .background(colors.fill)
            .clipShape(branding.theme.outline)
            .overlay { if let border = colors.border { branding.theme.outline.stroke(border, lineWidth: 1) } }
            .opacity(isEnabled ? (configuration.isPressed ? 0.7 : 1) : 0.5)
            .frame(maxWidth: Self.widest)
            .frame(maxWidth: .infinity)
    }

    private var colors: ButtonColors {
        switch look {
        case .prominent: ButtonColors(fill: branding.accent, text: onAccent)
        case .quiet: ButtonColors(fill: .quiet, text: .primary)
        case .google: colorScheme == .dark ? .googleDark : .googleLight
        }
    }
}

struct ButtonColors: Hashable {
    var fill: Color
    var text: Color
    var border: Color?

    // Google's guidelines allow these: https://developers.google.com/identity/branding-guidelines
    static let googleLight = ButtonColors(fill: .white, text: Color(hex: 0x1f1f1f), border: Color(hex: 0x747775))
    static let googleDark = ButtonColors(
        fill: Color(hex: 0x131314), text: Color(hex: 0xe3e3e3), border: Color(hex: 0x8e918f))
}

extension Color {
    /// - Parameter hex: One byte each for red, green and blue.
    fileprivate init(hex: Int) {
        let bytes = [hex >> 16, hex >> 8, hex].map { Double($0 & 0xff) / 255 }
        self.init(red: bytes[0], green: bytes[1], blue: bytes[2])
    }
}

/// Google's guidelines require its coloured logo.
struct ProviderButton: View {
    let method: AuthMethod
    let action: @MainActor () -> Void

    var body: some View {
        Button(action: action) {
            HStack(spacing: 8) {
                if method == .google {
                    Image(decorative: "google", bundle: .module)
                } else {
                    Image(systemName: "globe").accessibilityHidden(true)
                }
                Text(ui: "Sign in with \(method.name)")
            }
        }
        .buttonStyle(WideButtonStyle(method == .google ? .google : .quiet))
        .accessibilityHint(Text(ui: "Signs you in with your \(method.name) account."))
    }
}

/// Must stay on the screen during its sheet, whose result it receives.
struct AppleButton: View {
    let sheet: AppleSheet
    let begin: @MainActor () -> Void
    @Environment(\.branding) private var branding
    @Environment(\.colorScheme) private var colorScheme
    @Environment(\.isEnabled) private var isEnabled
    @State private var made: ColorScheme?
    @ScaledMetric(relativeTo: .body) private var height: CGFloat = 50

    var body: some View {
        let scheme = made ?? colorScheme
        SignInWithAppleButton(.signIn) { request in
            sheet.prepare(request)
            begin()
        } onCompletion: { result in
            sheet.finish(result)
        }
        .signInWithAppleButtonStyle(scheme == .dark ? .white : .black)
        // The system's button takes its style when it is created.
        .id(scheme)
        // Its title grows with the height, and must fit into the width.
        .frame(height: min(height, 64))
        .clipShape(branding.theme.outline)
        .frame(maxWidth: WideButtonStyle.widest)
        .frame(maxWidth: .infinity)
        .accessibilityHint(Text(ui: "Signs you in with your Apple Account."))
        .onChange(of: colorScheme, initial: true, adapt)
        .onChange(of: isEnabled, adapt)
    }

    /// Not while disabled, as during a sign-in, whose result would be lost.
    private func adapt() { if isEnabled { made = colorScheme } }
}

extension View {
    /// Without a card behind filled buttons.
    func clearRows() -> some View {
        listRowBackground(Color.clear).listRowInsets(EdgeInsets()).listRowSeparator(.hidden)
    }
}

struct OrDivider: View {
    var body: some View {
        HStack {
            line
            Text(ui: "or").textStyle(.footnote).foregroundStyle(.secondary)
            line
        }
        .padding(.vertical, 8)
        .accessibilityHidden(true)
    }

    private var line: some View { Rectangle().fill(Color.secondary.opacity(0.3)).frame(height: 1) }
}

/// A column with the largest text sizes.
struct AdaptiveRow<Content: View>: View {
    @Environment(\.dynamicTypeSize) private var size
    private let content: Content

    init(@ViewBuilder content: () -> Content) { self.content = content() }

    var body: some View {
        if size.isAccessibilitySize { VStack(alignment: .leading) { content } } else { HStack { content } }
    }
}

struct BusyOverlay: View {
    let text: Text
    @Environment(\.branding) private var branding

    var body: some View {
        ZStack {
            Color.black.opacity(0.3).ignoresSafeArea()
            ProgressView { text.multilineTextAlignment(.center) }
                .padding(24)
                .background(.regularMaterial, in: RoundedRectangle(cornerRadius: branding.theme.cornerRadius))
                .padding(16)
        }
        .accessibilityElement(children: .combine)
        .accessibilityAddTraits(.isModal)
    }
}
