// On Linux the parts of the app are modules of the package. In Xcode they are one module without this file.
@_exported import AppSupport
@_exported import BoxScoreScreens
