-- The same ID token again and again: what a sign-in through a provider costs the server.
dofile(os.getenv("BENCH_LUA") .. "/threads.lua")

function init(args)
  wrk.method = "POST"
  wrk.path = "/auth/v1/token?grant_type=id_token"
  wrk.headers["Content-Type"] = "application/json"
  wrk.body = os.getenv("BENCH_BODY")
end
