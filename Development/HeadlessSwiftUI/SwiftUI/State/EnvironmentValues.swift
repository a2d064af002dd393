public struct EnvironmentValues {
    private var keyed: [ObjectIdentifier: Any] = [:]
    private var objects: [ObjectIdentifier: AnyObject] = [:]

    public init() {}

    public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
        get { keyed[ObjectIdentifier(key)] as? K.Value ?? K.defaultValue }
        set { keyed[ObjectIdentifier(key)] = newValue }
    }

    func object<Object: AnyObject>(_ type: Object.Type) -> Object? { objects[ObjectIdentifier(type)] as? Object }
    mutating func set<Object: AnyObject>(_ object: Object?) { objects[ObjectIdentifier(Object.self)] = object }

    public var isEnabled = true
    public var colorScheme = ColorScheme.light
    public package(set) var colorSchemeContrast = ColorSchemeContrast.standard
    public var dynamicTypeSize = DynamicTypeSize.large
    public var layoutDirection = LayoutDirection.leftToRight
    public var locale = Locale(identifier: "en")
    public var calendar = Calendar(identifier: .gregorian)
    public var timeZone = TimeZone(secondsFromGMT: 0) ?? .current
    public var scenePhase = ScenePhase.active
    public var horizontalSizeClass: UserInterfaceSizeClass? = .compact
    public var verticalSizeClass: UserInterfaceSizeClass? = .regular
    public package(set) var accessibilityReduceMotion = false
    public package(set) var accessibilityDifferentiateWithoutColor = false
    public package(set) var accessibilityVoiceOverEnabled = false
    public var multilineTextAlignment = TextAlignment.leading
    public var lineLimit: Int?
    public var font: Font?
    public var openURL = OpenURLAction()
    /// For `ShareLink`.
    package var share: @MainActor (String) -> Void = { _ in }
    package var mainBundle = Bundle.main
    public internal(set) var isPresented = false
    public internal(set) var isSearching = false
    public internal(set) var dismiss = DismissAction {}
    public internal(set) var dismissSearch = DismissSearchAction {}
    public internal(set) var refresh: RefreshAction?

    var foreground: (any ShapeStyle)?
    var tint: Color?
    var fontWeight: Font.Weight?
    var fontDesign: Font.Design?
    var isBold = false
    var fieldTraits = FieldTraits()
    var submitActions: [@MainActor () -> Void] = []
    var buttonStyle: (any ButtonRendering)?
    var labelStyle: any LabelStyle = TitleAndIconLabelStyle()
    var pickerRendering = "automatic"
    var listRendering = "insetGrouped"
    var textFieldRendering = "automatic"
    var dismissesKeyboard: ScrollDismissesKeyboardMode = .automatic

    /// Resets whatever a presentation does not inherit.
    mutating func leavePage() {
        (isEnabled, foreground, font, fontWeight, isBold) = (true, nil, nil, nil, false)
        fontDesign = nil
        (lineLimit, multilineTextAlignment) = (nil, .leading)
        (fieldTraits, submitActions, refresh, isSearching) = (FieldTraits(), [], nil, false)
        buttonStyle = nil
    }
}

@available(*, unavailable) extension EnvironmentValues: Sendable {}

struct FieldTraits {
    var contentType: UITextContentType?
    var keyboard = UIKeyboardType.default
    var capitalization: TextInputAutocapitalization?
    var isAutocorrected = true
    var submitLabel: SubmitLabel?
}

@nonexhaustive public enum ColorScheme: CaseIterable, Hashable, Sendable {
    case light
    case dark
}

@nonexhaustive public enum ColorSchemeContrast: CaseIterable, Hashable, Sendable {
    case standard
    case increased
}

@nonexhaustive public enum LayoutDirection: CaseIterable, Hashable, Sendable {
    case leftToRight
    case rightToLeft
}

@nonexhaustive public enum ScenePhase: Comparable, Hashable, Sendable {
    case background
    case inactive
    case active
}

@nonexhaustive public enum UserInterfaceSizeClass: Hashable, Sendable {
    case compact
    case regular
}
