public import SwiftUI

public typealias ASPresentationAnchor = UIWindow

@MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

// What a person does in the sheet comes from the window that it belongs to. All of it is on the main actor, where Apple
// asks for it: what this refuses would be a data race there. `init(url:callback:completionHandler:)` is of iOS 17.4.
@MainActor @preconcurrency open class ASWebAuthenticationSession: NSObject {
    public typealias CompletionHandler = (URL?, (any Error)?) -> Void

    private enum Stage {
        case new, shown, over
    }

    private let address: URL
    private let scheme: String
    private let completionHandler: CompletionHandler
    private var stage = Stage.new
    private var showing: Task<Void, Never>?

    public init(
        url URL: URL, callbackURLScheme: String?,
        completionHandler: @escaping ASWebAuthenticationSession.CompletionHandler
    ) {
        address = URL
        scheme = callbackURLScheme ?? ""
        self.completionHandler = completionHandler
    }

    open weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    open var prefersEphemeralWebBrowserSession = false

    /// A session starts once.
    open var canStart: Bool { stage == .new && presentationContextProvider != nil }

    /// The sheet keeps the session until it is over.
    @discardableResult open func start() -> Bool {
        guard stage == .new else { return false }
        guard let provider = presentationContextProvider else {
            finish(nil, ASWebAuthenticationSessionError(.presentationContextNotProvided))
            return false
        }
        let sheets = provider.presentationAnchor(for: self).providerSheets
        stage = .shown
        showing = Task {
            do {
                finish(try await sheets.browser(address, scheme), nil)
            } catch {
                finish(nil, error)
            }
        }
        return true
    }

    /// Apple does not say whether the handler hears of it: here it does not, so that nobody relies on it.
    open func cancel() {
        stage = .over
        showing?.cancel()
    }

    private func finish(_ url: URL?, _ error: (any Error)?) {
        guard stage != .over else { return }
        stage = .over
        completionHandler(url, error)
    }
}

private let windowKey = ObjectIdentifier(ProviderSheets.self)

extension UIWindow {
    /// Somebody in front of the window.
    package convenience init(_ sheets: ProviderSheets) {
        self.init()
        contents[windowKey] = sheets
    }

    /// In a window that no device has everybody closes the sheets.
    fileprivate var providerSheets: ProviderSheets { contents[windowKey] as? ProviderSheets ?? .closed }
}
