#!lua
-- Note when an operator key was last used, unless it has been revoked meanwhile or was used later.
-- KEYS: operator keys. ARGV: the key's field, the field of its last use, milliseconds.
if redis.call("HEXISTS", KEYS[1], ARGV[1]) == 0 then return 0 end
if tonumber(redis.call("HGET", KEYS[1], ARGV[2]) or "0") >= tonumber(ARGV[3]) then return 0 end
redis.call("HSET", KEYS[1], ARGV[2], ARGV[3])
return 1
