/**
 * The Lua scripts for windows in Redis; each runs atomically. A window is a hash with `used`, `refunds` (number of
 * refunds) and `ends` (ms). Times are by the clock of Redis, which all gateways share. The key expires by itself.
 */

/** State of a quota. `refused` is 1 if it was already used up; `leftMs` is the remaining time of the window. */
export type Counted = [refused: 0 | 1, used: number, leftMs: number, endsAt: number, refunds: number]

/**
 * KEYS: the window. ARGV: limit, length of a window in ms, `take` or `look`. A window that ends later than a new window
 * would is from before Redis' clock was set back, and is discarded.
 */
export const COUNT = `
local limit, length = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window = redis.call('HMGET', KEYS[1], 'used', 'ends', 'refunds')
local used, ends, refunds = tonumber(window[1]), tonumber(window[2]), tonumber(window[3]) or 0
local over = not ends or now >= ends or ends > now + length
if over then used, ends, refunds = 0, now + length, 0 end
local refused = used >= limit
if ARGV[3] == 'take' and not refused then
  used = used + 1
  redis.call('HSET', KEYS[1], 'used', used, 'ends', ends, 'refunds', refunds)
  if over then redis.call('PEXPIREAT', KEYS[1], ends) end
end
return { refused and 1 or 0, used, ends - now, ends, refunds }
`

/** KEYS: the window. ARGV: end of the window that the unit is from, because no other one gets it back; the limit. */
export const GIVE_BACK = `
local window = redis.call('HMGET', KEYS[1], 'used', 'ends', 'refunds')
local used, ends, refunds = tonumber(window[1]), tonumber(window[2]), tonumber(window[3]) or 0
if ends and ends == tonumber(ARGV[1]) and used > 0 and refunds < tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[1], 'used', used - 1, 'refunds', refunds + 1)
end
`
