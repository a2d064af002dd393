// On Linux the parts of the app are modules of the package. In Xcode they are one module, and this file is not in it.
@_exported import AppSupport
@_exported import BoxScoreScreens
