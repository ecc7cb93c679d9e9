/** Random HTTP requests by the grammar of the API, with valid, nearly valid and hostile values, and mutations. */
import type { Random } from '../../corpus/sample/random.ts'

/** The parts of an OpenAPI operation that the fuzzer uses. */
export interface Operation {
  path: string
  parameters: { name: string; in: string; schema: { enum?: unknown[]; items?: { enum?: unknown[] }; type?: string } }[]
}

export interface FuzzWorld {
  operations: readonly Operation[]
  /** Existing identifiers of CVEs, weaknesses, vendors and others. */
  ids: readonly string[]
  token: string
  /** ETags and cursors that the service has issued. */
  etags: readonly string[]
  cursors: readonly string[]
}

const OUTSIDE = [
  ...['/healthz', '/readyz', '/metrics', '/api/v1', '/api/v1/', '/api/v2/cves', '/login/x'],
  ...['/', '/docs', '/favicon.ico', '/robots.txt', '/assets/x.js', '/assets/..%2frobots.txt'],
]
const METHODS = ['HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'CONNECT', 'PRI', 'get', 'BREW']
const HOSTILE = [
  '',
  ' ',
  '0',
  '-1',
  '1e9',
  '9007199254740993',
  'NaN',
  'null',
  'true',
  '[]',
  '{}',
  '..',
  '../../etc/passwd',
  '%2e%2e%2f',
  '%00',
  '%',
  '%zz',
  '%c0%af',
  '%ed%a0%80',
  '%f4%90%80%80',
  '%F0%9F%92%A3',
  "'",
  "' OR 1=1 --",
  '"',
  '*',
  '%25',
  '_',
  'a'.repeat(300),
  'CVE-',
  'CVE-0000-0000',
  'CVE-2024-99999999999999999999',
  '2024-02-30',
  '2024-13-01T25:61:61Z',
  '0001-01-01',
  '9999-12-31',
  '__proto__',
  'constructor',
  'toString',
  '<script>',
  '$(7)',
  '\\',
  ',',
  ',,,',
  'a,'.repeat(99),
  '(((((',
  '"a" NEAR "b"',
  'a* OR b*',
  '%e2%80%ae',
  '%0d%0aX:%20y',
] as const
const HEADERS: readonly ((random: Random, world: FuzzWorld) => string)[] = [
  (random) =>
    `Accept-Encoding: ${random.pick(['gzip', 'br', 'zstd', 'identity', '*;q=0', 'gzip;q=0, br;q=x', ',,;q=', 'deflate'])}`,
  (random, { etags }) => `If-None-Match: ${random.pick(['*', '"x"', 'W/"x"', '"', '"a", "b", W/', ...etags])}`,
  (random) => `If-Modified-Since: ${random.pick(['Sun, 06 Nov 1994 08:49:37 GMT', 'never', ''])}`,
  (random) => `Range: bytes=${random.pick(['0-0', '-1', '0-,1-', '9-1', 'x'])}`,
  (random) => `Accept: ${random.pick(['*/*', 'application/json', 'text/html', 'image/*;q=0', 'x'])}`,
  (random) => `Origin: ${random.pick(['null', 'https://example.com', 'x'])}`,
  (random) => `Cookie: ${random.pick(['session=x', 'session=', 'a=b; session=x; session=y', '=;;='])}`,
  (random) => `X-Forwarded-For: ${random.pick(['192.0.2.1', '::1', 'x, y', ''])}`,
  (random) => `X-${random.hex(4)}: ${'z'.repeat(random.int(2000))}`,
]
/** Headers that change where a request ends. Such a request is the last on its connection. */
const FRAMING: readonly ((random: Random) => [header: string, body: string])[] = [
  (random) => [`Content-Length: ${random.pick(['3', '03', '+3', '3, 3', '-1', '99999999999999999999', 'x'])}`, 'abc'],
  (random) => [
    `Transfer-Encoding: ${random.pick(['chunked', 'x', 'chunked, chunked', 'gzip, chunked'])}`,
    '3\r\nabc\r\n0\r\n\r\n',
  ],
  () => ['Transfer-Encoding: chunked', 'fffffffffffffffff\r\n'],
  () => ['Content-Length: 3\r\nTransfer-Encoding: chunked', '0\r\n\r\n'],
  (random) => [`Expect: ${random.pick(['100-continue', 'x'])}`, ''],
  (random) => [`Upgrade: ${random.pick(['h2c', 'websocket', 'x'])}\r\nConnection: upgrade`, ''],
  (random) => [`Connection: ${random.pick(['close', 'keep-alive', 'upgrade', 'x', 'te, close, te'])}`, ''],
  () => ['Host: y', ''],
  () => [' folded: x', ''],
  () => ['Bad Header: x', ''],
  () => ['X: \0', ''],
]

export interface FuzzRequest {
  method: string
  bytes: Buffer
  /** Whether it ends at its stated length; only then does the next request get its own answer. */
  isFramed: boolean
}

/** Returns a request by the grammar, usually a known path with known parameters. */
export function grammarRequest(random: Random, world: FuzzWorld): FuzzRequest {
  const method = random.chance(0.9) ? 'GET' : random.chance(0.6) ? 'HEAD' : random.pick(METHODS)
  const lines = [`${method} ${target(random, world)} HTTP/1.1`, 'Host: x']
  const authorization = random.int(20)
  if (authorization < 17) lines.push(`Authorization: Bearer ${world.token}`)
  else if (authorization < 19)
    lines.push(`Authorization: ${random.pick(['Bearer x', 'Basic eDp5', 'Bearer', `Bearer ${world.token}x`])}`)
  for (let left = random.int(4); left > 0; left--) lines.push(random.pick(HEADERS)(random, world))
  const isKnown = method === 'GET' || method === 'HEAD'
  if (!random.chance(0.03)) {
    return { method, bytes: Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), isFramed: isKnown }
  }
  const [header, body] = random.pick(FRAMING)(random)
  return { method, bytes: Buffer.from(`${[...lines, header].join('\r\n')}\r\n\r\n${body}`, 'latin1'), isFramed: false }
}

function target(random: Random, world: FuzzWorld): string {
  if (random.chance(0.05)) return random.pick(OUTSIDE)
  const { path, parameters } = random.pick(world.operations)
  const value = () => (random.chance(0.6) ? random.pick(world.ids) : random.pick(HOSTILE))
  // A blank would end the target.
  const filled = path.replaceAll(/\{\w+\}/g, () => value().replaceAll(' ', '%20'))
  const query: string[] = []
  for (const { name, schema, in: where } of parameters) {
    if (where !== 'query' || !random.chance(0.3)) continue
    const choices = schema.enum ?? schema.items?.enum ?? (schema.type === 'boolean' ? ['true', 'false'] : [])
    const valid = name === 'cursor' ? world.cursors : choices.map(String)
    const text = random.chance(0.7) && valid.length > 0 ? random.pick(valid) : value()
    query.push(`${name}=${text.replaceAll(' ', '+')}`)
  }
  if (random.chance(0.05)) query.push(`${random.pick(HOSTILE).replaceAll(' ', '+')}=1`)
  return `/api/v1${filled}${query.length ? `?${query.join('&')}` : ''}`
}

/** Returns a request with some of its bytes changed, removed, doubled or truncated. */
export function mutated(random: Random, { method, bytes }: FuzzRequest): FuzzRequest {
  let now = bytes
  for (let left = random.between(1, 6); left > 0; left--) {
    const at = random.int(now.length)
    const end = at + random.int(Math.min(40, now.length - at))
    const [before, piece, after] = [now.subarray(0, at), now.subarray(at, end), now.subarray(end)]
    now = Buffer.concat(
      random.pick([
        [before, Buffer.from([random.int(256)]), after],
        [before, after],
        [before, piece, piece, after],
        [
          before,
          Buffer.from(
            random.pick(['\r\n', '\n', '\0', ' ', ':', '\r\n\r\n', '\t', '\xff', '%', 'HTTP/1.0'] as const),
            'latin1',
          ),
          piece,
          after,
        ],
      ]),
    )
  }
  return { method, bytes: now, isFramed: false }
}
