-- Load for wrk. Arguments after `--`, each name=value:
--   method, auth (the Authorization header), type (Content-Type; application/json)
--   path, body: templates in which {n} is a number never used before and {id} the next one of the ids
--   ids: a file with one id per line        from: where {n} starts, so that two runs never share one

local given = {}
local ids = {}
local number, turn = 0, 0

local function filled(template)
  return (template:gsub("{(%a+)}", { n = tostring(number), id = ids[turn % math.max(#ids, 1) + 1] }))
end

function init(arguments)
  for _, argument in ipairs(arguments) do
    local name, value = argument:match("^(%l+)=(.*)$")
    if name then given[name] = value end
  end
  if given.ids then
    for line in io.lines(given.ids) do ids[#ids + 1] = line end
  end
  number = tonumber(given.from or "0")
  wrk.method = given.method or "GET"
  wrk.path = given.path
  if given.auth then wrk.headers["Authorization"] = given.auth end
  if given.body then wrk.headers["Content-Type"] = given.type or "application/json" end
  if given.body or given.path:find("{") then
    request = function()
      number, turn = number + 1, turn + 1
      return wrk.format(nil, filled(given.path), nil, given.body and filled(given.body))
    end
  end
end

function done(summary, latency)
  local broken = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  io.write(string.format(
    'RESULT {"requests":%d,"seconds":%.6f,"p50_us":%d,"p99_us":%d,"bytes":%d,"bad":%d,"broken":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(99), summary.bytes,
    summary.errors.status, broken))
end
