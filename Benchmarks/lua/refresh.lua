-- Refreshes with the tokens of a file, one after the other: each is sent once, see Benchmarks/refreshes.py.
-- BENCH_CLIENT: the public OAuth client whose sessions they are.
-- BENCH_HARVEST: a file that gets the access tokens; then the tokens that the answers bring are sent after those of the
-- file. Not for measuring: for a `response` wrk makes tables of all that it reads.
dofile(os.getenv("BENCH_LUA") .. "/threads.lua")

local harvest_path = os.getenv("BENCH_HARVEST")
local next_of_file, harvest, is_looked_at
local answered, taken = {}, 0

function init(args)
  next_of_file = each_of_my_lines(os.getenv("BENCH_TOKENS"))
  if harvest_path then harvest = io.open(harvest_path .. "." .. thread_number, "w") end
  -- wrk looks at a request of the first thread and does not send it.
  is_looked_at = thread_number == 0
end

local function next_token()
  local token = next_of_file and next_of_file()
  if token then return token end
  next_of_file = nil
  taken = taken + 1
  return answered[taken] or error("out of refresh tokens: the file has too few for so many seconds and clients")
end

local client = os.getenv("BENCH_CLIENT")
local path, kind = "/auth/v1/token?grant_type=refresh_token", "application/json"
local before, after = '{"refresh_token":"', '"}'
if client then
  path, kind = "/auth/v1/oauth/token", "application/x-www-form-urlencoded"
  before, after = "grant_type=refresh_token&client_id=" .. client .. "&refresh_token=", ""
end
local head = "POST " .. path .. " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: " .. kind .. "\r\nContent-Length: "

function request()
  local token = is_looked_at and "none" or next_token()
  is_looked_at = false
  local body = before .. token .. after
  return head .. #body .. "\r\n\r\n" .. body
end

local function keep(status, headers, body)
  local token = string.match(body, '"refresh_token":"([^"]+)"')
  if token then
    answered[#answered + 1] = token
    harvest:write(string.match(body, '"access_token":"([^"]+)"'), "\n")
  else
    io.write("REFUSED ", status, " ", body, "\n")
  end
end

-- wrk looks whether there is one.
if harvest_path then response = keep end
