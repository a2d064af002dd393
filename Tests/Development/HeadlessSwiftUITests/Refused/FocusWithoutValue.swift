// error:
import SwiftUI

struct Wrong: View {
    enum Field { case name }
    @FocusState private var field: Field?
    var body: some View { TextField("Name", text: .constant("")).focused($field) }
}
