/** The security advisories of a Composer repository, for `composer audit` (`--compat composer`). */

import { invalidParameter, notFound } from '../../corpus/answers/errors.ts'
import { quote } from '../../corpus/answers/parameters/parameter.ts'
import { foldName } from '../../corpus/model/packages/name.ts'
import { contentTooLarge } from '../http/errors.ts'
import { composerAdvisories, PACKAGIST } from './composer-advisories.ts'
import { parseForm } from './form.ts'
import type { CompatAnswer, CompatInterface, CompatRequest } from './interface.ts'
import { assertAnswer } from './work.ts'

const MOST_NAMES = 20_000
/** Names, `updatedSince`, and a few that other clients add. */
const MOST_FIELDS = MOST_NAMES + 10
/** In characters. */
const NAME_LENGTH = 512

/** An advisory takes about 25 µs, as long as this number of comparisons. */
const COMPARISONS_OF_AN_ADVISORY = 5

const API_PATH = '/api/security-advisories/'

type Fields = [name: string, value: string][]

export function composerInterface(): CompatInterface {
  return {
    // Composer prints the message of an error only if the answer has exactly this type.
    type: 'application/json',
    routes: [
      { name: '/packages.json', path: /^\/packages\.json$/, methods: ['GET', 'HEAD'], handle: rootFile },
      {
        name: API_PATH,
        path: /^\/api\/security-advisories\/?$/,
        methods: ['GET', 'HEAD', 'POST'],
        body: { type: 'application/x-www-form-urlencoded', parse: (bytes) => parseForm(bytes, MOST_FIELDS) },
        handle: advisories,
      },
      {
        name: '/p2/{package}',
        path: /^\/p2\//,
        methods: ['GET', 'HEAD'],
        // `composer update` requests the documents of all packages from each repository.
        isFree: true,
        handle() {
          throw notFound('this server has advisories, not packages')
        },
      },
    ],
    errorBody({ status, message: text, fault }) {
      const message =
        fault === 'missing' ? `${text}. In auth.json: {"bearer": {"<host>:<port>": "<access token>"}}` : text
      // Composer prints `warning`. It takes a 404 for a package that another repository has.
      return { status: 'error', message, ...(status === 404 ? {} : { warning: message }) }
    },
  }
}

/** A repository without packages. Composer requires an absolute URL. */
const rootFile = ({ origin }: CompatRequest): CompatAnswer => ({
  status: 200,
  body: {
    packages: [],
    'metadata-url': '/p2/%package%.json',
    'security-advisories': { metadata: false, 'api-url': origin() + API_PATH },
  },
  servedFrom: null,
})

async function advisories({ body, search, packages, work }: CompatRequest): Promise<CompatAnswer> {
  const query = parseForm(Buffer.from(search.slice(1)), MOST_FIELDS)
  const fields = [...query, ...((body as Fields | undefined) ?? [])]
  const names = namesIn(fields)
  const updatedSince = updatedSinceIn(fields)
  const index = packages()
  const found: string[] = []
  let bytes = 0
  for (const name of names) {
    const entry = index.package(PACKAGIST, name)
    await work(1 + (entry?.advisories.length ?? 0) * COMPARISONS_OF_AN_ADVISORY)
    const items = entry ? composerAdvisories(entry, index.aliasesOf, updatedSince) : []
    if (items.length === 0) continue
    const text = `${JSON.stringify(name)}:${JSON.stringify(items)}`
    found.push(text)
    bytes += text.length
    assertAnswer(bytes)
  }
  return { status: 200, body: `{"advisories":{${found.join(',')}}}`, servedFrom: 'merge' }
}

/** Returns the names as Composer writes them, in lower case, without repetitions. @throws ApiError 400 */
function namesIn(fields: Fields): Set<string> {
  const values = fields.filter(([name]) => /^packages\[[^\]]*\]$/.test(name)).map(([, value]) => value)
  if (values.length === 0) {
    throw invalidParameter(
      'packages',
      'the request must name packages: packages[]=vendor/name, repeated for each package',
    )
  }
  if (values.length > MOST_NAMES) {
    throw contentTooLarge(`the request names more than ${MOST_NAMES} packages; split the request`)
  }
  const long = values.find(({ length }) => length > NAME_LENGTH)
  if (long === undefined) return new Set(values.map((name) => foldName(PACKAGIST, name)))
  throw invalidParameter('packages', `the package name ${quote(long)} is longer than ${NAME_LENGTH} characters`)
}

/** Returns a time in ms. @throws ApiError 400 */
function updatedSinceIn(fields: Fields): number | null {
  const text = fields.findLast(([name]) => name === 'updatedSince')?.[1]
  if (text === undefined) return null
  if (/^\d{1,12}$/.test(text)) return Number(text) * 1000
  throw invalidParameter('updatedSince', `parameter 'updatedSince' must be a Unix time in seconds, not ${quote(text)}`)
}
