// generic type 'ProgressView'
import SwiftUI

let progress: ProgressView<EmptyView>? = nil  // refused
