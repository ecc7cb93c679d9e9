/** The JSON of syft itself. Packages are those with a purl. */
import { isObject, type JsonObject, text } from '../../../model/values/json-value.ts'
import type { InventoryBuilder } from '../../inventory.ts'
import { type JsonFile, namedObjects } from '../json.ts'
import { addPackages, type OperatingSystem, type SbomPackage, sourcePackage } from './packages.ts'

/** @throws FormatError, BoundError */
export function addSyft({ root, lineOf }: JsonFile, found: InventoryBuilder): void {
  const packages = namedObjects('artifacts', root.artifacts, lineOf).map(({ name, entry, line }): SbomPackage => {
    const purl = text(entry.purl)
    const source = isObject(entry.metadata) ? sourceIn(entry.metadata) : null
    return { name, line, purls: purl === null ? [] : [purl], version: entry.version, source, dev: null }
  })
  addPackages(found, packages, isObject(root.distro) ? [systemOf(root.distro)] : [])
}

/** The fields of `os-release`. Testing releases have no number. Old files have only a name and a version. */
const systemOf = ({ id, name, versionID, versionCodename, version }: JsonObject): OperatingSystem => ({
  name: text(id) ?? name,
  version: text(versionID) ?? text(versionCodename) ?? version,
})

/** The databases of dpkg, rpm and apk state the source package. */
function sourceIn({ source, sourceVersion, sourceRpm, originPackage }: JsonObject): string | null {
  const name = text(source)
  return name === null ? (text(sourceRpm) ?? text(originPackage)) : sourcePackage(name, text(sourceVersion))
}
