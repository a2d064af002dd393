// error:
import SwiftUI

func text(_ mode: SearchFieldPlacement.NavigationBarDrawerDisplayMode) -> String {
    switch mode {
    case .automatic: "automatic"  // refused
    case .always: "always"  // refused
    }
}
