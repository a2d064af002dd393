// requires that 'Thing' conform to 'Identifiable'
import SwiftUI

struct Thing { let name: String }
struct Wrong: View {
    let things: [Thing]
    var body: some View { ForEach(things) { Text($0.name) } }
}
