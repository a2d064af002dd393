import Foundation

// Expands every macro to nothing, because `#Preview` is for Xcode. Implements the compiler's plugin protocol (in both
// directions a length of eight little-endian bytes, then JSON) to avoid building swift-syntax. If a toolchain changes
// the protocol, previews must move to files that only Apple's platforms compile.

let input = FileHandle.standardInput

func read(_ count: Int) -> Data? {
    var data = Data()
    while data.count < count {
        let more = input.readData(ofLength: count - data.count)
        if more.isEmpty { return nil }
        data += more
    }
    return data
}

func answer(to request: String) -> String {
    switch request {
    case "getCapability": #"{"getCapabilityResult":{"capability":{"protocolVersion":7}}}"#
    case "loadPluginLibrary": #"{"loadPluginLibraryResult":{"loaded":false,"diagnostics":[]}}"#
    default: #"{"expandMacroResult":{"expandedSource":"","diagnostics":[]}}"#
    }
}

while let head = read(8) {
    let length = head.reversed().reduce(0) { $0 << 8 | Int($1) }
    guard let body = read(length),
        // Ignored: an unreadable message, as when the compiler exits, ends the loop.
        let request = try? JSONSerialization.jsonObject(with: body) as? [String: Any], let name = request.keys.first
    else { break }
    let reply = Data(answer(to: name).utf8)
    let size = (0..<8).map { UInt8(truncatingIfNeeded: reply.count >> (8 * $0)) }
    FileHandle.standardOutput.write(Data(size) + reply)
}
