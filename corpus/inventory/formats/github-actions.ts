/** Workflows of GitHub, and the metadata of an action: the actions, reusable workflows and container images that they use. */
import { isAlias, isMap, isScalar, visit } from 'yaml'
import { FormatError } from '../error.ts'
import { type Inventory, InventoryBuilder } from '../inventory.ts'
import { entriesOf, isEmpty, itemsOf, type Mapping, parseYamlDocuments, textOf, type YamlFile } from './yaml.ts'

/** Jobs of a workflow use a workflow, or have steps. Those of a composite action are in `runs`. */
export function parseGitHubActions(text: string): Inventory {
  const { documents, lineAt } = parseYamlDocuments(text)
  const root = documents[0]
  if (!root?.has('jobs') && !root?.has('runs')) throw new FormatError("it has neither 'jobs' nor 'runs'", 1)
  const uses = new Uses(root, lineAt)
  for (const { key, value, line } of entriesOf('jobs', uses.member(root, 'jobs'), lineAt)) {
    const job = uses.resolved(value)
    if (isEmpty(job)) continue
    if (!isMap(job)) throw new FormatError(`the job '${key}' is not a mapping`, line)
    uses.addJob(job as Mapping)
  }
  const runs = uses.member(root, 'runs')
  if (isMap(runs)) uses.addJob(runs as Mapping)
  else if (!isEmpty(runs)) throw new FormatError("'runs' is not a mapping", lineAt(runs))
  return uses.found
}

/** Collects what jobs use. Each node once: aliases can repeat one without end. */
class Uses {
  readonly found = new InventoryBuilder()
  readonly #anchors = new Map<string, unknown>()
  readonly #seen = new Set<unknown>()
  readonly #lineAt: YamlFile['lineAt']

  constructor(root: Mapping, lineAt: YamlFile['lineAt']) {
    this.#lineAt = lineAt
    visit(root, {
      Value: (_, node) => {
        if (node.anchor !== undefined) this.#anchors.set(node.anchor, node)
      },
    })
  }

  resolved(node: unknown): unknown {
    return isAlias(node) ? this.#anchors.get(node.source) : node
  }

  member(mapping: Mapping, key: string): unknown {
    return this.resolved(mapping.get(key, true))
  }

  addJob(job: Mapping): void {
    if (!this.#isFirst(job)) return
    this.#addAction(job)
    this.#addSteps(this.member(job, 'steps'))
    this.#addImage(this.member(job, 'container'))
    // That of an action which is an image.
    this.#addImage(this.member(job, 'image'))
    for (const { value } of entriesOf('services', this.member(job, 'services'), this.#lineAt)) {
      this.#addImage(this.resolved(value))
    }
  }

  #addSteps(steps: unknown): void {
    if (isEmpty(steps) || !this.#isFirst(steps)) return
    for (const item of itemsOf('steps', steps, this.#lineAt)) {
      const step = this.resolved(item)
      if (!isMap(step)) throw new FormatError("an entry in 'steps' is not a mapping", this.#lineAt(item))
      if (this.#isFirst(step)) this.#addAction(step as Mapping)
    }
  }

  #addAction(mapping: Mapping): void {
    const uses = this.member(mapping, 'uses')
    if (uses === undefined) return
    const line = this.#lineAt(uses ?? mapping)
    if (!isScalar(uses) || textOf(uses) === '') throw new FormatError("a 'uses' is not a text", line)
    addAction(this.found, textOf(uses), uses.comment ?? '', line)
  }

  #addImage(node: unknown): void {
    const image = isMap(node) ? this.member(node as Mapping, 'image') : node
    if (!isScalar(image) || isEmpty(image) || !this.#isFirst(image)) return
    const name = textOf(image).replace(/^docker:\/\//, '')
    this.found.skip(name, /(?:^|\/)Dockerfile$/.test(name) ? 'local' : 'image', this.#lineAt(image))
  }

  #isFirst(node: unknown): boolean {
    const isFirst = !this.#seen.has(node)
    this.#seen.add(node)
    return isFirst
  }
}

/** `owner/repository/folder@ref`. Advisories name the repository, and a matcher of advisories knows the folder. */
const ACTION = /^([\w.-]+\/[\w.-]+(?:\/[^@\s]+)?)(?:@(\S+))?$/
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i
/** What Dependabot and Renovate write behind a commit, and change with it: `v4.1.2`, formerly `tag=v4.1.2`. */
const VERSION_OF_COMMIT = /^(?:tag=|pin@)?(v?\d+(?:\.\d+)*(?:-[0-9A-Za-z.-]+)?)$/

function addAction(found: InventoryBuilder, uses: string, comment: string, line: number | null): void {
  const [, name, ref] = ACTION.exec(uses) ?? []
  if (uses.startsWith('docker://')) found.skip(uses.slice('docker://'.length), 'image', line)
  else if (/^\.{1,2}\//.test(uses)) found.skip(uses, 'local', line)
  else if (uses.includes('${{')) found.skip(uses, 'variable', line)
  else if (name === undefined) found.skip(uses, 'malformed', line)
  else if (ref === undefined || !COMMIT.test(ref)) found.add('GitHub Actions', name, ref, { line })
  else {
    const version = VERSION_OF_COMMIT.exec(comment.trim())?.[1]
    if (version === undefined) found.skip(uses, 'commit', line)
    else found.add('GitHub Actions', name, version, { line })
  }
}
