-- Sign-up of people whom nobody has seen before.
dofile(os.getenv("BENCH_LUA") .. "/threads.lua")

local count = 0

function request()
  count = count + 1
  return wrk.format("POST", "/auth/v1/signup", {["Content-Type"] = "application/json"},
    string.format('{"email":"%s-%d-%d@example.com","password":"%s","data":{"first_name":"Ana"}}',
      os.getenv("BENCH_RUN"), thread_number, count, os.getenv("BENCH_PASSWORD")))
end
