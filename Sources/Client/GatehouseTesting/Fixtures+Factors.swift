extension Fixtures {
    /// Every authenticator app's secret, in base32.
    public static let appSecret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
    /// Every authenticator app's URI.
    public static let appURI =
        "otpauth://totp/Example:ada@example.com?algorithm=SHA1&digits=6&issuer=Example&period=30&secret=\(appSecret)"
    /// The QR code of ``appURI``, as SVG.
    public static let qrCode: String = {
        let size = qrRows.count
        var path = ""
        for (y, row) in qrRows.enumerated() {
            for x in 0..<size where row >> (size - 1 - x) & 1 == 1 { path += "M\(x + 4) \(y + 4)h1v1h-1z" }
        }
        let side = size + 8
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">\
            <rect width="\(side)" height="\(side)" fill="#fff"/><path fill="#000" d="\(path)"/></svg>
            """
    }()

    static func recoveryCodes(_ number: Int) -> [String] {
        let symbols = Array("abcdefghijklmnopqrstuvwxyz234567")
        return (0..<10).map { code in
            var state = number * 100 + code
            return String(
                (0..<16).map { _ in
                    state = (state * 1_103_515_245 + 12_345) & 0x7FFF_FFFF
                    return symbols[state >> 16 & 31]
                })
        }
    }

    /// The QR code's rows (ISO/IEC 18004).
    private static let qrRows: [UInt64] = [
        0x1FD_A397_347F, 0x105_7D60_5E41, 0x175_83DF_2C5D, 0x175_A439_715D, 0x174_D9A8_595D,
        0x105_382D_D241, 0x1FD_5555_557F, 0x000_43FA_2D00, 0x19C_303F_292F, 0x14A_5B0A_F0FC,
        0x017_4207_B851, 0x0B2_E0C9_3899, 0x124_BD0B_9C8B, 0x149_8D64_A5D7, 0x10D_CA1F_3849,
        0x1B8_15EB_69CB, 0x1AC_243D_0A82, 0x162_A342_D45F, 0x17C_FEC7_A5DB, 0x193_0B98_79DA,
        0x196_CB25_9B80, 0x1A1_96AC_387B, 0x0E4_768A_6D21, 0x049_A5AE_6B18, 0x1A5_462D_098B,
        0x15A_6B42_B6D7, 0x186_F39E_F179, 0x17B_C68D_6F79, 0x0F6_9C16_8982, 0x1E3_C964_B4FD,
        0x02C_4F82_3D69, 0x008_93EB_1CE8, 0x197_24DD_0DFB, 0x001_E70B_7315, 0x1FC_7FCF_2F51,
        0x105_68EF_7D19, 0x175_2935_5BFA, 0x174_5D6C_3FA3, 0x174_BF83_6029, 0x105_E3C8_19EB,
        0x1FD_92ED_0942,
    ]
}
