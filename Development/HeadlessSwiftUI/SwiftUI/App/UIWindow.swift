@MainActor open class UIWindow: NSObject {
    package var contents: [ObjectIdentifier: Any] = [:]

    public override init() { super.init() }
}
