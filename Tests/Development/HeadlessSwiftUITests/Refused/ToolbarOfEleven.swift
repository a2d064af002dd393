// error:
import SwiftUI

struct Wrong: View {
    var body: some View {
        Text("a").toolbar {
            ToolbarItem { Text("1") }  // refused
            ToolbarItem { Text("2") }
            ToolbarItem { Text("3") }
            ToolbarItem { Text("4") }
            ToolbarItem { Text("5") }
            ToolbarItem { Text("6") }
            ToolbarItem { Text("7") }
            ToolbarItem { Text("8") }
            ToolbarItem { Text("9") }
            ToolbarItem { Text("10") }
            ToolbarItem { Text("11") }
        }
    }
}
