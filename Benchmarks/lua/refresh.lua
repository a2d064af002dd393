-- Each client rotates a chain of its own: what an answer brings is what the next request sends.
-- BENCH_HARVEST: a file that gets the access tokens.
dofile(os.getenv("BENCH_LUA") .. "/threads.lua")

local chains, harvest

function init(args)
  chains = my_lines(os.getenv("BENCH_TOKENS"))
  local path = os.getenv("BENCH_HARVEST")
  if path then harvest = io.open(path .. "." .. thread_number, "w") end
end

local head = "POST /auth/v1/token?grant_type=refresh_token HTTP/1.1\r\nHost: 127.0.0.1\r\n" ..
  "Content-Type: application/json\r\nContent-Length: "

function request()
  local token = table.remove(chains)
  if not token then error("more requests under way than chains") end
  local body = '{"refresh_token":"' .. token .. '"}'
  return head .. #body .. "\r\n\r\n" .. body
end

function response(status, headers, body)
  local token = string.match(body, '"refresh_token":"([^"]+)"')
  if token then
    chains[#chains + 1] = token
  else
    io.write("REFUSED ", status, " ", body, "\n")
  end
  if harvest and token then
    harvest:write(string.match(body, '"access_token":"([^"]+)"'), "\n")
  end
end
