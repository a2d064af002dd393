import Foundation
import GatehouseUI

/// The app's own fields of the profile.
struct Journal: Codable, Equatable {
    var mood: String?
}

/// Notes a mood. The rest of the profile stays unchanged.
@MainActor
func note(_ mood: String, _ account: AuthManager) async {
    do {
        try await account.updateProfile(data: Journal(mood: mood))
    } catch {
        // `account.error` is the same error: a screen that shows it has shown this one.
    }
}

func entries(from api: URL, _ account: AuthManager) async throws -> Data {
    var request = URLRequest(url: api)
    let token = try await account.accessToken()
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    let (data, response) = try await URLSession.shared.data(for: request)
    guard (response as? HTTPURLResponse)?.statusCode == 401 else { return data }
    let other = try await account.accessToken(insteadOf: token)
    request.setValue("Bearer \(other)", forHTTPHeaderField: "Authorization")
    return try await URLSession.shared.data(for: request).0
}
