// One import for an app's screens: `import GatehouseUI`. The client's own types need `import Gatehouse`.
@_exported public import GatehouseModel
