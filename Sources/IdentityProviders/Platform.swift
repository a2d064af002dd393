// The only platform switch of this target: the module that provides `inet_pton`.
#if canImport(Glibc)
import GatehouseWire
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The bytes of an address in network order, 4 or 16. nil for ambiguous spellings (leading zeros, fewer than four
/// numbers, hexadecimal) and zone names.
func networkBytes(_ text: String) -> [UInt8]? {
    for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
        var bytes = [UInt8](repeating: 0, count: count)
        if inet_pton(family, text, &bytes) == 1 { return bytes }
    }
    return nil
}
