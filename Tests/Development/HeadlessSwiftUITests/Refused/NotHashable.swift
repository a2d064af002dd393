// does not conform to protocol 'Hashable'
import SwiftUI

let alignments: Set<Alignment> = []  // refused
let horizontal: Set<HorizontalAlignment> = []  // refused
let vertical: Set<VerticalAlignment> = []  // refused
let insets: Set<EdgeInsets> = []  // refused
let edges: Set<Edge.Set> = []  // refused
let styles: Set<HierarchicalShapeStyle> = []  // refused

func isSame(_ mode: ScrollDismissesKeyboardMode) -> Bool {
    mode == .never  // refused
}
