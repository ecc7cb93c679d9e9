/** Content coding and conditional requests (RFC 9110 12.5.3, 13.1.2). */

/** Returns whether to send gzip: the client accepts it and gives identity no higher weight (rule 17). */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  if (acceptEncoding === undefined) return false
  let accepted = remembered.get(acceptEncoding)
  if (accepted === undefined) {
    accepted = judge(acceptEncoding)
    // Clients send few different values; the bound protects against a client that sends many.
    if (remembered.size >= 64) remembered.clear()
    remembered.set(acceptEncoding, accepted)
  }
  return accepted
}

const remembered = new Map<string, boolean>()

function judge(acceptEncoding: string): boolean {
  let gzip: number | undefined
  let any: number | undefined
  let identity = 0
  for (const member of acceptEncoding.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = member.split(';').map((part) => part.trim())
    const weight = weightOf(parameters)
    if (coding === 'gzip' || coding === 'x-gzip') gzip = Math.max(gzip ?? 0, weight)
    else if (coding === '*') any = weight
    else if (coding === 'identity') identity = weight
  }
  const weight = gzip ?? any ?? 0
  return weight > 0 && weight >= identity
}

/** Returns the member's `q`: 1 if absent, 0 if malformed. */
function weightOf(parameters: readonly string[]): number {
  const weight = parameters.find((part) => part.startsWith('q='))
  if (weight === undefined) return 1
  return /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight.slice(2)) : 0
}

/** Returns the strong entity tag of one coding, `"…"` or `"…-gz"` (rule 17). */
export function entityTag(tag: string, gzip: boolean): string {
  return gzip ? `"${tag}-gz"` : `"${tag}"`
}

/** Returns whether `If-None-Match` is `*`, which matches any content. */
export const isAnyTag = (ifNoneMatch: string) => ifNoneMatch.trim() === '*'

/**
 * Returns whether `If-None-Match` contains the content's tag in either coding. Weak and strong tags compare equal (RFC
 * 9110 13.1.2).
 */
export function namesContent(ifNoneMatch: string, tag: string): boolean {
  for (const [, opaque] of ifNoneMatch.matchAll(/"([^"]*)"/g)) {
    if (opaque === tag || opaque === `${tag}-gz`) return true
  }
  return false
}
