// Profiles and metadata are JSON values.
@_exported public import GatehouseWire
