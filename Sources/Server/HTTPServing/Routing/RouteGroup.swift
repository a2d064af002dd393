import GatehouseWire
package import Hummingbird

package struct RouteGroup: Sendable {
    /// Without a trailing slash: `["/auth/v1", ""]`. The longest match handles an unknown path.
    package let prefixes: [String]
    package let format: RefusalFormat
    /// nil disables CORS.
    package let crossOrigin: CrossOriginPolicy?
    /// The default.
    package let cacheControl: String?
    /// Runs on every path, before the path's own guard.
    let guardedBy: (@Sendable (Request) throws -> Void)?

    package init(
        prefixes: [String], format: RefusalFormat, crossOrigin: CrossOriginPolicy?, cacheControl: String? = nil,
        guardedBy: (@Sendable (Request) throws -> Void)? = nil
    ) {
        self.prefixes = prefixes.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        self.format = format
        self.crossOrigin = crossOrigin
        self.cacheControl = cacheControl
        self.guardedBy = guardedBy
    }
}
