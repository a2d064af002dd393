public import GatehouseUI
import SwiftUI

extension Branding {
    /// The name, symbol and tagline of the sports app.
    public static var boxScore: Branding {
        Branding(
            name: "BoxScore", symbol: "sportscourt.fill",
            tagline: "Sign in to save your favorite teams\nand sync across devices", bundle: .module)
    }
}
