#!lua
-- Sets a session's reminder. One that nobody has seen yet is brought forward but never put off, so that two
-- writers in any order leave the earlier one. KEYS: due. ARGV: session, milliseconds.
local at = tonumber(redis.call("ZSCORE", KEYS[1], ARGV[1]))
if not at or at ~= math.floor(at) or tonumber(ARGV[2]) < at then
  redis.call("ZADD", KEYS[1], ARGV[2], ARGV[1])
end
return redis.status_reply("OK")
