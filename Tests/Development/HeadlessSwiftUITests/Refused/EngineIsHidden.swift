// cannot find type 'RenderContext' in scope
import SwiftUI

func peek(_ context: RenderContext) {}
