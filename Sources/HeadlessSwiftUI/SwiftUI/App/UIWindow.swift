/// What sheets of the system are shown over. It has no glass: what is put into it says who sits in front of it.
@MainActor open class UIWindow: NSObject {
    package var contents: [ObjectIdentifier: Any] = [:]

    public override init() { super.init() }
}
