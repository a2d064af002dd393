#if canImport(Darwin)
import AuthenticationServices
import Foundation

func systemAppleCredentials() -> AppleConsent {
    AppleConsent { person in
        await withCheckedContinuation { waiter in
            // Not isolated: the system may call it on any thread.
            let handler: @Sendable (ASAuthorizationAppleIDProvider.CredentialState, (any Error)?) -> Void = {
                waiter.resume(returning: $1 == nil ? AppleCredentialState($0) : .unavailable)
            }
            ASAuthorizationAppleIDProvider().getCredentialState(forUserID: person, completion: handler)
        }
    } moments: {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let listener = NotificationListener(continuation)
        let names = [becameActive, ASAuthorizationAppleIDProvider.credentialRevokedNotification]
        for name in names { listener.listen(to: name) }
        continuation.onTermination = { _ in listener.stop() }
        return stream
    }
}

extension AppleCredentialState {
    fileprivate init(_ state: ASAuthorizationAppleIDProvider.CredentialState) {
        switch state {
        case .authorized: self = .authorized
        case .revoked: self = .revoked
        case .notFound: self = .notFound
        case .transferred: self = .transferred
        @unknown default: self = .unavailable
        }
    }
}

private final class NotificationListener: NSObject, Sendable {
    private let continuation: AsyncStream<Void>.Continuation

    init(_ continuation: AsyncStream<Void>.Continuation) {
        self.continuation = continuation
        super.init()
    }

    func listen(to name: Notification.Name) {
        NotificationCenter.default.addObserver(self, selector: #selector(happened), name: name, object: nil)
    }

    func stop() { NotificationCenter.default.removeObserver(self) }

    @objc private func happened() { continuation.yield() }
}
#endif
