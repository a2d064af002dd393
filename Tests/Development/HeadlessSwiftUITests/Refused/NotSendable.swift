// 'Sendable'
import SwiftUI

func share<Value: Sendable>(_ value: Value) {}

@MainActor func shareAll(_ environment: EnvironmentValues) {
    share(environment)  // refused
    share(AnyView(Text("a")))  // refused
    share(Transaction())  // refused
    share(AnyTransition.opacity)  // refused
    share(AccessibilityChildBehavior.combine)  // refused
    share(ToolbarItemPlacement.principal)  // refused
    share(ToolbarPlacement.navigationBar)  // refused
    share(ToolbarItem { Text("a") })  // refused
    share(PlainButtonStyle())  // refused
    share(VStack { Text("a") })  // refused
    share(NavigationStack { Text("a") })  // refused
}

final class Draft {}

@MainActor func shareDraft(_ draft: Binding<Draft>) {
    share(draft)  // refused
}
