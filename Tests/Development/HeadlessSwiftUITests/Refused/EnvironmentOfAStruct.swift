// error:
import SwiftUI

struct Settings {}
struct Wrong: View {
    @Environment(Settings.self) private var settings
    var body: some View { Text("a") }
}
