// The client's types need `import Gatehouse`.
@_exported public import GatehouseModel
