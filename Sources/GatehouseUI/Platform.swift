import SwiftUI

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
        .confirmationAction
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
