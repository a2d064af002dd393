-- Gives each thread its number (from 0) in `thread_number`, and its share of the lines of a file.
dofile(os.getenv("BENCH_LUA") .. "/report.lua")

local made = 0
function setup(thread)
  thread:set("thread_number", made)
  made = made + 1
end

-- Reads the next one at each call: the first thread sends already while the others are made, so what is read before
-- is time that nobody counts.
function each_of_my_lines(path)
  local threads, next_line = tonumber(os.getenv("BENCH_THREADS")), io.lines(path)
  local skipped = thread_number
  return function()
    for _ = 1, skipped do
      if not next_line() then return nil end
    end
    skipped = threads - 1
    return next_line()
  end
end

function my_lines(path)
  local lines = {}
  for line in each_of_my_lines(path) do lines[#lines + 1] = line end
  return lines
end
