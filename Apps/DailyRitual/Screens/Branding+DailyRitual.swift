public import GatehouseUI
import SwiftUI

extension Branding {
    /// The journal's name, symbol, tagline and colour.
    public static var dailyRitual: Branding {
        Branding(
            name: "DailyRitual", symbol: "book.closed.fill",
            tagline: "Sign in to keep your journal\nand read it on every device", bundle: .module, accent: .indigo)
    }
}
