/**
 * The names under which advisories state a package. Advisories of Debian, Ubuntu and apk distributions name source packages, systems and
 * SBOMs name the binary packages that are built from them. Advisories of RPM distributions name either.
 */
import { baseEcosystem } from '../versions/ecosystems.ts'
import { DISTRIBUTIONS } from './distributions.ts'

export interface BinaryPackage {
  /** With its release, such as `Debian:12`. */
  ecosystem: string
  name: string
  version: string | null
  /** As `upstream` of a package URL states it: `openssl`, `openssl@1.1.1n-0+deb11u3`, `git-2.39.1-1.el8.src.rpm`. */
  source: string | null
}

export interface AdvisoryNames {
  /** The names under which advisories state the package. */
  names: readonly string[]
  /** The version that is compared with them. */
  version: string | null
  /** The name of the source package. Null if the request names none, or the ecosystem has none. */
  matched_source: string | null
}

export function advisoryNames({ ecosystem, name, version, source }: BinaryPackage): AdvisoryNames {
  const type = TYPES.get(baseEcosystem(ecosystem))
  const stated = type === undefined || source === null ? null : partsOf(source)
  if (stated === null) return { names: namesWithout(ecosystem, name), version, matched_source: null }
  const signed = type === 'deb' ? SIGNED_KERNEL.exec(stated.name) : null
  if (signed) {
    const matched_source = `linux${signed[1] ?? ''}`
    return { names: [matched_source], version, matched_source }
  }
  const matched_source = stated.name
  // The binary package can have another epoch than its source, so its own version counts.
  if (type === 'rpm') return { names: [...new Set([name, matched_source])], version, matched_source }
  return { names: [matched_source], version: version === null ? null : (stated.version ?? version), matched_source }
}

/** An action in a folder of a repository has the versions of the repository. Advisories name either. */
function namesWithout(ecosystem: string, name: string): string[] {
  const repository = ecosystem === 'GitHub Actions' ? /^[^/]+\/[^/]+(?=\/)/.exec(name)?.[0] : undefined
  return repository === undefined ? [name] : [name, repository]
}

/** Whether packages of the ecosystem have source packages. */
export const hasSourcePackages = (ecosystem: string): boolean => TYPES.has(baseEcosystem(ecosystem))

const TYPES: ReadonlyMap<string, 'apk' | 'deb' | 'rpm'> = new Map(
  DISTRIBUTIONS.map(({ ecosystem, type }) => [ecosystem, type]),
)

/** Source packages that only sign a kernel, under versions of their own: `linux-signed-amd64`, `linux-signed-hwe-6.8`. */
const SIGNED_KERNEL = /^linux-signed(?:-(?:amd64|arm64|i386))?(-.+)?$/

function partsOf(source: string): { name: string; version: string | null } | null {
  const rpm = /^(.+)-[^-]+-[^-]+\.src\.rpm$/.exec(source)?.[1]
  const [name = '', ...version] = rpm === undefined ? source.split('@') : [rpm]
  return name === '' ? null : { name, version: version.join('@') || null }
}
