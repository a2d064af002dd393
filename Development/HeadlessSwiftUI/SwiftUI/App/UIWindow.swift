/// The window of system sheets, whose content determines the user's actions.
@MainActor open class UIWindow: NSObject {
    package var contents: [ObjectIdentifier: Any] = [:]

    public override init() { super.init() }
}
