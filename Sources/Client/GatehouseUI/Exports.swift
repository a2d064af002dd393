// One import for an app: `import GatehouseUI`.
@_exported public import Gatehouse
@_exported public import GatehouseModel
