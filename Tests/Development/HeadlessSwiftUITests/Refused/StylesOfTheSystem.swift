// does not conform to protocol 'ListStyle'
import SwiftUI

struct Cards: ListStyle {}  // refused
struct Wheel: PickerStyle {}  // refused
struct Underlined: TextFieldStyle {}  // refused
