import FileProvider
import Gatehouse

/// The part of a File Provider extension that uses the account: downloads. The rest of the protocol is in Apple's template.
final class JournalFiles: Sendable {
    private let client: GatehouseClient

    /// One client for the life of the extension's process: concurrent downloads share one refresh.
    init() throws { client = try SharedAccount.client() }

    /// For `fetchContents(for:version:request:completionHandler:)`.
    ///
    /// - Returns: A file that the system takes over.
    /// - Throws: `NSFileProviderError`. With `notAuthenticated`, the Files app asks the user to sign in; call
    ///   `signalErrorResolved(_:)` after a sign-in in the app.
    func contents(of item: NSFileProviderItemIdentifier) async throws -> URL {
        do {
            let session = try await client.session
            let (file, status) = try await download(item, session)
            guard status == 401 else { return try Self.checked(file, status) }
            let other = try await client.refreshSession(insteadOf: session.accessToken)
            let (again, second) = try await download(item, other)
            return try Self.checked(again, second)
        } catch AuthClientError.signedOut {
            throw NSFileProviderError(.notAuthenticated)
        } catch let error as NSFileProviderError {
            throw error
        } catch {
            // The session stays. The system tries again.
            throw NSFileProviderError(.serverUnreachable)
        }
    }

    private func download(_ item: NSFileProviderItemIdentifier, _ session: AuthSession) async throws -> (URL, Int) {
        var request = URLRequest(url: SharedAccount.api.appending(path: "files/\(item.rawValue)"))
        request.setValue("Bearer \(session.accessToken)", forHTTPHeaderField: "Authorization")
        let (file, response) = try await URLSession.shared.download(for: request)
        return (file, (response as? HTTPURLResponse)?.statusCode ?? 0)
    }

    private static func checked(_ file: URL, _ status: Int) throws -> URL {
        switch status {
        case 200: return file
        case 404: throw NSFileProviderError(.noSuchItem)
        default: throw NSFileProviderError(.serverUnreachable)
        }
    }
}
