/** Parses `REDIS_URL`: address, database and credentials. */
import { GatewayError } from '../http/errors.ts'

export interface RedisAddress {
  host: string
  port: number
  db: number
  /** Empty for the default user, or without authentication. */
  username: string
  password: string
  tls: boolean
  /** Host and port, for the log. */
  shown: string
}

const DEFAULT_PORT = 6379
const PLAIN = 'redis:'
const TLS = 'rediss:'

/**
 * Parses a `redis://` or `rediss://` URL.
 * @throws GatewayError `bad_option`, without the text, which may contain a password
 */
export function parseRedisUrl(text: string): RedisAddress {
  const url = URL.canParse(text) ? new URL(text) : null
  const db = /^\/?(\d{0,9})$/.exec(url?.pathname ?? '')?.[1]
  const known = url?.protocol === PLAIN || url?.protocol === TLS
  // Query and fragment are rejected: the client library would read connection options from the query.
  if (!url || !known || url.hostname === '' || db === undefined || url.search + url.hash !== '') throw noAddress()
  const port = url.port === '' ? DEFAULT_PORT : Number(url.port)
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    db: Number(db),
    username: decoded(url.username),
    password: decoded(url.password),
    tls: url.protocol === TLS,
    shown: `${url.hostname}:${port}`,
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw noAddress()
  }
}

const noAddress = () =>
  new GatewayError(
    'bad_option',
    'invalid --redis-url (REDIS_URL); use a URL such as redis://name:password@host:6379/0, or rediss://… for TLS. ' +
      'Percent-encode special characters in name and password',
  )
