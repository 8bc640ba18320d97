#!lua flags=no-writes
-- One consistent read. KEYS: session, answer, meter; each of the last two may be the session again to ask for
-- neither. Returns version, sealed state, sealed answer, meter; false for what is not there.
local found = redis.call("HMGET", KEYS[1], "v", "s")
for place = 2, 3 do
  found[place + 1] = KEYS[place] ~= KEYS[1] and redis.call("GET", KEYS[place])
end
return found
