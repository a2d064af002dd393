// to expected argument type 'WritableKeyPath<EnvironmentValues, Bool>'
import SwiftUI

@MainActor func motion(_ view: Text) -> some View {
    view.environment(\.accessibilityReduceMotion, true)  // refused
}

@MainActor func color(_ view: Text) -> some View {
    view.environment(\.accessibilityDifferentiateWithoutColor, true)  // refused
}

@MainActor func speech(_ view: Text) -> some View {
    view.environment(\.accessibilityVoiceOverEnabled, true)  // refused
}

@MainActor func contrast(_ view: Text) -> some View {
    view.environment(\.colorSchemeContrast, .increased)  // refused
}
