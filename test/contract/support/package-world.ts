/** A gateway on a few hand-written advisories of packages. */
import { epssCsv, kevJson } from '../../support/feeds.ts'
import { openWorld, type World } from './service.ts'
import { container, cveList, cveMetric, osvEntry, osvZip, type UpstreamRecord } from './upstream.ts'

type Entry = ReturnType<typeof osvEntry>

export interface Affecting {
  ecosystem?: string
  name: string
  events?: Record<string, string>[]
  versions?: string[]
  urgency?: string
}

/** Members of `affected`. The ranges are of the ecosystem's own order. */
const affected = (...members: Affecting[]) =>
  members.map(({ ecosystem = 'npm', name, events, versions, urgency }) => ({
    package: { ecosystem, name },
    ...(events ? { ranges: [{ type: 'ECOSYSTEM', events }] } : {}),
    ...(versions ? { versions } : {}),
    ...(urgency ? { ecosystem_specific: { urgency } } : {}),
  }))

const upTo = (fixed: string) => [{ introduced: '0' }, { fixed }]
const entry = (id: string, aliases: string[], members: Affecting[], more: object = {}): Entry =>
  osvEntry(id, aliases, { summary: `Summary of ${id}`, affected: affected(...members), ...more })

const WIDGET = '@acme/widget'

/** In the order of `/affected` for version 1.5.0 of the widget. */
export const NPM: Entry[] = [
  entry('MAL-2024-1', [], [{ name: WIDGET, events: [{ introduced: '0' }], versions: ['1.5.0', '9.9.9'] }]),
  entry('GHSA-kkkk-kkkk-kkkk', ['CVE-2024-0001'], [{ name: WIDGET, events: upTo('1.6.0') }]),
  entry(
    'GHSA-eeee-eeee-eeee',
    ['CVE-2024-0002'],
    [{ name: WIDGET, events: [{ introduced: '1.0.0' }, { last_affected: '1.5.0' }] }],
  ),
  entry('GHSA-ffff-ffff-ffff', ['CVE-2024-0003'], [{ name: WIDGET, events: upTo('2.0.0') }], {
    database_specific: { severity: 'CRITICAL' },
  }),
  entry('GHSA-gggg-gggg-gggg', [], [{ name: '@Acme/Widget', versions: ['1.5.0'] }], {
    database_specific: { severity: 'LOW' },
  }),
  entry('GHSA-uuuu-uuuu-uuuu', [], [{ name: WIDGET, events: [{ introduced: 'not a version' }] }]),
  // Further ids of the second one, which a row must not repeat.
  entry('OSV-2024-9', ['GHSA-kkkk-kkkk-kkkk'], [{ name: WIDGET, events: upTo('1.7.0') }]),
  entry('GHSA-wwww-wwww-wwww', ['CVE-2024-0004'], [{ name: WIDGET, events: upTo('9.0.0') }], {
    withdrawn: '2024-06-01T00:00:00Z',
  }),
  entry(
    'GHSA-oooo-oooo-oooo',
    [],
    [
      { name: WIDGET, events: upTo('1.5.0') },
      { name: 'plain', events: upTo('1') },
    ],
  ),
]
export const PYPI: Entry[] = [
  entry('PYSEC-2024-1', [], [{ ecosystem: 'PyPI', name: 'zope_interface', events: upTo('5.0') }], {
    published: '2024-05-09T10:00:00Z',
  }),
  entry('PYSEC-2024-2', [], [{ ecosystem: 'PyPI', name: 'zope-interface', events: upTo('4.0') }]),
  entry('PYSEC-2024-3', [], [{ ecosystem: 'PyPI', name: 'zope-interface', events: upTo('3.0') }]),
]
export const GO: Entry[] = [
  entry('GO-2024-1', [], [{ ecosystem: 'Go', name: 'example.com/acme/widget/v2', events: upTo('2.1.0') }]),
]
export const DEBIAN: Entry[] = [
  entry(
    'DSA-1-1',
    [],
    [
      { ecosystem: 'Debian:12', name: 'widget', events: upTo('1.2-3+deb12u1'), urgency: 'unimportant' },
      { ecosystem: 'Debian:11', name: 'widget', events: upTo('1.1-1') },
    ],
  ),
]

/** CVE-2024-0001 is in the KEV catalog; the others of one severity have different EPSS scores. */
const scored = (id: 'CVE-2024-0001' | 'CVE-2024-0002' | 'CVE-2024-0003') => ({
  id,
  cna: { ...container('acme'), metrics: [cveMetric('3.1')] },
})

/** A CVE record that states packages: one of an ecosystem without advisories, one that an advisory on the CVE names too. */
const PACKAGE_URLS: UpstreamRecord = {
  id: 'CVE-2024-0005',
  cna: {
    ...container('acme'),
    title: 'Widgets overflow',
    metrics: [cveMetric('3.1')],
    affected: [
      {
        vendor: 'acme',
        product: 'widget',
        packageURL: 'pkg:hex/acme_widget',
        defaultStatus: 'unaffected',
        versions: [
          { version: '0.1.0', lessThan: '0.12.1', versionType: 'semver', status: 'affected' },
          { version: 'a0d1', lessThan: '*', versionType: 'git', status: 'affected' },
        ],
      },
      {
        vendor: 'acme',
        product: 'doubled',
        packageURL: 'pkg:npm/doubled',
        versions: [{ version: '1.0.0', lessThanOrEqual: '3.0.0', versionType: 'semver', status: 'affected' }],
      },
    ],
  },
}
const DOUBLED = entry('GHSA-dddd-dddd-dddd', ['CVE-2024-0005'], [{ name: 'doubled', events: upTo('2.0.0') }])

export const openPackageWorld = (options: Parameters<typeof openWorld>[1] = {}): Promise<World> =>
  openWorld(
    {
      ...cveList([scored('CVE-2024-0001'), scored('CVE-2024-0002'), scored('CVE-2024-0003'), PACKAGE_URLS]),
      'kev/known_exploited_vulnerabilities.json': kevJson(['CVE-2024-0001']),
      'epss/epss_scores-2024-06-01.csv.gz': epssCsv(
        [
          ['CVE-2024-0002', 0.5, 0.9],
          ['CVE-2024-0003', 0.25, 0.8],
        ],
        '2024-06-01',
      ),
      ...osvZip([...NPM, DOUBLED], 'npm'),
      ...osvZip(PYPI, 'PyPI'),
      ...osvZip(GO, 'Go'),
      ...osvZip(DEBIAN, 'Debian'),
    },
    options,
  )
