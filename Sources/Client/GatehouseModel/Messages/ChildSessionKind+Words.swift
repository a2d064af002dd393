import Gatehouse

extension ChildSessionKind {
    /// For the list of devices; nil for a kind of a newer server.
    package var words: ModelText? {
        switch self {
        case .widget: "Widget"
        case .appExtension: "App Extension"
        case .watch: "Watch"
        case .app: "Other App"
        case .tv: "TV"
        default: nil
        }
    }
}
