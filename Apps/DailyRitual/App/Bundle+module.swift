import Foundation

extension Bundle {
    /// The bundle with the app's texts: the app itself. As a package target, the screens have their own bundle with
    /// this name.
    static var module: Bundle { .main }
}
