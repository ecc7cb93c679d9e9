/** `pom.xml` of Maven: the dependencies that it declares, with the versions that it states. */
import { assertCount, MAX_PROPERTY_USES } from '../bounds.ts'
import { FormatError } from '../error.ts'
import { type Inventory, InventoryBuilder } from '../inventory.ts'
import { childOf, childrenOf, parseXml, textOfChild, type XmlElement } from './xml.ts'

/**
 * Properties, managed versions and all profiles of the file count. What parents and imported lists of versions state is in
 * other files. Plugins belong to the build and not to the program, so they are no packages.
 */
export function parsePom(text: string): Inventory {
  const root = parseXml(text)
  if (root.name !== 'project') throw new FormatError('its root element is not <project>', root.line)
  const found = new InventoryBuilder()
  const project = new Scope(root)
  const profiles = itemsOf(root, 'profiles', 'profile').map((profile) => new Scope(profile, project))
  for (const profile of profiles) {
    for (const name of [...profile.properties.keys(), ...profile.managed.keys()]) project.inProfiles.add(name)
  }
  const parent = childOf(root, 'parent')
  if (parent) {
    const names = ['groupId', 'artifactId', 'version'].map((name) => textOfChild(parent, name) ?? '?')
    found.skip(names.join(':'), 'not-followed', parent.line)
  }
  for (const scope of [project, ...profiles]) {
    for (const { text: module, line } of itemsOf(scope.element, 'modules', 'module')) {
      found.skip(module, 'not-followed', line)
    }
    for (const dependency of dependenciesOf(scope.element)) addDependency(found, dependency, scope)
  }
  const lists = [project, ...profiles].map(({ element }) => element)
  const list = lists.map((one) => childOf(one, 'dependencies') ?? childOf(one, 'dependencyManagement')).find(Boolean)
  if (list) found.skip('transitive dependencies', 'transitive', list.line)
  return found
}

function addDependency(found: InventoryBuilder, dependency: XmlElement, scope: Scope): void {
  const { line } = dependency
  const [group, artifact] = [textOfChild(dependency, 'groupId'), textOfChild(dependency, 'artifactId')]
  if (group === null || artifact === null) {
    found.skip(artifact ?? group ?? 'a dependency without a name', 'malformed', line)
    return
  }
  const key = keyOf(dependency, scope)
  const managed = scope.managedOf(key)
  const name = scope.resolved(`${group}:${artifact}`)
  const stated = textOfChild(dependency, 'version') ?? (managed && textOfChild(managed, 'version'))
  const version = stated === null ? null : scope.resolved(stated)
  const full = [`${group}:${artifact}`, ...(stated === null ? [] : [stated])].join(':')
  if (name === null || (stated !== null && version === null)) found.skip(full, 'variable', line)
  else if (version === null) found.skip(name, scope.hasOtherLists ? 'managed' : 'no-version', line)
  else {
    const pin = /^\[\s*([^\s[\](),]+)\s*\]$/.exec(version)?.[1] ?? version
    const dev = (textOfChild(dependency, 'scope') ?? (managed && textOfChild(managed, 'scope'))) === 'test'
    if (/[[\](),\s]|^(?:LATEST|RELEASE)$/.test(pin)) found.skip(`${name}:${version}`, 'not-pinned', line)
    else found.add('Maven', name, pin, { line, dev })
  }
  // The file states another version for builds with a profile.
  const byProfile = [stated ?? '', `${group}:${artifact}`].some((text) => scope.variesByProfile(text))
  if (byProfile || (textOfChild(dependency, 'version') === null && scope.inProfiles.has(key))) {
    found.skip(full, 'variable', line)
  }
}

/** Names of properties in a text. */
const PROPERTY = /\$\{([^{}]*)\}/g

/** Longer values are no versions. */
const MAX_VALUE = 1000
/** Properties in properties. */
const MAX_DEPTH = 20

/** The project, or a profile of it, with what its dependencies refer to. */
class Scope {
  readonly element: XmlElement
  readonly #project: Scope | null
  readonly properties: ReadonlyMap<string, string>
  /** By `keyOf`. */
  readonly managed: ReadonlyMap<string, XmlElement>
  /** Properties and keys of managed versions that a profile states. Of a profile, none: its own decide. */
  readonly inProfiles = new Set<string>()
  /** Whether a parent or an imported list can state versions. */
  readonly hasOtherLists: boolean
  /** Null for one that cannot be resolved, or refers to itself. */
  readonly #values = new Map<string, string | null>()
  readonly #uses: { count: number }

  constructor(element: XmlElement, project: Scope | null = null) {
    this.element = element
    this.#project = project
    this.#uses = project === null ? { count: 0 } : project.#uses
    const stated = childrenOf(element, 'properties').flatMap(({ children }) => children)
    const properties = stated.map(({ name, text }) => [name, text] as const)
    this.properties = new Map(project === null ? ownProperties(element, properties) : properties)
    const lists = childrenOf(element, 'dependencyManagement').flatMap(dependenciesOf)
    this.managed = new Map(lists.map((managed) => [keyOf(managed, this), managed]))
    this.hasOtherLists =
      childOf(element, 'parent') !== null ||
      lists.some((managed) => textOfChild(managed, 'scope') === 'import') ||
      (project?.hasOtherLists ?? false)
  }

  managedOf(key: string): XmlElement | null {
    return this.managed.get(key) ?? this.#project?.managedOf(key) ?? null
  }

  /** Returns the text with the values of its properties; null if one is unknown. */
  resolved(text: string, depth = 0): string | null {
    if (!text.includes('${')) return text
    if (text.length > MAX_VALUE || depth > MAX_DEPTH) return null
    let isKnown = true
    const result = text.replace(PROPERTY, (_, name: string) => {
      const value = this.#valueOf(name.trim(), depth)
      isKnown &&= value !== null
      return value ?? ''
    })
    return isKnown && result.length <= MAX_VALUE ? result : null
  }

  #valueOf(name: string, depth: number): string | null {
    assertCount(++this.#uses.count, MAX_PROPERTY_USES, 'uses of properties')
    const known = this.#values.get(name)
    if (known !== undefined) return known
    this.#values.set(name, null)
    const stated = this.properties.get(name) ?? this.#project?.properties.get(name)
    const value = stated === undefined ? null : this.resolved(stated, depth + 1)
    this.#values.set(name, value)
    return value
  }

  variesByProfile(text: string): boolean {
    return (
      this.inProfiles.size > 0 && Array.from(text.matchAll(PROPERTY)).some(([, name]) => this.inProfiles.has(name!))
    )
  }
}

/** Those of the model, with and without their prefixes (Maven, "Model Builder", interpolation). */
function ownProperties(
  project: XmlElement,
  stated: readonly (readonly [string, string])[],
): (readonly [string, string])[] {
  const parent = childOf(project, 'parent')
  const model: [string, string][] = ['groupId', 'artifactId', 'version'].flatMap((name) => {
    const inParent = parent && textOfChild(parent, name)
    const own = textOfChild(project, name) ?? (name === 'artifactId' ? null : inParent)
    const values: [string, string | null][] = [
      [name, own],
      [`parent.${name}`, inParent],
    ]
    return values.flatMap(([key, value]): [string, string][] => (value === null ? [] : [[key, value]]))
  })
  const prefixed = ['project', 'pom'].flatMap((prefix) =>
    model.map(([name, value]) => [`${prefix}.${name}`, value] as const),
  )
  return [...model, ...stated, ...prefixed]
}

/** Maven manages the versions of a package by these four. */
function keyOf(dependency: XmlElement, scope: Scope): string {
  const parts = ['groupId', 'artifactId', 'type', 'classifier'].map((name) => {
    const text = textOfChild(dependency, name) ?? (name === 'type' ? 'jar' : '')
    return scope.resolved(text) ?? text
  })
  return parts.join(':')
}

const dependenciesOf = (element: XmlElement): XmlElement[] => itemsOf(element, 'dependencies', 'dependency')

const itemsOf = (element: XmlElement, list: string, item: string): XmlElement[] =>
  childrenOf(element, list).flatMap((one) => childrenOf(one, item))
