/**
 * What Redis does with a window, each as one step that no other gateway comes between. A window is a hash of what is `used`,
 * how often something was given back (`refunds`) and when it `ends`, in ms by Redis' own clock, the one that all gateways
 * share; it expires by itself.
 */

/** Of a quota: 1 where it was used up already, what of it is used, how long its window lasts still, when it ends, refunds. */
export type Counted = [refused: 0 | 1, used: number, leftMs: number, endsAt: number, refunds: number]

/**
 * KEYS: the window. ARGV: limit, length of a window in ms, `take` or `look`. A window that ends later than one could that
 * began now is from before Redis' clock was set back.
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

/** KEYS: the window. ARGV: when the window ended that was taken from, as another one gets nothing, and the limit. */
export const GIVE_BACK = `
local window = redis.call('HMGET', KEYS[1], 'used', 'ends', 'refunds')
local used, ends, refunds = tonumber(window[1]), tonumber(window[2]), tonumber(window[3]) or 0
if ends and ends == tonumber(ARGV[1]) and used > 0 and refunds < tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[1], 'used', used - 1, 'refunds', refunds + 1)
end
`
