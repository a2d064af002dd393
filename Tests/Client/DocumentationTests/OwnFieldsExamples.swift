// Written by Scripts/documentation/make-examples: the examples of GatehouseModel's documentation. They are compiled, and the tests
// among them run.
import Foundation
import Gatehouse
import GatehouseDesktop
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import SwiftUI
import Testing

// Sources/Client/GatehouseModel/GatehouseModel.docc/OwnFields.md
private struct Example1 {
    struct Diary: Codable {
        var mood: String?
        var reminder: Reminder?

        struct Reminder: Codable {
            var hour: Int
        }
    }
}

// Sources/Client/GatehouseModel/GatehouseModel.docc/OwnFields.md
extension Given {
    @MainActor private func example2() async throws {
        let diary = try account.user?.data(as: Diary.self)
        _ = diary
    }
}

// Sources/Client/GatehouseModel/GatehouseModel.docc/OwnFields.md
extension Given {
    @MainActor private func example3() async throws {
        try await account.updateProfile(data: Diary(mood: "calm"))
    }
}

// Sources/Client/GatehouseModel/GatehouseModel.docc/OwnFields.md
extension Given {
    @MainActor private func example4() async throws {
        try await account.updateProfile(data: ["mood": .null])
    }
}
