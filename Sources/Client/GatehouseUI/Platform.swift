import Foundation
import Gatehouse
import SwiftUI

#if os(tvOS) || os(watchOS)
#error("GatehouseUI is for iOS, macOS and visionOS. On tvOS and watchOS, use GatehouseModel with your own screens.")
#endif

#if canImport(CoreImage)
import CoreImage.CIFilterBuiltins
#endif

#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif

// This target's only platform switches.

extension View {
    func inlineTitle() -> some View {
        #if os(macOS)
        themed()
        #else
        themed().navigationBarTitleDisplayMode(.inline)
        #endif
    }

    /// On a Mac, lists and forms give a sheet no size.
    func sheetSize() -> some View {
        #if os(macOS)
        rows().frame(minWidth: 420, idealWidth: 460, minHeight: 420, idealHeight: 560)
        #else
        self
        #endif
    }

    /// On a Mac, a form would otherwise be two columns.
    func rows() -> some View {
        #if os(macOS)
        formStyle(.grouped)
        #else
        self
        #endif
    }

    func typesEmail() -> some View {
        #if os(macOS)
        autocorrectionDisabled()
        #else
        keyboardType(.emailAddress).textInputAutocapitalization(.never).autocorrectionDisabled()
        #endif
    }

    func typesName() -> some View {
        #if os(macOS)
        self
        #else
        textInputAutocapitalization(.words)
        #endif
    }

    /// A telephone number.
    func typesNumber() -> some View {
        #if os(macOS)
        self
        #else
        keyboardType(.phonePad)
        #endif
    }

    func typesDigits() -> some View {
        #if os(macOS)
        self
        #else
        keyboardType(.numberPad)
        #endif
    }
}

/// Empty on Apple TV, which has no share sheet.
@ViewBuilder @MainActor func shareLink(_ text: String, @ViewBuilder label: () -> some View) -> some View {
    #if !os(tvOS)
    ShareLink(item: text, label: label)
    #endif
}

extension ToolbarItemPlacement {
    static var closing: ToolbarItemPlacement {
        #if os(macOS)
        // Not the default button, which Return presses.
        .cancellationAction
        #else
        .topBarTrailing
        #endif
    }
}

/// A Mac has words in a sheet's button row.
struct CloseLabel: View {
    var body: some View {
        #if os(macOS)
        Text(ui: "Close")
        #else
        Image(systemName: hasGlass ? "xmark" : "xmark.circle.fill")
            .font(hasGlass ? .body : .title2)
            .foregroundStyle(hasGlass ? .primary : .secondary)
            .frame(minWidth: 44, minHeight: 44)
        #endif
    }
}

extension Font.TextStyle {
    /// At the default text size (Human Interface Guidelines).
    var points: CGFloat {
        #if os(macOS)
        switch self {
        case .largeTitle: 26
        case .title: 22
        case .title2: 17
        case .title3: 15
        case .callout: 12
        case .subheadline: 11
        case .footnote, .caption, .caption2: 10
        default: 13
        }
        #else
        switch self {
        case .largeTitle: 34
        case .title: 28
        case .title2: 22
        case .title3: 20
        case .callout: 16
        case .subheadline: 15
        case .footnote: 13
        case .caption: 12
        case .caption2: 11
        default: 17
        }
        #endif
    }
}

var hasGlass: Bool {
    #if canImport(Darwin)
    if #available(iOS 26, macOS 26, *) { return true } else { return false }
    #else
    return false
    #endif
}

extension View {
    @ViewBuilder func circleButton(_ accent: Color) -> some View {
        #if canImport(Darwin)
        if #available(iOS 26, macOS 26, *) {
            buttonStyle(.glassProminent).buttonBorderShape(.circle).tint(accent)
        } else {
            buttonStyle(.plain)
        }
        #else
        buttonStyle(.plain)
        #endif
    }
}

extension Color {
    static var quiet: Color {
        #if os(macOS)
        Color.secondary.opacity(0.2)
        #else
        Color(uiColor: .systemGray5)
        #endif
    }
}

#if canImport(Darwin)
import AuthenticationServices

/// Provides passkeys, whose sheets appear in the content's window.
struct WithSystemPasskeys<Content: View>: View {
    #if !os(macOS)
    @State private var window = FoundWindow()
    #endif
    private let content: @MainActor ((any PasskeyAuthenticator)?) -> Content

    init(_ content: @escaping @MainActor ((any PasskeyAuthenticator)?) -> Content) { self.content = content }

    var body: some View {
        #if os(macOS)
        // The key window may be a sheet.
        content(SystemPasskeys { NSApplication.shared.keyWindow ?? ASPresentationAnchor() })
        #else
        content(SystemPasskeys { [window] in window.found ?? ASPresentationAnchor() })
            .background(WindowFinder(window: window))
        #endif
    }
}

#if !os(macOS)
/// Works without `UIApplication.shared`, so app extensions can show the screens.
@MainActor private final class FoundWindow {
    weak var found: UIWindow?
}

private struct WindowFinder: UIViewRepresentable {
    let window: FoundWindow

    func makeUIView(context _: Context) -> Probe { Probe(window) }

    func updateUIView(_: Probe, context _: Context) {}

    final class Probe: UIView {
        private let found: FoundWindow

        init(_ found: FoundWindow) {
            self.found = found
            super.init(frame: .zero)
            isUserInteractionEnabled = false
        }

        @available(*, unavailable)
        required init?(coder _: NSCoder) { nil }

        override func didMoveToWindow() {
            super.didMoveToWindow()
            found.found = window
        }
    }
}
#endif

/// On this device only, for two minutes.
@MainActor func copy(_ text: String) {
    #if os(macOS)
    NSPasteboard.general.clearContents()
    NSPasteboard.general.setString(text, forType: .string)
    #else
    UIPasteboard.general.setItems(
        [["public.utf8-plain-text": text]],
        options: [.localOnly: true, .expirationDate: Date(timeIntervalSinceNow: 120)])
    #endif
}

@MainActor func qrCode(_ secret: AuthEnrolledFactor.TOTP, label: Text) -> some View {
    let filter = CIFilter.qrCodeGenerator()
    filter.message = Data(secret.uri.utf8)
    let picture = filter.outputImage.flatMap { CIContext().createCGImage($0, from: $0.extent) }
    return Group {
        if let picture {
            Image(picture, scale: 1, label: label).interpolation(.none).resizable().scaledToFit().padding(8)
                .background(Color.white)
        }
    }
}
#else
/// This system has no passkeys.
struct WithSystemPasskeys<Content: View>: View {
    private let content: @MainActor ((any PasskeyAuthenticator)?) -> Content

    init(_ content: @escaping @MainActor ((any PasskeyAuthenticator)?) -> Content) { self.content = content }

    var body: some View { content(nil) }
}

@MainActor func copy(_: String) {}

@MainActor func qrCode(_ secret: AuthEnrolledFactor.TOTP, label: Text) -> some View {
    Image(svg: secret.qrCode, label: label)
}
#endif
