#!lua
-- What is kept at a key, written again as it is: who waits for replicas waits for what its own connection has
-- written. Where nothing is kept, ARGV[1] is from now on, if given, for ARGV[2] seconds.
-- KEYS: the key. Returns what is kept there now, or false.
local kept = redis.call("GET", KEYS[1])
if kept then
  redis.call("SET", KEYS[1], kept, "KEEPTTL")
elseif ARGV[1] then
  kept = ARGV[1]
  redis.call("SET", KEYS[1], kept, "EX", ARGV[2])
end
return kept
