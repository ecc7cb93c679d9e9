/** Whom failed tokens are counted against: the address that a request came from, also behind proxies that are trusted. */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, SocketAddress } from 'node:net'
import { GatewayError } from '../http/errors.ts'

/** An address as a key: IPv4 whole, IPv6 as its /64, which is what one subscriber has. */
export type AddressOf = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string

const UNKNOWN = 'unknown'

/**
 * `trusted` are the proxies, as addresses or networks (`10.0.0.0/8`), whose word in `X-Forwarded-For` is taken. The header
 * is read from its end, where our own proxies wrote, up to the first address that is none of them: what stands before it
 * anybody may have sent. Without proxies the header means nothing.
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

/** The canonical form; null for what is none. Some proxies add a port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function parseAddress(text: string): string | null {
  const bare = text
    .trim()
    .replace(/^\[(.*)\](?::\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')
    .replace(/%.*$/, '')
  const family = isIP(bare)
  if (family !== 6) return family === 4 ? bare : null
  const { address } = new SocketAddress({ address: bare, family: 'ipv6' })
  // An IPv4 client on a socket for both (RFC 4291 2.5.5.2).
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
