public import AuthenticationServices

extension ScriptedDevice {
    /// For code that shows a sheet without a view.
    public var window: ASPresentationAnchor { ASPresentationAnchor(sheets) }
}
