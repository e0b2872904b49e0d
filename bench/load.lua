-- Load for wrk. Arguments after `--`, each name=value:
--   method, auth (the Authorization header), type (Content-Type; application/json)
--   path: a template        bodies: a file with a template per line, taken in turn
--   ids: a file with one id per line        from: the first {n}, so that two runs never share one
--   uuid: the start of {uuid}
--   proof, times: a response is bad unless it has this text that many times; for short runs, as the check costs time
--
-- In a template:
--   {n}  a number never used before          {id}    the next id
--   {u}  a visitor's number, of a million    {uuid}  all but the last four digits of a UUID never used before: a template
--                                                    with several adds four of its own to each
-- Within one request, a name has one value. So twenty UUIDs cost one number, and the generator, which shares the
-- machine with the server, uses little CPU.

local given, ids, bodies, head = {}, {}, {}, nil
local number, first = 0, 0
local format, concat = string.format, table.concat

local make = {
  n = function() return format("%d", number) end,
  id = function() return ids[number % #ids + 1] end,
  u = function() return format("%d", math.random(1, 1000000)) end,
  uuid = function() return given.uuid .. format("%d", 10000000 + number - first) end,
}

-- Splits a template at its names: texts with gaps, and the name for each gap.
local function cut(template)
  local found = { texts = {}, gaps = {}, names = {}, used = {} }
  local at = 1
  while true do
    local from, to, name = template:find("{(%l+)}", at)
    found.texts[#found.texts + 1] = template:sub(at, (from or 0) - 1)
    if not from then return found end
    found.texts[#found.texts + 1] = ""
    found.gaps[#found.gaps + 1], found.names[#found.names + 1] = #found.texts, name
    if make[name] and not found.used[name] then found.used[name], found.used[#found.used + 1] = true, name end
    at = to + 1
  end
end

local values = {}

local function filled(template)
  local texts, gaps, names = template.texts, template.gaps, template.names
  for i = 1, #gaps do texts[gaps[i]] = values[names[i]] end
  return concat(texts)
end

-- Sets the values of a template's names. Values from another template of the same request stay.
local function prepare(template, done)
  for i = 1, #template.used do
    local name = template.used[i]
    if not (done and done.used[name]) then values[name] = make[name]() end
  end
end

local function next_request()
  number = number + 1
  local body = bodies[number % math.max(#bodies, 1) + 1]
  prepare(head)
  if not body then return filled(head) end
  prepare(body, head)
  local text = filled(body)
  values.length = format("%d", #text)
  return filled(head) .. text
end

local function lines(file)
  local found = {}
  for line in io.lines(file) do found[#found + 1] = line end
  return found
end

-- Counts the occurrences of `text` in `whole`.
local function occurrences(whole, text)
  local count, at = 0, 0
  while true do
    at = whole:find(text, at + 1, true)
    if not at then return count end
    count = count + 1
  end
end

local threads = {}

function setup(thread)
  threads[#threads + 1] = thread
end

function init(arguments)
  for _, argument in ipairs(arguments) do
    local name, value = argument:match("^(%l+)=(.*)$")
    if name then given[name] = value end
  end
  if given.ids then ids = lines(given.ids) end
  if given.bodies then
    for _, line in ipairs(lines(given.bodies)) do bodies[#bodies + 1] = cut(line) end
  end
  first = tonumber(given.from or "0")
  number = first
  math.randomseed(os.time() + first)

  wrk.method = given.method or "GET"
  wrk.path = given.path
  if given.auth then wrk.headers["Authorization"] = given.auth end
  if given.bodies then wrk.headers["Content-Type"] = given.type or "application/json" end
  if given.bodies or given.path:find("{") then
    local text = wrk.format()
    if given.bodies then text = text:gsub("\r\n\r\n$", "\r\nContent-Length: {length}\r\n\r\n") end
    head = cut(text)
    request = next_request
  end

  unproven, unexpected = 0, ""
  if given.proof then
    response = function(status, _, body)
      if status >= 300 or occurrences(body, given.proof) ~= tonumber(given.times) then
        unproven, unexpected = unproven + 1, status .. " " .. body:sub(1, 300)
      end
    end
  end
end

function done(summary, latency)
  local broken = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  local unproven = 0
  for _, thread in ipairs(threads) do
    unproven = unproven + thread:get("unproven")
    if thread:get("unexpected") ~= "" then io.write("UNEXPECTED ", thread:get("unexpected"), "\n") end
  end
  io.write(format(
    'RESULT {"requests":%d,"seconds":%.6f,"p50_us":%d,"p99_us":%d,"bytes":%d,"bad":%d,"broken":%d,"unproven":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(99), summary.bytes,
    summary.errors.status, broken, unproven))
end
