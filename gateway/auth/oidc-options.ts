/** Options of signing in at an identity provider, checked before a start. */
import { readRegularFile } from '../../corpus/runtime/regular-file.ts'
import { GatewayError } from '../http/errors.ts'
import { newSealKey, readSealKey } from './seal.ts'

export interface OidcFlags {
  issuer: string
  oidcClientId?: string
  oidcClientSecretFile?: string
  oidcScope?: string
  publicUrl?: string
  sessionKeyFile?: string
}

export interface OidcOptions {
  /** The issuer of tokens and sessions. */
  issuer: string
  clientId: string
  /** Null for a public client, which PKCE alone protects. */
  clientSecret: string | null
  /** Names separated by blanks. */
  scope: string
  /** Ends with a slash. */
  publicUrl: string
  /** The key that seals sessions, in base64. */
  key: string
}

const MAX_SECRET_BYTES = 4096
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Returns null without a client id. @throws GatewayError `bad_option` */
export function readOidcOptions(flags: OidcFlags): OidcOptions | null {
  const { issuer, oidcClientId: clientId, oidcClientSecretFile, oidcScope: scope = 'openid', sessionKeyFile } = flags
  const publicUrl = flags.publicUrl === undefined ? undefined : parsePublicUrl(flags.publicUrl)
  if (clientId === undefined) return null
  if (clientId === '') throw new GatewayError('bad_option', '--oidc-client-id must not be empty')
  if (publicUrl === undefined) {
    throw new GatewayError(
      'bad_option',
      '--oidc-client-id requires --public-url, the address that browsers use, such as https://vulns.example.com',
    )
  }
  if (!isTrustworthy(issuer)) {
    throw new GatewayError(
      'bad_option',
      `cannot sign in at the issuer '${issuer}': it is not an https URL. Set --issuer to the URL of your identity provider`,
    )
  }
  if (!/^[!#-[\]-~]+(?: [!#-[\]-~]+)*$/.test(scope) || !scope.split(' ').includes('openid')) {
    throw new GatewayError(
      'bad_option',
      `invalid scope '${scope}'; use names separated by blanks, openid among them, such as "openid offline_access"`,
    )
  }
  return {
    issuer,
    clientId,
    clientSecret: oidcClientSecretFile === undefined ? null : readSecret(oidcClientSecretFile),
    scope,
    publicUrl,
    key: sessionKeyFile === undefined ? newSealKey() : readSealKey(sessionKeyFile),
  }
}

/** Returns the URL with a slash at the end. @throws GatewayError `bad_option` */
export function parsePublicUrl(text: string): string {
  const url = isTrustworthy(text) ? new URL(text) : null
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new GatewayError(
      'bad_option',
      `invalid public URL '${text}'; use an https URL without a query, or http://localhost with a port`,
    )
  }
  return url.href.endsWith('/') ? url.href : `${url.href}/`
}

/** Whether a URL is https, or http on this machine. */
function isTrustworthy(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname))
}

function readSecret(path: string): string {
  try {
    const secret = readRegularFile(path, MAX_SECRET_BYTES).toString().trim()
    if (secret !== '') return secret
  } catch (cause) {
    const reason = (cause as Error).message
    throw new GatewayError('bad_option', `cannot read the client secret ${path}: ${reason}`, { cause })
  }
  throw new GatewayError('bad_option', `the client secret ${path} is empty. Correct --oidc-client-secret-file`)
}
