/** Linux distributions in package URLs: the ecosystem and release of the OSV schema that a purl of `deb`, `apk` or `rpm` names. */

interface Distribution {
  ecosystem: string
  /** The type and the namespaces that tools write. The first is ours. */
  type: 'apk' | 'deb' | 'rpm'
  namespaces: readonly string[]
  /** The qualifier `distro` begins with one of these or a namespace, without signs: `sles-15.4`, `opensuse.leap-15.5`. */
  distros?: readonly string[]
  /** Matches the number in `distro`, and the release that it names. Absent for a distribution without releases. */
  release?: readonly [pattern: RegExp, release: string]
  codeNames?: Readonly<Record<string, string>>
  /** Matches the tag that builds have in their version, and the release that it names: `.el8_6`. */
  tag?: readonly [pattern: RegExp, release: string]
  /** Whether no other distribution has the tag. */
  hasOwnTag?: boolean
}

const ENTERPRISE_LINUX = [/\.el(\d+)(?=[^\d]|$)/, '$1'] as const

export const DISTRIBUTIONS: readonly Distribution[] = [
  {
    ecosystem: 'Alpaquita',
    type: 'apk',
    namespaces: ['alpaquita'],
    release: [/^(\d+|stream)(?:\..*)?$/, '$1'],
  },
  {
    ecosystem: 'Alpine',
    type: 'apk',
    namespaces: ['alpine'],
    release: [/^v?(\d+\.\d+)(?:[._].*)?$/, 'v$1'],
    codeNames: { edge: 'edge' },
  },
  {
    ecosystem: 'BellSoft Hardened Containers',
    type: 'apk',
    namespaces: ['bellsoft-hardened-containers'],
    release: [/^(\d+|stream)(?:\..*)?$/, '$1'],
  },
  { ecosystem: 'Chainguard', type: 'apk', namespaces: ['chainguard'] },
  { ecosystem: 'MinimOS', type: 'apk', namespaces: ['minimos'] },
  { ecosystem: 'Wolfi', type: 'apk', namespaces: ['wolfi'] },
  {
    ecosystem: 'Debian',
    type: 'deb',
    namespaces: ['debian', 'raspbian'],
    release: [/^(\d+)(?:\.\d+)*$/, '$1'],
    codeNames: {
      squeeze: '6',
      wheezy: '7',
      jessie: '8',
      stretch: '9',
      buster: '10',
      bullseye: '11',
      bookworm: '12',
      trixie: '13',
      forky: '14',
      sid: 'sid',
    },
  },
  { ecosystem: 'Echo', type: 'deb', namespaces: ['echo'] },
  {
    ecosystem: 'Ubuntu',
    type: 'deb',
    namespaces: ['ubuntu'],
    release: [/^(\d\d\.\d\d)(?:\.\d+)*$/, '$1'],
    codeNames: {
      ...{ precise: '12.04', trusty: '14.04', xenial: '16.04', bionic: '18.04', cosmic: '18.10', disco: '19.04' },
      ...{ eoan: '19.10', focal: '20.04', groovy: '20.10', hirsute: '21.04', impish: '21.10', jammy: '22.04' },
      ...{ kinetic: '22.10', lunar: '23.04', mantic: '23.10', noble: '24.04', oracular: '24.10', plucky: '25.04' },
      ...{ questing: '25.10', resolute: '26.04' },
    },
  },
  {
    ecosystem: 'AlmaLinux',
    type: 'rpm',
    namespaces: ['almalinux', 'alma'],
    release: [/^(\d+)(?:\.\d+)*$/, '$1'],
    tag: ENTERPRISE_LINUX,
  },
  {
    ecosystem: 'Azure Linux',
    type: 'rpm',
    namespaces: ['azurelinux', 'azure-linux', 'mariner', 'cbl-mariner'],
    release: [/^(\d+)(?:\.\d+)*$/, '$1'],
    tag: [/\.(?:azl|cm)(\d+)$/, '$1'],
    hasOwnTag: true,
  },
  {
    ecosystem: 'Mageia',
    type: 'rpm',
    namespaces: ['mageia'],
    release: [/^(\d+)$/, '$1'],
    tag: [/\.mga(\d+)(?=\.|$)/, '$1'],
    hasOwnTag: true,
  },
  {
    ecosystem: 'openEuler',
    type: 'rpm',
    namespaces: ['openeuler'],
    // Without `LTS`, the number does not name the service pack.
    release: [/^(\d\d\.\d\d)-?lts(?:-?sp(\d+))?$/, '$1-LTS-SP$2'],
    tag: [/\.oe(\d\d)(\d\d)(?:sp(\d+))?(?=\.|$)/, '$1.$2-LTS-SP$3'],
    hasOwnTag: true,
  },
  {
    ecosystem: 'openSUSE',
    type: 'rpm',
    namespaces: ['opensuse', 'opensuse-leap', 'opensuse-tumbleweed', 'opensuse.leap', 'opensuse.tumbleweed'],
    distros: ['opensuse leap', 'leap'],
    release: [/^(\d+\.\d+)$/, 'Leap $1'],
    codeNames: { tumbleweed: 'Tumbleweed', 'opensuse-tumbleweed': 'Tumbleweed', 'opensuse.tumbleweed': 'Tumbleweed' },
  },
  {
    ecosystem: 'Photon OS',
    type: 'rpm',
    namespaces: ['photon'],
    distros: ['photon os'],
    release: [/^(\d+)(?:\.\d+)?$/, '$1.0'],
    tag: [/\.ph(\d+)(?=\.|$)/, '$1.0'],
    hasOwnTag: true,
  },
  {
    ecosystem: 'Red Hat',
    type: 'rpm',
    namespaces: ['redhat', 'rhel'],
    release: [/^(\d+)(?:\.\d+)*$/, 'enterprise_linux:$1'],
    tag: [ENTERPRISE_LINUX[0], 'enterprise_linux:$1'],
  },
  {
    ecosystem: 'Rocky Linux',
    type: 'rpm',
    namespaces: ['rocky-linux', 'rocky'],
    distros: ['rockylinux'],
    release: [/^(\d+)(?:\.\d+)*$/, '$1'],
    tag: ENTERPRISE_LINUX,
  },
  {
    ecosystem: 'SUSE',
    type: 'rpm',
    namespaces: ['suse', 'sles', 'sled', 'sles_sap'],
    distros: ['suse linux enterprise server', 'suse linux enterprise desktop'],
    release: [/^(\d+)(?:\.0|(?:\.|[ -]?sp)([1-9]))?$/, 'Linux Enterprise Server $1 SP$2'],
  },
]

export interface DistributionPurl {
  type: string
  /** In lower case. Empty for none. */
  namespace: string
  version: string | null
  qualifiers: ReadonlyMap<string, string>
}

/**
 * Returns the ecosystem of a purl, with the release that its `distro` names by number or code name: `Debian:12`. Without
 * such a `distro`, the tag of the build names it. Without a namespace, `distro` or a tag names the distribution. Null for
 * a distribution that no ecosystem has.
 */
export function distributionOf(purl: DistributionPurl): string | null {
  const distro = (purl.qualifiers.get('distro') ?? '').toLowerCase().replace(/-\d{8}$/, '')
  const builds = [purl.version ?? '', (purl.qualifiers.get('upstream') ?? '').replace(/\.src\.rpm$/, '')]
  const found = DISTRIBUTIONS.find((one) => isNamed(one, purl, distro, builds))
  if (!found) return null
  const release = releaseIn(found, [distro, withoutName(found, distro), purl.namespace]) ?? releaseOfTag(found, builds)
  return release === null ? found.ecosystem : `${found.ecosystem}:${release}`
}

function isNamed(one: Distribution, { type, namespace }: DistributionPurl, distro: string, builds: string[]): boolean {
  if (one.type !== type) return false
  if (namespace !== '') return one.namespaces.includes(namespace)
  if (distro !== '') return withoutName(one, distro) !== distro
  return one.hasOwnTag === true && releaseOfTag(one, builds) !== null
}

/** Removes the name before the number of `debian-12`. */
function withoutName({ namespaces, distros = [] }: Distribution, distro: string): string {
  const names = [...namespaces, ...distros].filter((name) => distro.startsWith(name))
  const [longest = ''] = names.sort((a, b) => b.length - a.length)
  const rest = distro.slice(longest.length)
  return /^[^a-z]/.test(rest) || longest === '' ? rest.replace(/^[-: ]/, '') : distro
}

function releaseIn({ release, codeNames = {} }: Distribution, texts: readonly string[]): string | null {
  for (const text of texts) {
    if (Object.hasOwn(codeNames, text)) return codeNames[text]!
    if (release?.[0].test(text)) return filled(text.replace(...release))
  }
  return null
}

function releaseOfTag({ tag }: Distribution, builds: readonly string[]): string | null {
  for (const build of builds) {
    const match = tag?.[0].exec(build)
    if (match) return filled(match[0].replace(...tag!))
  }
  return null
}

/** Removes the prefix of a service pack that is not stated. */
const filled = (release: string): string => release.replace(/[ -]SP$/, '')
