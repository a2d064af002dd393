// does not conform to protocol 'View'
import SwiftUI

struct Wrong: View {}
