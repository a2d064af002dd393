import CQREncode
package import GatehouseWire

package struct QRCode: Sendable {
    /// In modules.
    private let side: Int
    /// Row by row.
    private let isDark: [Bool]

    /// Error correction for 15 %.
    ///
    /// - Returns: nil beyond 2,331 bytes.
    package init?(_ text: Secret) {
        let bytes = Array(text.reveal().utf8)
        guard let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M) else { return nil }
        defer { QRcode_free(code) }
        side = Int(code.pointee.width)
        // The lowest bit of each byte is the module.
        isDark = UnsafeBufferPointer(start: code.pointee.data, count: side * side).map { $0 & 1 == 1 }
    }

    /// Has a quiet zone of four modules, and no `#` or `%`, so it can follow `data:image/svg+xml;utf-8,` unescaped.
    package var svg: String {
        let size = side + 8
        let head = #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(size) \#(size)" width="256" height="256">"#
        let ground = #"<rect width="\#(size)" height="\#(size)" fill="white"/>"#
        let path = #"<path shape-rendering="crispEdges" fill="black" d="\#(runs)"/>"#
        return head + ground + path + "</svg>"
    }

    /// One rectangle per run of dark modules.
    private var runs: String {
        var path = ""
        for row in 0..<side {
            var column = 0
            while column < side {
                guard isDark[row * side + column] else {
                    column += 1
                    continue
                }
                let start = column
                while column < side, isDark[row * side + column] { column += 1 }
                path += "M\(start + 4) \(row + 4)h\(column - start)v1h-\(column - start)z"
            }
        }
        return path
    }
}
