-- Password sign-in of people from a file.
dofile(os.getenv("BENCH_LUA") .. "/threads.lua")

local requests, next_one = {}, 0

function init(args)
  for _, email in ipairs(my_lines(os.getenv("BENCH_PEOPLE"))) do
    requests[#requests + 1] = wrk.format("POST", "/auth/v1/token?grant_type=password",
      {["Content-Type"] = "application/json"},
      '{"email":"' .. email .. '","password":"' .. os.getenv("BENCH_PASSWORD") .. '"}')
  end
end

function request()
  next_one = next_one % #requests + 1
  return requests[next_one]
end
