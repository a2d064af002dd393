import SwiftUI

// The only platform switches of this target: what Apple's SDK has for iOS and not for macOS.

extension View {
    /// The title in the bar itself.
    func inlineTitle() -> some View {
        #if os(macOS)
        self
        #else
        navigationBarTitleDisplayMode(.inline)
        #endif
    }

    /// For an address.
    func typesEmail() -> some View {
        #if os(macOS)
        autocorrectionDisabled()
        #else
        keyboardType(.emailAddress).textInputAutocapitalization(.never).autocorrectionDisabled()
        #endif
    }

    /// For a name.
    func typesName() -> some View {
        #if os(macOS)
        self
        #else
        textInputAutocapitalization(.words)
        #endif
    }

    /// For a code of digits.
    func typesDigits() -> some View {
        #if os(macOS)
        self
        #else
        keyboardType(.numberPad)
        #endif
    }
}

extension ToolbarItemPlacement {
    /// Where a sheet is closed.
    static var closing: ToolbarItemPlacement {
        #if os(macOS)
        .confirmationAction
        #else
        .topBarTrailing
        #endif
    }
}

extension Color {
    /// Behind a button that is not the first choice.
    static var quiet: Color {
        #if os(macOS)
        Color.secondary.opacity(0.2)
        #else
        Color(uiColor: .systemGray5)
        #endif
    }
}
