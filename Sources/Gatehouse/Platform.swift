@_exported public import GatehouseWire

// The only platform switch of this target: on Linux, URLSession lives in a module of its own.
#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif
