// to expected type 'Binding<String>'
import SwiftUI

struct Wrong: View {
    @State private var name = ""
    var body: some View { TextField("Name", text: name) }
}
