// passing non-Sendable parameter 'action'
import SwiftUI

func button(_ action: @escaping () -> Void) -> some View {
    Button("a", action: action)  // refused
}
