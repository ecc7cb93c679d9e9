/** The client address that limits count, and the origin that the client used. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { GatewayError } from '../../../gateway/http/errors.ts'
import { type AddressOf, addressReader, originReader } from '../../../gateway/limits/address.ts'

type AddressRequest = Parameters<AddressOf>[0]

const from = (remoteAddress: string | undefined, forwarded?: string): AddressRequest => {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  return { headers, socket: { remoteAddress } as AddressRequest['socket'] }
}

test('without proxies it is the address of the socket, whatever the headers say', () => {
  const addressOf = addressReader([])
  assert.is(addressOf(from('192.0.2.7', '198.51.100.1')), '192.0.2.7')
  assert.is(addressOf(from(undefined, '198.51.100.1')), 'unknown')
})

/** Addresses and the group that they are counted in. */
const GROUPS: [string, string][] = [
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::ffff:c000:207', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::99', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['1::4:5:6:7:8', '1:0:0:4::/64'],
]

for (const [address, group] of GROUPS) {
  test(`${address} counts as ${group}`, () => {
    assert.is(addressReader([])(from(address)), group)
  })
}

/** The socket's address, `X-Forwarded-For`, and what is found with 10.0.0.0/8, 192.0.2.1 and fd00::/8 trusted. */
const HOPS: [string, string, string | undefined, string][] = [
  ['the proxy names the client', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
  ['the last that is no proxy counts, not what it claims', '10.1.2.3', '203.0.113.9, 198.51.100.1', '198.51.100.1'],
  ['proxies behind each other are passed', '10.1.2.3', '198.51.100.1, 192.0.2.1,10.9.9.9', '198.51.100.1'],
  ['an IPv6 proxy', 'fd00::1', '2001:db8::1', '2001:db8:0:0::/64'],
  ['an IPv4 proxy on a socket for both', '::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['a proxy that adds the port', '10.1.2.3', '198.51.100.1:4711', '198.51.100.1'],
  ['a proxy that adds the port to IPv6', '10.1.2.3', '[2001:db8::1]:4711', '2001:db8:0:0::/64'],
  ['somebody else sends the header', '198.51.100.7', '203.0.113.9', '198.51.100.7'],
  ['the proxy says nothing', '10.1.2.3', undefined, '10.1.2.3'],
  ['the proxy says what is no address', '10.1.2.3', '198.51.100.1, unknown', '10.1.2.3'],
  ['only proxies', '10.1.2.3', '10.1.1.1', '10.1.1.1'],
]

for (const [what, socket, forwarded, expected] of HOPS) {
  test(`behind proxies: ${what}`, () => {
    const addressOf = addressReader(['10.0.0.0/8', '192.0.2.1', 'fd00::/8'])
    assert.is(addressOf(from(socket, forwarded)), expected)
  })
}

/** The socket's address, headers, and the origin with 10.0.0.0/8 trusted. */
const ORIGINS: [string, string, Record<string, string>, string][] = [
  ['Host counts', '192.0.2.7', { host: 'audit.example.com:8081' }, 'http://audit.example.com:8081'],
  ['an IPv6 host', '192.0.2.7', { host: '[2001:db8::1]:8081' }, 'http://[2001:db8::1]:8081'],
  ['HTTP/1.0 without Host', '192.0.2.7', {}, 'http://127.0.0.1:8081'],
  ['a proxy with TLS', '10.1.2.3', { host: 'a', 'x-forwarded-proto': 'https' }, 'https://a'],
  ['a proxy that changes Host', '::ffff:10.1.2.3', { host: 'a', 'x-forwarded-host': 'b:444' }, 'http://b:444'],
  ['the last entry counts', '10.1.2.3', { host: 'a', 'x-forwarded-host': 'evil, b' }, 'http://b'],
  ['the last scheme counts', '10.1.2.3', { host: 'a', 'x-forwarded-proto': 'https, http' }, 'http://a'],
  ['a scheme that is none', '10.1.2.3', { host: 'a', 'x-forwarded-proto': 'javascript' }, 'http://a'],
  ['a host that is none', '10.1.2.3', { host: 'a', 'x-forwarded-host': 'b/c' }, 'http://a'],
  ['another client', '192.0.2.7', { host: 'a', 'x-forwarded-host': 'b', 'x-forwarded-proto': 'https' }, 'http://a'],
]

for (const [what, remoteAddress, headers, expected] of ORIGINS) {
  test(`the origin of a request: ${what}`, () => {
    const socket = { remoteAddress, localAddress: '127.0.0.1', localPort: 8081 } as AddressRequest['socket']
    assert.is(originReader(['10.0.0.0/8'])({ headers, socket }), expected)
  })
}

test('what is no address or network cannot be trusted', () => {
  for (const text of [
    'proxy.example',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    'fd00::/129',
    '',
    '/8',
    '10.0.0.0/-1',
  ]) {
    assert.throws(
      () => addressReader([text]),
      (error: unknown) => error instanceof GatewayError && error.code === 'bad_option' && error.message.includes(text),
    )
  }
})

test.run()
