/** The client address that limits count, and the origin that the client used, also behind trusted proxies. */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, type Socket, SocketAddress } from 'node:net'
import { GatewayError } from '../http/errors.ts'
import { isHost } from '../http/request-headers.ts'

/** Returns the client address as a key: an IPv4 address, or the /64 of an IPv6 address, which one subscriber has. */
export type AddressOf = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string

/** Returns the scheme, host and port that the client used: `https://audit.example.com`. */
export type OriginOf = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string

const UNKNOWN = 'unknown'

/**
 * `trusted` are the proxies whose `X-Forwarded-For` is trusted: addresses or networks (`10.0.0.0/8`). The header is
 * read from its end, where trusted proxies append, up to the first untrusted address. Entries before that address can
 * be forged. Without proxies, the header is ignored.
 * @throws GatewayError `bad_option`
 */
export function addressReader(trusted: readonly string[]): AddressOf {
  const proxies = networks(trusted)
  return ({ headers, socket }) => {
    let address = parseAddress(socket.remoteAddress ?? '')
    if (address === null) return UNKNOWN
    if (trusted.length > 0) {
      const hops = String(headers['x-forwarded-for'] ?? '').split(',')
      while (hops.length > 0 && proxies.check(address, familyOf(address))) {
        const before = parseAddress(hops.pop()!)
        if (before === null) break
        address = before
      }
    }
    return group(address)
  }
}

/**
 * Reads `Host`, and on a connection of a trusted proxy `X-Forwarded-Proto` and `X-Forwarded-Host`: the last entry, which
 * that proxy has set. The gateway itself has no TLS. @throws GatewayError `bad_option`
 */
export function originReader(trusted: readonly string[]): OriginOf {
  const proxies = networks(trusted)
  return ({ headers, socket }) => {
    const address = parseAddress(socket.remoteAddress ?? '')
    const isProxy = address !== null && proxies.check(address, familyOf(address))
    const forwarded = (name: string) =>
      isProxy
        ? String(headers[name] ?? '')
            .split(',')
            .at(-1)!
            .trim()
        : ''
    const scheme = forwarded('x-forwarded-proto').toLowerCase() === 'https' ? 'https' : 'http'
    const host = [forwarded('x-forwarded-host'), headers.host ?? ''].find((one) => one !== '' && isHost(one))
    return `${scheme}://${host ?? localHost(socket)}`
  }
}

/** For a request of HTTP/1.0, which may have no `Host`. */
function localHost({ localAddress = '', localPort }: Socket): string {
  return `${isIP(localAddress) === 6 ? `[${localAddress}]` : localAddress}:${localPort}`
}

function networks(texts: readonly string[]): BlockList {
  const list = new BlockList()
  for (const text of texts) {
    const [base = '', bits, ...rest] = text.split('/')
    const address = parseAddress(base)
    const width = address !== null && familyOf(address) === 'ipv4' ? 32 : 128
    const prefix = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN
    if (address === null || rest.length > 0 || !(prefix <= width)) {
      throw new GatewayError('bad_option', `invalid proxy '${text}'; use an IP address or a network such as 10.0.0.0/8`)
    }
    list.addSubnet(address, prefix, familyOf(address))
  }
  return list
}

const familyOf = (address: string) => (isIP(address) === 4 ? 'ipv4' : 'ipv6')

/** Returns the canonical form, or null. Some proxies add a port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function parseAddress(text: string): string | null {
  const bare = text
    .trim()
    .replace(/^\[(.*)\](?::\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')
    .replace(/%.*$/s, '')
  const family = isIP(bare)
  if (family !== 6) return family === 4 ? bare : null
  const { address } = new SocketAddress({ address: bare, family: 'ipv6' })
  // IPv4-mapped address of a client on a dual-stack socket (RFC 4291 2.5.5.2).
  return /^::ffff:([\d.]+)$/.exec(address)?.[1] ?? address
}

function group(address: string): string {
  if (familyOf(address) === 'ipv4') return address
  const [before = '', after = ''] = address.split('::')
  const head = before === '' ? [] : before.split(':')
  const tail = after === '' ? 0 : after.split(':').length
  const zeros = address.includes('::') ? Array<string>(8 - head.length - tail).fill('0') : []
  return `${[...head, ...zeros, ...after.split(':')].slice(0, 4).join(':')}::/64`
}
