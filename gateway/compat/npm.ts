/** The audit endpoints of npm's registry, for npm, pnpm, bun and yarn (`--compat npm`). */

import { gone, invalidParameter, notFound } from '../../corpus/answers/errors.ts'
import { quote } from '../../corpus/answers/parameters/parameter.ts'
import type { PackageMatch } from '../../corpus/model/packages/match.ts'
import { foldName } from '../../corpus/model/packages/name.ts'
import { GatewayError } from '../http/errors.ts'
import { WORK } from '../process/bounds.ts'
import type { CompatAnswer, CompatInterface, CompatRequest } from './interface.ts'
import { parseJson } from './json.ts'
import { affecting, npmAdvisories } from './npm-advisories.ts'
import { assertAnswer } from './work.ts'

const MOST_NAMES = 20_000
const MOST_VERSIONS = 200
/** In characters. npm publishes names of up to 214, and versions of up to 256. */
const NAME_LENGTH = 512
const VERSION_LENGTH = 256

export interface NpmOptions {
  /** URL of the registry that package documents are redirected to. */
  npmUpstream?: string
}

/** @throws GatewayError if the upstream is no URL of a registry */
export function npmInterface({ npmUpstream }: NpmOptions): CompatInterface {
  const upstream = npmUpstream === undefined ? null : registryOf(npmUpstream)
  const packageDocument = ({ path, search }: CompatRequest): CompatAnswer => {
    if (!PACKAGE_PATH.test(path)) throw notFound(`no endpoint has the path ${quote(path)}`)
    if (upstream === null) {
      throw notFound('this server has advisories, not packages; start it with --npm-upstream to redirect to a registry')
    }
    return { status: 307, headers: ['Location', upstream + path + search], body: {}, servedFrom: null }
  }
  return {
    routes: [
      {
        name: '/-/npm/v1/security/advisories/bulk',
        path: /^\/-\/npm\/v1\/security\/advisories\/bulk\/?$/,
        methods: ['POST'],
        body: { type: 'application/json', parse: (bytes) => parseJson(bytes, [MOST_NAMES, MOST_VERSIONS]) },
        handle: bulk,
      },
      {
        name: '/-/npm/v1/security/audits',
        path: /^\/-\/npm\/v1\/security\/audits(?:\/quick)?\/?$/,
        methods: ['POST'],
        handle() {
          throw gone(
            'this endpoint is retired, here and at registry.npmjs.org; use npm 7 or later, pnpm 12, bun, or yarn 4',
          )
        },
      },
      {
        name: '/{package}',
        path: /^\/(?!-\/)/,
        methods: ['GET', 'HEAD'],
        // Clients request the documents of each vulnerable package and of its dependents.
        isFree: true,
        handle: packageDocument,
      },
    ],
    errorBody: ({ message, fault }) => ({
      message: fault === 'missing' ? `${message}. In .npmrc: //<host>:<port>/:_authToken=<access token>` : message,
    }),
  }
}

/**
 * `/name`, `/@scope/name`, a version of it, or a tarball. Clients resolve `..`, `%2e%2e` and `\` before they follow a
 * redirect, and registries can decode other escapes. A path therefore has only characters of names and versions, the
 * escapes that clients use, and no segment that is empty or only dots.
 */
const PACKAGE_PATH = /^(?!.*(?:\/|%2f)\.{0,2}(?:\/|%2f|$))(?:[\w.~!'()*@+/-]|%2f|%40|%2b)+$/i

/** Returns the URL without a slash at its end. */
function registryOf(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new GatewayError(
      'bad_option',
      '--npm-upstream must be the URL of a registry without a password, such as https://registry.npmjs.org',
    )
  }
  return url.href.replace(/(?<!\/)\/+$/, '')
}

/** A package can be named in several spellings. Each version is compared once, and each spelling gets its own answer. */
async function bulk({ body, packages, work }: CompatRequest): Promise<CompatAnswer> {
  const asked = Map.groupBy(Object.entries(checkedBody(body)), ([name]) => foldName('npm', name))
  const index = packages()
  const found: string[] = []
  let bytes = 0
  for (const [folded, spellings] of asked) {
    await work(spellings.length)
    const entry = index.package('npm', folded)
    if (!entry) continue
    const matches = new Map<string, PackageMatch[]>()
    for (const [name, versions] of spellings) {
      const own = new Set(versions)
      for (const version of own) {
        if (!matches.has(version)) {
          await work(entry.advisories.length)
          matches.set(version, affecting(entry, version))
        }
        await work(1 + matches.get(version)!.length)
      }
      const advisories = npmAdvisories(entry, own, index.aliasesOf, (version) => matches.get(version)!)
      if (advisories.length === 0) continue
      const text = `${JSON.stringify(name)}:${JSON.stringify(advisories)}`
      found.push(text)
      bytes += text.length
      assertAnswer(bytes)
      await work(Math.ceil(text.length / WORK.bytes))
    }
  }
  return { status: 200, body: `{${found.join(',')}}`, servedFrom: 'merge' }
}

/** @throws ApiError 400 that names the package */
function checkedBody(body: unknown): Record<string, string[]> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidParameter(undefined, 'the body must be an object with a list of versions for each package')
  }
  for (const [name, versions] of Object.entries(body)) {
    if (name.length > NAME_LENGTH) {
      throw invalidParameter(undefined, `the package name ${quote(name)} is longer than ${NAME_LENGTH} characters`)
    }
    if (!Array.isArray(versions) || !versions.every(isVersion)) {
      throw invalidParameter(
        undefined,
        `the value of ${quote(name)} must be a list of versions: strings of up to ${VERSION_LENGTH} characters`,
      )
    }
  }
  return body as Record<string, string[]>
}

const isVersion = (value: unknown) => typeof value === 'string' && value.length <= VERSION_LENGTH
