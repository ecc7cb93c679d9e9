/** The interfaces of other tools: parsing a body and answering it. */

import { ApiError } from '../../../corpus/answers/errors.ts'
import type { CompatRoute, PackageIndex } from '../../../gateway/compat/interface.ts'
import { openInterfaces } from '../../../gateway/compat/interfaces.ts'
import { countWork } from '../../../gateway/compat/work.ts'
import { BULK, COMPOSER_API, npmRecord, packagesOf, packagistRecord } from '../../support/compat.ts'
import { type Growing, type OpenSubjects, repeated, type Subject } from '../subject.ts'

const NAME = 'averylongpackagename'
const numbers = (n: number) => Array.from({ length: n }, (_, i) => i)
const spelling = (i: number) => Array.from(NAME, (c, at) => (i & (1 << at) ? c.toUpperCase() : c)).join('')
const ids = (n: number) => numbers(n).map((i) => `GHSA-${i}`)

const npmPackages = (n: number) => packagesOf(ids(n).map((id) => npmRecord(id, NAME, '999.0.0')))
const phpPackages = (n: number) =>
  packagesOf(ids(n).map((id) => packagistRecord(id, `a/${NAME}`, [{ introduced: '0' }, { fixed: '999.0.0' }])))

const bulkBody = (names: readonly string[], versions: number) =>
  JSON.stringify(Object.fromEntries(names.map((name) => [name, numbers(versions).map((i) => `${i}.0.0`)])))
const batchBody = (n: number) =>
  JSON.stringify({
    queries: numbers(n).map((i) => ({ package: { ecosystem: 'npm', name: NAME }, version: `${i}.0.0` })),
  })

interface Asked {
  path: string
  /** Inputs by name: the packages, and the body. */
  worst: Readonly<Record<string, (n: number) => [PackageIndex, string]>>
  /** What generated bodies consist of. */
  parts: readonly string[]
}

const JSON_PARTS = ['{', '}', '[', ']', ',', ':', '"', '\\', '"a":', '["1.0.0"]', '{"a":["1"]}', ' ', '0', '\u00e9']

const ASKED: Readonly<Record<string, Asked>> = {
  npm: {
    path: BULK,
    worst: {
      'spellings of a name': (n) => [npmPackages(3), bulkBody(numbers(n).map(spelling), 4)],
      'versions of a name': (n) => [npmPackages(3), bulkBody([NAME], n)],
      'advisories of a package': (n) => [npmPackages(n), bulkBody([NAME], 20)],
      'unknown names': (n) => [npmPackages(3), bulkBody(numbers(n).map(String), 4)],
    },
    parts: JSON_PARTS,
  },
  composer: {
    path: COMPOSER_API,
    worst: {
      'repeated names': (n) => [
        phpPackages(3),
        numbers(n)
          .fill(0)
          .map(() => `packages[]=a/${NAME}`)
          .join('&'),
      ],
      'advisories of a package': (n) => [phpPackages(n), `packages[]=a/${NAME}`],
    },
    parts: ['&', '=', '%', '%41', '+', 'packages[]', 'packages[]=a/b', 'updatedSince=1', '[', ']', '\u00e9'],
  },
  'osv query': {
    path: '/v1/query',
    worst: {
      'advisories of a package': (n) => [npmPackages(n), JSON.stringify({ package: { ecosystem: 'npm', name: NAME } })],
    },
    parts: JSON_PARTS,
  },
  'osv batch': {
    path: '/v1/querybatch',
    worst: {
      queries: (n) => [npmPackages(3), batchBody(n)],
      'advisories of a package': (n) => [npmPackages(n), batchBody(20)],
    },
    parts: JSON_PARTS,
  },
}

async function answer(route: CompatRoute, path: string, packages: PackageIndex, text: string): Promise<void> {
  try {
    await route.handle({
      path,
      search: '',
      headers: {},
      body: route.body!.parse(Buffer.from(text)),
      origin: () => 'http://localhost',
      packages: () => packages,
      scores: () => {
        throw new TypeError('no interface of this test has scores')
      },
      api: () => {
        throw new TypeError('no interface of this test has the API')
      },
      work: countWork({ charge: async () => {}, isGone: () => false }),
    })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
}

const routes = openInterfaces({ compat: ['composer', 'osv', 'npm'] }).flatMap((one) => one.routes)

const subjects = Object.entries(ASKED).map(([name, { path, worst, parts }]): Subject => {
  const route = routes.find((one) => one.path.test(path))!
  const asking =
    (given: (n: number) => [PackageIndex, string]): Growing =>
    (n) => {
      const [packages, text] = given(n)
      return () => answer(route, path, packages, text)
    }
  return {
    name: `compat ${name}`,
    size: 50,
    worst: Object.fromEntries(Object.entries(worst).map(([input, given]) => [input, asking(given)])),
    generated(random) {
      const textOf = repeated(random, parts)
      const packages = npmPackages(3)
      return asking((n) => [packages, textOf(20 * n)])
    },
  }
})

export const open: OpenSubjects = async () => ({ subjects })
