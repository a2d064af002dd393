@_exported public import GatehouseModel
