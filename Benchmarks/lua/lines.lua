-- Sends each line of BENCH_LINES once, and measures until the last: a path, a tab, an access token or nothing, a tab,
-- and a body.
dofile(os.getenv("BENCH_LUA") .. "/threads.lua")

local ffi = require("ffi")
ffi.cdef("typedef struct { long seconds, microseconds; } bench_time; int gettimeofday(bench_time *time, void *zone);")

local function now()
  local time = ffi.new("bench_time")
  ffi.C.gettimeofday(time, nil)
  return tonumber(time.seconds) + tonumber(time.microseconds) / 1e6
end

local count_threads, threads = setup, {}
function setup(thread)
  count_threads(thread)
  threads[#threads + 1] = thread
end

-- Of this thread, for `done`.
began, ended, sent = 0, 0, 0
local next_line, is_looked_at
local nothing = "GET /auth/v1/settings HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

function init(args)
  next_line = each_of_my_lines(os.getenv("BENCH_LINES"))
  -- wrk looks at a request of the first thread and does not send it.
  is_looked_at = thread_number == 0
end

function request()
  if is_looked_at then
    is_looked_at = false
    return nothing
  end
  if sent == 0 then began = now() end
  local line = ended == 0 and next_line()
  if not line then
    if ended == 0 then ended = now() end
    wrk.thread:stop()
    return nothing
  end
  sent = sent + 1
  local path, token, body = string.match(line, "^([^\t]*)\t([^\t]*)\t(.*)$")
  local bearer = token == "" and "" or "Authorization: Bearer " .. token .. "\r\n"
  return "POST " .. path .. " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n" .. bearer ..
    "Content-Length: " .. #body .. "\r\n\r\n" .. body
end

local report = done
function done(summary, latency, requests)
  local first, last, all = math.huge, 0, 0
  for _, thread in ipairs(threads) do
    first, last = math.min(first, thread:get("began")), math.max(last, thread:get("ended"))
    all = all + thread:get("sent")
    -- A run that ended before its lines says nothing.
    if thread:get("ended") == 0 then error("the lines lasted longer than the run") end
  end
  report({requests = all, duration = (last - first) * 1e6, errors = summary.errors}, latency, requests)
end
