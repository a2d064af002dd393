// swift-tools-version:6.2
import PackageDescription

let package = Package(
    name: "journal-server",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/vapor/vapor.git", from: "4.117.0"),
        .package(url: "https://github.com/vapor/jwt.git", from: "5.1.0"),
    ],
    targets: [
        .executableTarget(
            name: "JournalServer",
            dependencies: [.product(name: "Vapor", package: "vapor"), .product(name: "JWT", package: "jwt")])
    ]
)
