// does not conform to protocol 'Shape'
import Foundation
import SwiftUI

struct Star: Shape {}  // refused

struct Heart: InsettableShape {  // refused
    func path(in rect: CGRect) -> Path { Path() }
}

struct Big: LabelStyle {}  // refused
struct Wide: ButtonStyle {}  // refused
struct Bare: PrimitiveButtonStyle {}  // refused
