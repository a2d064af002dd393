import AuthenticationServices
public import Foundation
public import SwiftUI

/// A view on a screen that has no glass, and the person who uses it: finds things by what can be read, taps, types,
/// looks and listens.
///
/// ```swift
/// let screen = Screen(HomeView().environment(manager))
/// try await screen.tap("Sign in")
/// try await screen.type("ada@example.com", into: "Email")
/// try await screen.wait { $0.shows("Welcome") }
/// ```
///
/// Only what the topmost presentation shows can be found. Every look renders first, so no test waits for a rendering;
/// ``wait(_:until:)`` yields to the work that a tap has started, and ends with the test's time limit.
@MainActor public final class Screen {
    /// How the device is set.
    public struct Settings: Sendable {
        public var colorScheme = ColorScheme.light
        public var dynamicTypeSize = DynamicTypeSize.large
        public var locale = Locale(identifier: "en")
        public var layoutDirection: LayoutDirection
        public var reducesMotion = false

        /// - Parameter layoutDirection: Nil for the one of the locale's language.
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
    /// A change shows at once.
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
        environment.openURL = OpenURLAction { url in
            device.openedURLs.append(url)
            return .handled
        }
        return environment
    }

    /// The app comes to the front, or leaves it.
    public var scenePhase: ScenePhase {
        get { host.environment.scenePhase }
        set { host.environment.scenePhase = newValue }
    }

    /// What the views do wrong, in the way that SwiftUI warns of while it runs. A test that ends with any has failed.
    public var complaints: [String] { host.complaints }
    /// How many bodies have been evaluated so far.
    public var bodyCount: Int { host.bodyCount }
    /// What VoiceOver was asked to say, in order.
    public var announcements: [String] { host.announcements.all }

    /// The screen is gone: its tasks are cancelled.
    public func close() { host.close() }
}

/// What could not be found or done, with the screen as it was.
public struct ScreenError: Error, CustomStringConvertible {
    public let description: String
}
