// A server's test has a database and moves its clock.
@_exported public import TestDatabases
