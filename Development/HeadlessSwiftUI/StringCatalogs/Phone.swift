package import Foundation

/// The phone whose rendering or action runs the app's code.
package enum Phone {
    @TaskLocal package static var language = Locale.current
    @TaskLocal package static var app = Bundle.main
}
