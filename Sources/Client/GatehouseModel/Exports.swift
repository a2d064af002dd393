@_exported public import GatehouseWire
