-- GET with a bearer from a file, one after the other; BENCH_ONCE=1: each is used once.
dofile(os.getenv("BENCH_LUA") .. "/threads.lua")

local requests, next_one, only_once = {}, 0, os.getenv("BENCH_ONCE") == "1"

function init(args)
  for _, token in ipairs(my_lines(os.getenv("BENCH_TOKENS"))) do
    requests[#requests + 1] = wrk.format("GET", nil, {["Authorization"] = "Bearer " .. token})
  end
end

function request()
  next_one = next_one + 1
  if next_one > #requests then
    if only_once then error("out of tokens that were never seen") end
    next_one = 1
  end
  return requests[next_one]
end
