// A test of a server is on a database and moves its clock.
@_exported public import TestDatabases
