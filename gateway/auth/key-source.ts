/** Selects the source of keys: a file, a URL, or the issuer's metadata (rule 11). */
import { existsSync } from 'node:fs'
import { readRegularFile } from '../../corpus/runtime/regular-file.ts'
import { GatewayError } from '../http/errors.ts'
import { keyFile } from './key-file.ts'
import { type KeyRing, MAX_KEY_SET_BYTES, parseKeySet } from './key-set.ts'
import { type KeyUrlOptions, keysByDiscovery, keyUrl } from './key-url.ts'
import { LOCAL } from './token.ts'

export interface KeySource {
  /** A file or URL; default: the issuer's metadata. */
  jwks?: string
  issuer: string
}

/** Whether it is the issuer of `token`, which has no metadata. */
const isLocal = (issuer: string) => issuer.replace(/\/$/, '') === LOCAL.issuer
const isUrl = (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text)

/** Whether the operator has configured a source: without one, no token can be valid. */
export const hasKeySource = ({ jwks, issuer }: KeySource): boolean => jwks !== undefined || !isLocal(issuer)

/**
 * Rejects a source that can never have keys. Makes no requests: an unreachable source may return later.
 * @throws GatewayError `bad_option`
 */
export function assertKeySource({ jwks, issuer }: KeySource): void {
  if (jwks === undefined) assertIssuer(issuer)
  else if (!isUrl(jwks)) assertKeyFile(jwks)
}

function assertKeyFile(jwks: string): void {
  const scheme = /^(\w+):\/\//.exec(jwks)?.[1]
  if (scheme !== undefined) {
    throw new GatewayError(
      'bad_option',
      `cannot read a key set from ${jwks}: the scheme is not http or https. Correct --jwks`,
    )
  }
  if (!existsSync(jwks))
    throw new GatewayError('bad_option', `cannot read the key set ${jwks}: the file does not exist. Correct --jwks`)
  try {
    parseKeySet(readRegularFile(jwks, MAX_KEY_SET_BYTES).toString())
  } catch (cause) {
    const reason = (cause as Error).message
    throw new GatewayError('bad_option', `cannot use the key set ${jwks}: ${reason}`, { cause })
  }
}

function assertIssuer(issuer: string): void {
  if (isLocal(issuer)) {
    throw new GatewayError(
      'bad_option',
      'keys that verify tokens are not configured. Add --jwks <file or URL>, or --issuer <URL> to discover them ' +
        `(OpenID Connect), or --api-keys <file>. For development, run \`vulnshelf-gateway token\` and add --jwks ${LOCAL.dir}/jwks.json`,
    )
  }
  if (!isUrl(issuer)) {
    throw new GatewayError(
      'bad_option',
      `cannot discover keys from the issuer '${issuer}': it is not an http or https URL. Add --jwks <file or URL>`,
    )
  }
}

/** @throws GatewayError as `assertKeySource` */
export function openKeyRing(source: KeySource, options: KeyUrlOptions): KeyRing {
  assertKeySource(source)
  const { jwks, issuer } = source
  if (jwks === undefined) return keysByDiscovery(issuer, options)
  return isUrl(jwks) ? keyUrl(jwks, options) : keyFile(jwks, options)
}
