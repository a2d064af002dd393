public import SwiftUI

public typealias ASPresentationAnchor = UIWindow

@MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

// The sheet's window determines the user's actions. Everything runs on the main actor, as Apple requires; code that
// this rejects would have a data race on Apple's platforms. `init(url:callback:completionHandler:)` is from iOS 17.4.
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

    open var canStart: Bool { stage == .new && presentationContextProvider != nil }

    /// The sheet retains the session until it ends.
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

    /// Apple does not document whether the completion handler is called. Here it is not, so that no code relies on it.
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
    package convenience init(_ sheets: ProviderSheets) {
        self.init()
        contents[windowKey] = sheets
    }

    /// Without a device, every sheet is cancelled.
    fileprivate var providerSheets: ProviderSheets { contents[windowKey] as? ProviderSheets ?? .closed }
}
