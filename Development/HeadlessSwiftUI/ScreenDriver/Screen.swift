import AuthenticationServices
public import Foundation
public import SwiftUI

/// A view on a headless screen, and its user, who finds elements by their text, taps, types, looks and listens.
///
/// ```swift
/// let screen = Screen(HomeView().environment(manager))
/// try await screen.tap("Sign in")
/// try await screen.type("ada@example.com", into: "Email")
/// try await screen.wait { $0.shows("Welcome") }
/// ```
///
/// Only the topmost presentation's elements can be found. Every query renders first. ``wait(_:until:)`` yields to the
/// work that a tap has started, and ends with the test's time limit.
@MainActor public final class Screen {
    public struct Settings: Sendable {
        public var colorScheme = ColorScheme.light
        public var dynamicTypeSize = DynamicTypeSize.large
        public var locale = Locale(identifier: "en")
        public var layoutDirection: LayoutDirection
        public var reducesMotion = false
        public var mainBundle = Bundle.main

        /// - Parameter layoutDirection: nil uses the language's.
        public init(
            colorScheme: ColorScheme = .light, dynamicTypeSize: DynamicTypeSize = .large,
            locale: Locale = Locale(identifier: "en"), layoutDirection: LayoutDirection? = nil
        ) {
            (self.colorScheme, self.dynamicTypeSize, self.locale) = (colorScheme, dynamicTypeSize, locale)
            let isRightToLeft = ["ar", "fa", "he", "ur"].contains(locale.language.languageCode?.identifier ?? "")
            self.layoutDirection = layoutDirection ?? (isRightToLeft ? .rightToLeft : .leftToRight)
        }
    }

    let host: ViewHost
    public let device: ScriptedDevice
    /// Changes take effect immediately.
    public var settings: Settings {
        didSet { applySettings() }
    }

    public init(_ view: some View, settings: Settings = Settings(), device: ScriptedDevice = ScriptedDevice()) {
        self.device = device
        self.settings = settings
        host = ViewHost(view, environment: Self.environment(settings, device))
    }

    private func applySettings() {
        let phase = host.environment.scenePhase
        host.environment = Self.environment(settings, device)
        host.environment.scenePhase = phase
    }

    private static func environment(_ settings: Settings, _ device: ScriptedDevice) -> EnvironmentValues {
        var environment = EnvironmentValues()
        environment.colorScheme = settings.colorScheme
        environment.dynamicTypeSize = settings.dynamicTypeSize
        environment.locale = settings.locale
        environment.layoutDirection = settings.layoutDirection
        environment.accessibilityReduceMotion = settings.reducesMotion
        environment.providerSheets = device.sheets
        environment.mainBundle = settings.mainBundle
        environment.share = { device.sharedTexts.append($0) }
        environment.openURL = OpenURLAction { url in
            device.openedURLs.append(url)
            return .handled
        }
        return environment
    }

    public var scenePhase: ScenePhase {
        get { host.environment.scenePhase }
        set { host.environment.scenePhase = newValue }
    }

    /// SwiftUI's runtime warnings. They should fail a test.
    public var complaints: [String] { host.complaints }
    /// Evaluations so far.
    public var bodyCount: Int { host.bodyCount }
    /// VoiceOver's, in order.
    public var announcements: [String] { host.announcements.all }

    /// Also cancels its tasks.
    public func close() { host.close() }
}

/// With a snapshot of the screen.
public struct ScreenError: Error, CustomStringConvertible {
    public let description: String
}
