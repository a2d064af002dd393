package import Foundation

/// The phone on which code of an app runs, as far as its texts depend on it: that of the screen whose rendering or action
/// runs the code.
package enum Phone {
    /// The user's language.
    @TaskLocal package static var language = Locale.current
    /// The app's main bundle.
    @TaskLocal package static var app = Bundle.main
}
