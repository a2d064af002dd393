// has no member 'rawValue'
import Foundation
import SwiftUI

let size = DynamicTypeSize.large.rawValue  // refused
let corner: CGFloat = RoundedRectangle(cornerRadius: 8).cornerRadius  // refused
