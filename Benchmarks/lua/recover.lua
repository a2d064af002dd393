-- Requests for a new password, for addresses without an account.
dofile(os.getenv("BENCH_LUA") .. "/threads.lua")

local count = 0

function request()
  count = count + 1
  return wrk.format("POST", "/auth/v1/recover", {["Content-Type"] = "application/json"},
    string.format('{"email":"nobody-%d-%d-%d@example.com"}', os.time(), thread_number, count))
end
