public import AuthenticationServices

extension ScriptedDevice {
    /// The window that a sheet of this device belongs to, for who shows one without a view.
    public var window: ASPresentationAnchor { ASPresentationAnchor(sheets) }
}
