/** Signatures of pointers: only those of trusted keys are accepted, in whatever form. */
import { CompactSign, importJWK, type JWK } from 'jose'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { SnapshotError } from '../../../../corpus/snapshot/error.ts'
import {
  decodePointer,
  encodePointer,
  MAX_POINTER_BYTES,
  type Pointer,
} from '../../../../corpus/snapshot/files/pointer.ts'
import {
  KeyError,
  makeKeyPair,
  openSigned,
  readSigningKey,
  readTrustedKeys,
  SIGNING_ALGORITHMS,
  type SigningAlgorithm,
  signersOf,
  signPointer,
  withKey,
} from '../../../../corpus/snapshot/files/signature.ts'
import { failed } from '../../../support/refusal.ts'

const NOW = new Date('2026-05-01T12:00:00Z')
const pointer: Pointer = {
  format: 1,
  version: 7,
  snapshot: 'a'.repeat(64),
  manifest: { sha256: 'b'.repeat(64), size: 1234 },
  created_at: '2026-05-01T00:00:00.000Z',
  expires_at: '2026-05-15T00:00:00.000Z',
}

async function keyPair(alg: SigningAlgorithm = 'EdDSA') {
  const { privateKey, publicKey } = await makeKeyPair(alg)
  return { signing: await readSigningKey(JSON.stringify(privateKey), 'key'), privateKey, publicKey }
}

const ours = await keyPair()
const other = await keyPair()
const signed = await signPointer(pointer, [ours.signing])
interface Envelope {
  payload: string
  signatures: { protected: string; signature: string }[]
}
const envelope = JSON.parse(signed.toString()) as Envelope
const inEnvelope = (changed: Partial<Envelope>) => Buffer.from(JSON.stringify({ ...envelope, ...changed }))
const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

async function refusal(bytes: Uint8Array, trusted = [ours.publicKey], now = NOW): Promise<string> {
  const error = await failed(openSigned(bytes, trusted, now))
  if (!(error instanceof SnapshotError)) throw new Error(`not refused: ${error}`)
  return `${error.code}: ${error.message}`
}

async function keyRefusal(promise: Promise<unknown>): Promise<string> {
  const error = await failed(promise)
  if (!(error instanceof KeyError)) throw new Error(`not refused: ${error}`)
  return error.message
}

for (const alg of Object.keys(SIGNING_ALGORITHMS) as SigningAlgorithm[]) {
  test(`SPEC, "Pointer": what a key of ${alg} has signed is read, with and without the key`, async () => {
    const { signing, publicKey } = await keyPair(alg)
    const bytes = await signPointer(pointer, [signing])
    assert.equal(await openSigned(bytes, [publicKey], NOW), { pointer, kid: publicKey.kid })
    assert.equal(decodePointer(bytes), pointer)
    assert.equal(signersOf(bytes), [publicKey.kid])
  })
}

test('SPEC, "Pointer": while keys change, whoever trusts either of them believes the pointer', async () => {
  const both = await signPointer(pointer, [ours.signing, other.signing])
  assert.is((await openSigned(both, [ours.publicKey], NOW)).kid, ours.publicKey.kid)
  assert.is((await openSigned(both, [other.publicKey], NOW)).kid, other.publicKey.kid)
  assert.match(await refusal(both, [(await keyPair()).publicKey]), /^untrusted: .*is not trusted; .*is not trusted$/)
})

test('another key, a key that has ended, and no signature at all', async () => {
  assert.match(
    await refusal(signed, [other.publicKey]),
    new RegExp(`^untrusted: .*key ${ours.publicKey.kid} is not trusted$`),
  )
  const exp = NOW.getTime() / 1000
  assert.match(await refusal(signed, [{ ...ours.publicKey, exp }]), /expired at 2026-05-01T12:00:00\.000Z$/)
  assert.is((await openSigned(signed, [{ ...ours.publicKey, exp: exp + 1 }], NOW)).pointer.version, 7)
  assert.match(await refusal(encodePointer(pointer)), /^untrusted: latest\.json is not signed$/)
  assert.match(await refusal(inEnvelope({ signatures: [] })), /it has no signature$/)
})

test('a signed pointer with any change', async () => {
  const rolledBack = Buffer.from(JSON.stringify({ ...pointer, version: 99 })).toString('base64url')
  assert.match(await refusal(inEnvelope({ payload: rolledBack })), /is invalid$/)
  const [{ protected: header, signature }] = envelope.signatures as [Envelope['signatures'][number]]
  for (let at = 0; at < signature.length - 2; at += 7) {
    const letter = signature[at] === 'A' ? 'B' : 'A'
    const spoilt = signature.slice(0, at) + letter + signature.slice(at + 1)
    assert.match(await refusal(inEnvelope({ signatures: [{ protected: header, signature: spoilt }] })), /is invalid$/)
  }
})

test('only signed bytes are trusted, not what surrounds them', async () => {
  const hostile = Buffer.from(JSON.stringify({ ...pointer, version: 99 })).toString('base64url')
  const [signature] = envelope.signatures as [Envelope['signatures'][number]]
  const within = { ...signature, payload: envelope.payload }
  assert.match(await refusal(inEnvelope({ payload: hostile, signatures: [within] })), /^untrusted: .*is invalid$/)
  const unprotected = { ...signature, header: { alg: 'none', kid: other.publicKey.kid } }
  assert.equal((await openSigned(inEnvelope({ signatures: [unprotected] }), [ours.publicKey], NOW)).pointer, pointer)
  const beside = { ...envelope, ...pointer, version: 99 }
  assert.equal((await openSigned(Buffer.from(JSON.stringify(beside)), [ours.publicKey], NOW)).pointer, pointer)
})

test('a signature that claims the id of a trusted key, another algorithm, or none', async () => {
  const claimed = await signPointer(pointer, [{ ...other.signing, kid: ours.publicKey.kid }])
  assert.match(await refusal(claimed), /is invalid$/)
  const { kid } = ours.publicKey
  const [{ signature }] = envelope.signatures as [Envelope['signatures'][number]]
  for (const [alg, line] of [
    ['none', /uses algorithm none, not EdDSA$/],
    ['HS256', /uses algorithm HS256, not EdDSA$/],
    ['ES256', /uses algorithm ES256, not EdDSA$/],
  ] as const) {
    const forged = {
      protected: base64url({ alg, kid, typ: 'vulnshelf-pointer' }),
      signature: alg === 'none' ? '' : signature,
    }
    assert.match(await refusal(inEnvelope({ signatures: [forged] })), line)
  }
  for (const header of ['', 'x', base64url([]), base64url({ alg: 'EdDSA' }), base64url({ kid: 5 })]) {
    assert.match(await refusal(inEnvelope({ signatures: [{ protected: header, signature }] })), /has no key id$/)
  }
})

test('a signature of a trusted key that was made for something else', async () => {
  const key = await importJWK(ours.privateKey as JWK, 'EdDSA')
  const { kid } = ours.publicKey
  const token = await new CompactSign(encodePointer(pointer))
    .setProtectedHeader({ alg: 'EdDSA', kid, typ: 'JWT' })
    .sign(key)
  const [header, payload, signature] = token.split('.') as [string, string, string]
  assert.match(
    await refusal(inEnvelope({ payload, signatures: [{ protected: header, signature }] })),
    /belongs to another type of document$/,
  )
})

test('what is no pointer within its signatures, or too long to be one', async () => {
  for (const [bytes, line] of [
    [Buffer.from('[]'), /^malformed: .*not a JSON object$/],
    [Buffer.from('{"payload":'), /^malformed: .*not JSON: it begins with "\{\\"payload\\":"$/],
    [Buffer.from('{"payload":5,"signatures":[]}'), /^malformed: .*neither a pointer nor a signed pointer$/],
    [Buffer.from('{"payload":"e30","signatures":[null]}'), /^malformed: .*neither/],
    [Buffer.from(' '.repeat(MAX_POINTER_BYTES + 1)), /^malformed: .*longer than/],
  ] as const) {
    assert.match(await refusal(bytes), line)
  }
  const empty = await signPointer({} as Pointer, [ours.signing])
  assert.match(await refusal(empty), /^malformed: latest\.json lacks required fields of a pointer$/)
})

test('key files that will not do are named, with the reason', async () => {
  const text = (value: unknown) => JSON.stringify(value)
  for (const [content, line] of [
    ['{', /^k\.json is not JSON/],
    ['[]', /^k\.json is not a private key/],
    [text(ours.publicKey), /^k\.json is not a private key.*vulnshelf key/],
    [text({ ...ours.privateKey, d: '!' }), /^k\.json has a damaged key/],
    [text({ kty: 'oct', k: 'c2VjcmV0' }), /^k\.json is not a private key/],
  ] as const) {
    assert.match(await keyRefusal(readSigningKey(content, 'k.json')), line)
  }
  for (const [content, line] of [
    ['{', /^s\.json is not JSON/],
    [text({ keys: [] }), /^s\.json has no key that signs pointers/],
    [text({ keys: [ours.privateKey] }), /^s\.json contains a private key/],
    [text({ keys: [{ kty: 'oct', k: 'c2VjcmV0' }] }), /^s\.json has no key/],
    [text({ keys: [{ ...ours.publicKey, x: 'AAAA' }] }), /^s\.json: the key \S{43} is damaged: /],
    [text({ keys: [{ ...ours.publicKey, x: undefined, kid: 'old' }] }), /^s\.json: the key old is damaged: /],
    [text({ keys: [{ ...ours.publicKey, exp: 'never' }] }), /^s\.json: exp of a key is not a time/],
  ] as const) {
    assert.match(await keyRefusal(readTrustedKeys(content, 's.json')), line)
  }
  const trusted = await readTrustedKeys(text({ keys: [{ kty: 'oct', k: 'c2VjcmV0' }, ours.publicKey] }), 's.json')
  assert.equal(trusted, [ours.publicKey])
  assert.equal(await readTrustedKeys(text(ours.publicKey), 's.json'), [ours.publicKey])
})

test('a key is added to a set without touching what else is there', async () => {
  const others = [{ kty: 'RSA', kid: 'login', n: 'AQAB', e: 'AQAB' }, other.publicKey]
  const set = { keys: others, note: 'of everybody' }
  assert.equal(JSON.parse(withKey(JSON.stringify(set), 's.json', ours.publicKey)), {
    keys: [...others, ours.publicKey],
    note: 'of everybody',
  })
  const single = withKey(JSON.stringify(other.publicKey), 's.json', ours.publicKey)
  assert.equal(JSON.parse(single), { keys: [other.publicKey, ours.publicKey] })
  for (const text of ['{', '[]', '{"rules":[]}']) {
    const added = Promise.resolve().then(() => withKey(text, 's.json', ours.publicKey))
    assert.match(await keyRefusal(added), /^s\.json is not (?:JSON|a key set)/)
  }
})

test.run()
