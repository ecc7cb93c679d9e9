/** Every route of the API, on snapshots with records that grow, and with parameters that grow. */

import { ApiError } from '../../../corpus/answers/errors.ts'
import { ROUTES } from '../../../corpus/answers/routes.ts'
import { type Asked, askDirectly } from '../../support/ask.ts'
import { CPE, FIRST_OF_MANY, LARGE, PACKAGES } from '../growing-feeds.ts'
import { type Growing, type OpenSubjects, repeated, type Subject } from '../subject.ts'

const SIZE = 250
/** How much of everything each of the snapshots has. */
export const ROUTE_SIZES = [SIZE, 2 * SIZE, 4 * SIZE]
/** A request line is at most this long. */
const MAX_TARGET_LENGTH = 8000

const PATH_VALUES: Readonly<Record<string, readonly string[]>> = {
  advisoryId: ['GHSA-ring-000000-x', 'GHSA-evts-000000-x', 'GHSA-vers-000000-x', 'GHSA-alis-000000-x', 'DSA-1-1'],
  capecId: ['1'],
  slug: ['acme'],
  cveId: [LARGE, FIRST_OF_MANY],
  reportId: ['x'],
  cweId: ['79'],
  source: ['exploitdb'],
  sourceId: ['1'],
  ecosystem: ['npm'],
  name: PACKAGES,
  vendorSlug: ['acme'],
  productSlug: ['widget'],
}

/** Questions whose cost depends on a record. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  listAffecting: [
    `cpe=${CPE}`,
    'cpe=cpe:2.3:a:acme:gadget:1:*:*:*:*:*:*:*',
    ...PACKAGES.map((name) => `purl=pkg:npm/${name}@1.0.0`),
    'purl=pkg:deb/debian/bomb@1-2?distro=debian-12',
  ].map((query) => query.replace(/(?<=^purl=).*/, encodeURIComponent)),
}

const PARTS = [
  ...'aA1.-,%+:/*(=',
  ...['%2C', '%25', '%3A', '%2F', '%22', '%C3%A9', '%00', 'CVE-2026-1', 'pkg:npm/', 'cpe:2.3:'],
]

async function ask(asked: Asked, path: string, query: string): Promise<void> {
  try {
    await asked.ask(path, query)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
}

/** Returns the paths of a route: each value of its parameters once. */
function pathsOf(path: string): string[] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  const most = Math.max(1, ...names.map((name) => PATH_VALUES[name]?.length ?? 0))
  const paths = Array.from({ length: most }, (_, i) =>
    path.replaceAll(/:(\w+)/g, (_text, name: string) => {
      const values = PATH_VALUES[name]
      if (values === undefined) throw new Error(`the path parameter ${name} of ${path} has no values`)
      return values[Math.min(i, values.length - 1)]!
    }),
  )
  return [...new Set(paths)]
}

/** Returns a route: as the worst inputs its paths and queries on records that grow, generated ones with a long parameter. */
function routeSubject(
  { name, path, params }: Pick<(typeof ROUTES)[number], 'name' | 'path' | 'params'>,
  bySize: ReadonlyMap<number, Asked>,
): Subject {
  const largest = bySize.get(4 * SIZE)!
  const paths = pathsOf(path)
  const worst = paths.flatMap((path) =>
    (QUERIES[name] ?? ['']).map((query): [string, Growing] => {
      return [`${path}?${query}`, (n) => () => ask(bySize.get(n)!, path, query)]
    }),
  )
  const parameters = [...Object.keys(params.query), 'unknown']
  const endsInParameter = /\/:\w+$/.test(path)
  return {
    name: `route ${name}`,
    size: SIZE,
    worst: Object.fromEntries(worst),
    generated(random) {
      const at = random.pick(paths)
      const parameter = random.pick(parameters)
      const isInPath = endsInParameter && random.chance(0.5)
      const textOf = repeated(random, PARTS)
      return (n) => {
        const text = textOf(2 * n).slice(0, MAX_TARGET_LENGTH)
        if (!isInPath) return () => ask(largest, at, `${parameter}=${text}`)
        return () => ask(largest, at.replace(/[^/]+$/, text.replaceAll('/', '')), '')
      }
    },
  }
}

/** All routes, on one snapshot of each of the sizes. */
export const open: OpenSubjects = async (...snapshots) => {
  const bySize = new Map(ROUTE_SIZES.map((size, i) => [size, askDirectly(snapshots[i]!)]))
  return {
    subjects: ROUTES.map((route) => routeSubject(route, bySize)),
    async close() {
      for (const asked of bySize.values()) await asked.close()
    },
  }
}
