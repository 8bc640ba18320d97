#!lua
-- One change of one session, whole or not at all: the kept answer first, then the version, then the meter, then
-- every write. Nothing is written before every question is answered.
--
-- KEYS  session, ledger, rounds, events, [answer], [meter]: the last two are the session again when not in play
-- ARGV  1 version before ("0": the session must not exist)   2 version after   3 sealed state
--       4 what changed   5 events kept   6 seconds that events live   7 seconds to keep the session, or ""
--       8 sealed answer, or ""   9 milliseconds that it lives
--      10 meter after, or "" for no move   11 meter before ("": never written)
--      12 sealed round, or ""   13 its position   14 "1" to put it in the place of the one there
--      15 and on: ledger entries
-- Returns 1 committed, 0 raced, or the kept answer.
local session, ledger, rounds, events, answer, meter = unpack(KEYS)

if ARGV[8] ~= "" then
  local kept = redis.call("GET", answer)
  if kept then
    -- Written again as it is: who waits for replicas waits for what its own connection has written.
    redis.call("SET", answer, kept, "KEEPTTL")
    return kept
  end
end
if (redis.call("HGET", session, "v") or "0") ~= ARGV[1] then return 0 end
if ARGV[10] ~= "" and (redis.call("GET", meter) or "") ~= ARGV[11] then return 0 end

local fresh = ARGV[1] == "0"
if ARGV[12] ~= "" then
  local archived = fresh and 0 or redis.call("LLEN", rounds)
  if archived - tonumber(ARGV[14]) ~= tonumber(ARGV[13]) then
    return redis.error_reply("MISPLACED the archive has " .. archived .. " rounds, this one is for " .. ARGV[13])
  end
end

-- What an earlier session of this id may have left would not be this one's.
if fresh then redis.call("DEL", ledger, rounds, events) end
redis.call("HSET", session, "v", ARGV[2], "s", ARGV[3])
if #ARGV > 14 then redis.call("RPUSH", ledger, unpack(ARGV, 15)) end
if ARGV[12] ~= "" then
  if ARGV[14] == "1" then
    redis.call("LSET", rounds, -1, ARGV[12])
  else
    redis.call("RPUSH", rounds, ARGV[12])
  end
end
redis.call("XADD", events, "MAXLEN", "=", ARGV[5], ARGV[2] .. "-0", "c", ARGV[4], "s", ARGV[3])
redis.call("EXPIRE", events, ARGV[6])
if ARGV[8] ~= "" then redis.call("SET", answer, ARGV[8], "PX", ARGV[9]) end
if ARGV[10] ~= "" then redis.call("SET", meter, ARGV[10]) end
if ARGV[7] ~= "" then
  redis.call("EXPIRE", session, ARGV[7])
  redis.call("EXPIRE", ledger, ARGV[7])
  redis.call("EXPIRE", rounds, ARGV[7])
end
-- For who watches. Everything is in by now, so a user whom the store allows no channel is no failure.
redis.pcall("PUBLISH", events, ARGV[2])
return 1
