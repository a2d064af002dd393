// main actor-isolated
import SwiftUI

@MainActor final class Model { var name = "" }
func change(_ model: Model) { model.name = "x" }
