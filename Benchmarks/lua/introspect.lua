-- POST of a form with a token from a file, one after the other, by the client of BENCH_BASIC (RFC 7662).
dofile(os.getenv("BENCH_LUA") .. "/threads.lua")

local requests, next_one = {}, 0

function init(args)
  local headers = {
    ["Authorization"] = "Basic " .. os.getenv("BENCH_BASIC"),
    ["Content-Type"] = "application/x-www-form-urlencoded",
  }
  for _, token in ipairs(my_lines(os.getenv("BENCH_TOKENS"))) do
    requests[#requests + 1] = wrk.format("POST", nil, headers, "token=" .. token)
  end
end

function request()
  next_one = next_one % #requests + 1
  return requests[next_one]
end
