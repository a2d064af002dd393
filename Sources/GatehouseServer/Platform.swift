// The only platform switch in GatehouseServer: where getaddrinfo(3) and open(2) come from, and where URLSession lives.
#if canImport(Glibc)
@_exported import Glibc
#elseif canImport(Musl)
@_exported import Musl
#else
@_exported import Darwin
#endif
#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif
