#!lua
-- The sessions whose reminder has passed, each marked as seen. Reminders are whole milliseconds; half a
-- millisecond less is the mark. KEYS: due. ARGV: now, limit.
local due = redis.call("ZRANGE", KEYS[1], "-inf", ARGV[1], "BYSCORE", "LIMIT", 0, ARGV[2], "WITHSCORES")
local ids = {}
for place = 1, #due, 2 do
  ids[#ids + 1] = due[place]
  local at = tonumber(due[place + 1])
  if at == math.floor(at) then redis.call("ZADD", KEYS[1], string.format("%.1f", at - 0.5), due[place]) end
end
return ids
