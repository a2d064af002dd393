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
}
