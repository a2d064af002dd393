import SwiftUI

extension Bundle {
    /// Where the app's texts are: in the app itself. As a package target the screens have a bundle of their own, under
    /// this name.
    static var module: Bundle { .main }
}
