import GatehouseWire
package import Hummingbird

/// A group of routes with a common error format: the Auth API or the gateway.
package struct RouteGroup: Sendable {
    /// The prefixes without a trailing slash: `["/auth/v1", ""]`. The longest matching prefix answers an unknown path.
    package let prefixes: [String]
    package let format: RefusalFormat
    /// nil disables CORS.
    package let crossOrigin: CrossOriginPolicy?
    /// The default `cache-control` of responses.
    package let cacheControl: String?
    /// Refuses a request on any path, before the path's own guard.
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
