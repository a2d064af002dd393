import Foundation
import Gatehouse
import SwiftUI

#if canImport(CoreImage)
import CoreImage.CIFilterBuiltins
#endif

#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif

// The only platform switches of this target: SwiftUI modifiers that exist on iOS but not on macOS.

extension View {
    /// Shows the title in the navigation bar.
    func inlineTitle() -> some View {
        #if os(macOS)
        self
        #else
        navigationBarTitleDisplayMode(.inline)
        #endif
    }

    /// The size of a sheet: on a Mac its content decides, and lists and forms have none of their own.
    func sheetSize() -> some View {
        #if os(macOS)
        rows().frame(minWidth: 420, idealWidth: 460, minHeight: 420, idealHeight: 560)
        #else
        self
        #endif
    }

    /// Rows as on an iPhone: on a Mac a form is otherwise two columns of labels and fields.
    func rows() -> some View {
        #if os(macOS)
        formStyle(.grouped)
        #else
        self
        #endif
    }

    /// The keyboard for an email address.
    func typesEmail() -> some View {
        #if os(macOS)
        autocorrectionDisabled()
        #else
        keyboardType(.emailAddress).textInputAutocapitalization(.never).autocorrectionDisabled()
        #endif
    }

    /// The keyboard for a name.
    func typesName() -> some View {
        #if os(macOS)
        self
        #else
        textInputAutocapitalization(.words)
        #endif
    }

    /// The keyboard for a code of digits.
    func typesDigits() -> some View {
        #if os(macOS)
        self
        #else
        keyboardType(.numberPad)
        #endif
    }
}

extension ToolbarItemPlacement {
    /// The placement of a sheet's close button.
    static var closing: ToolbarItemPlacement {
        #if os(macOS)
        // Not the default button, which Return presses.
        .cancellationAction
        #else
        .topBarTrailing
        #endif
    }
}

extension Color {
    /// The background of a secondary button.
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

/// The system's passkeys, in front of the app's key window.
@MainActor func systemPasskeys() -> (any PasskeyAuthenticator)? {
    SystemPasskeys {
        #if os(macOS)
        NSApplication.shared.keyWindow ?? ASPresentationAnchor()
        #else
        let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
        let active = scenes.filter { $0.activationState == .foregroundActive }
        return (active + scenes).compactMap(\.keyWindow).first ?? ASPresentationAnchor()
        #endif
    }
}

/// Copies a secret, on this device alone and for two minutes.
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

/// The QR code of an authenticator app's secret.
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
/// There are none here.
@MainActor func systemPasskeys() -> (any PasskeyAuthenticator)? { nil }

/// There is no clipboard here.
@MainActor func copy(_: String) {}

/// The QR code of an authenticator app's secret.
@MainActor func qrCode(_ secret: AuthEnrolledFactor.TOTP, label: Text) -> some View {
    Image(svg: secret.qrCode, label: label)
}
#endif
