// incorrect argument label in call
import SwiftUI

struct Wrong: View {
    @State private var isShown = false
    var body: some View { Text("a").sheet(presented: $isShown) { Text("b") } }
}
