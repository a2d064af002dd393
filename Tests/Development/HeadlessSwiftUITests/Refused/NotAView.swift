// this expression does not conform to 'View'
import SwiftUI

struct Wrong: View {
    var body: some View {
        VStack {
            Text("a")
            42
        }
    }
}
