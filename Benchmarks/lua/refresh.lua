-- Clients rotate chains of tokens in turn: what an answer brings stands at the end of the line.
-- BENCH_HARVEST: a file that gets the access tokens.
dofile(os.getenv("BENCH_LUA") .. "/threads.lua")

local chains, first, last, harvest

function init(args)
  chains = my_lines(os.getenv("BENCH_TOKENS"))
  first, last = 1, #chains
  local path = os.getenv("BENCH_HARVEST")
  if path then harvest = io.open(path .. "." .. thread_number, "w") end
end

local head = "POST /auth/v1/token?grant_type=refresh_token HTTP/1.1\r\nHost: 127.0.0.1\r\n" ..
  "Content-Type: application/json\r\nContent-Length: "

function request()
  local token = chains[first]
  if not token then error("more requests under way than chains") end
  chains[first] = nil
  first = first + 1
  local body = '{"refresh_token":"' .. token .. '"}'
  return head .. #body .. "\r\n\r\n" .. body
end

function response(status, headers, body)
  local token = string.match(body, '"refresh_token":"([^"]+)"')
  if token then
    last = last + 1
    chains[last] = token
  else
    io.write("REFUSED ", status, " ", body, "\n")
  end
  if harvest and token then
    harvest:write(string.match(body, '"access_token":"([^"]+)"'), "\n")
  end
end
