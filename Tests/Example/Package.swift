// swift-tools-version:6.2
import PackageDescription

/// The code of the pages for app developers (Scripts/tests/test_example_page.py), as in an app that uses only the products of
/// Gatehouse.
let package = Package(
    name: "example",
    platforms: [.iOS(.v17), .macOS(.v15)],
    dependencies: [
        // The folder of your clone.
        .package(name: "gatehouse", path: "../..")
    ],
    targets: [
        .target(
            name: "Example",
            dependencies: [
                .product(name: "GatehouseUI", package: "gatehouse")
            ]),
        .testTarget(
            name: "ExampleTests",
            dependencies: [
                "Example",
                .product(name: "GatehouseTesting", package: "gatehouse"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
