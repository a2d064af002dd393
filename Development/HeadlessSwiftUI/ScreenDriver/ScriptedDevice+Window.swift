public import AuthenticationServices

extension ScriptedDevice {
    /// The window of this device's sheets, for code that shows a sheet without a view.
    public var window: ASPresentationAnchor { ASPresentationAnchor(sheets) }
}
