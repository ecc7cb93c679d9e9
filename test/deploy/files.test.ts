/** The files of `gateway/deploy/` use only options, variables, metrics and labels that exist. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { OUTPUTS } from '../../builder/check/outputs.ts'
import { AUTH_FAULTS } from '../../gateway/http/errors.ts'
import { LIMITS } from '../../gateway/metrics/meter.ts'
import { createMetrics } from '../../gateway/metrics/metrics.ts'
import { mergedMetrics } from '../../gateway/process/workers/metrics.ts'
import { done, type Program, run } from '../cli/command.ts'
import { readPage, root } from '../docs/markdown.ts'
import { DEPLOY, deployFiles, kubernetesObjects, optionsIn, queries, read, sections, variablesIn } from './files.ts'

/** Variables of libraries, and those that are no option. */
const OTHER_VARIABLES = {
  serve: ['REDIS_URL', 'AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
  nightly: ['GITHUB_TOKEN', 'AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
  check: [],
}
const PROGRAMS = { serve: 'vulnshelf-gateway', nightly: 'vulnshelf', check: 'vulnshelf' } as const satisfies Record<
  string,
  Program
>

/** Options and variables of a command, from its help. */
async function helpOf(program: Program, command: string) {
  const help = done(await run(program, [command, '--help']))
  return {
    options: [...new Set(Array.from(help.matchAll(/^ {2}(?:-\w, )?--([a-z-]+)/gm), ([, name]) => name!))],
    variables: Array.from(help.matchAll(/env:\s+(\w+)/g), ([, name]) => name!),
  }
}

const without = (names: readonly string[], known: readonly string[]) => names.filter((name) => !known.includes(name))

for (const command of ['serve', 'nightly', 'check'] as const) {
  test(`the help of ${command} shows every option and variable that its files use`, async () => {
    const { options, variables } = await helpOf(PROGRAMS[command], command)
    const unknown: string[] = []
    let seen = 0
    for (const { name, text } of sections().filter((one) => one.command === command)) {
      const [used, set] = [optionsIn(text), variablesIn(text)]
      seen += used.length + set.length
      const names = [...without(used, options), ...without(set, [...variables, ...OTHER_VARIABLES[command]])]
      unknown.push(...names.map((one) => `${name}: ${one}`))
    }
    assert.ok(seen > 8, `only ${seen} options and variables found: the patterns no longer fit the files`)
    assert.equal(unknown, [])
  })
}

test('every server of nginx has a name: the default site of a distribution takes requests without one', () => {
  const examples = join(root, 'test/examples')
  const files = [
    ...deployFiles().map((name) => join(DEPLOY, name)),
    ...readdirSync(examples, { encoding: 'utf8' }).map((name) => join(examples, name)),
  ]
  const configurations = files.filter((path) => /nginx[\w-]*\.conf$/.test(path))
  assert.ok(configurations.length >= 5, configurations.join())
  for (const path of configurations) {
    const text = readFileSync(path, 'utf8')
    const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0
    assert.is(count(/^ +server_name \w+\.example\.com;$/gm), count(/^server \{$/gm), path)
  }
})

test('every option in a comment of the proxies and in a text of the alerts is one of serve', async () => {
  const { options } = await helpOf('vulnshelf-gateway', 'serve')
  const used = ['nginx.conf', 'Caddyfile', 'prometheus/alerts.yml'].flatMap((name) => optionsIn(read(name)))
  assert.ok(used.length > 3)
  assert.equal(without(used, options), [])
})

interface ActionStep {
  run?: string
  if?: string
  env?: Record<string, string>
}

test('the templates for pipelines are YAML, and their reports have formats of check', () => {
  const action = parse(read('ci/github/action.yml')) as { inputs: object; runs: { using: string; steps: ActionStep[] } }
  assert.is(action.runs.using, 'composite')
  const used = JSON.stringify(action.runs).matchAll(/inputs\.([\w-]+)/g)
  assert.equal([...new Set(Array.from(used, ([, name]) => name))].sort(), Object.keys(action.inputs).sort())
  // A value that another person chose must not become a part of the script.
  assert.ok(action.runs.steps.every(({ run = '' }) => !run.includes('${{')))
  const { 'vulnshelf-check': job } = parse(read('ci/gitlab.yml')) as Record<
    string,
    { script: string[]; artifacts: { reports: { junit: string } } }
  >
  assert.ok(job!.script.some((line) => line.includes(`--output junit > ${job!.artifacts.reports.junit}`)))
  const files = ['ci/github/action.yml', 'ci/gitlab.yml'].map(read).join('\n')
  const outputs = Array.from(files.matchAll(/--output (\w+)/g), ([, name]) => name)
  assert.equal(outputs, ['sarif', 'markdown', 'github', 'junit', 'table'])
  assert.ok(outputs.every((name) => (OUTPUTS as readonly string[]).includes(name!)))
})

test('README.md links every file, and its commands name files that exist', () => {
  const { prose, fences } = readPage('gateway/deploy/README.md')
  const linked = Array.from(prose.matchAll(/\]\((?!\.\.|#)([^)#]+)\)/g), ([, path]) => path!)
  assert.equal(linked.sort(), without(deployFiles(), ['README.md']))
  const named = fences.flatMap(({ lines }) => lines.join('\n').match(/(?<=gateway\/deploy\/)[\w./-]+/g) ?? [])
  assert.ok(named.length > 5)
  const existing = deployFiles()
  assert.equal(
    named.filter((path) => path !== '.env' && !existing.some((file) => file.startsWith(path))),
    [],
  )
})

test('the commands of README.md use the options of their command', async () => {
  const lines = readPage('gateway/deploy/README.md').fences.flatMap((fence) => fence.lines)
  const ours = lines.flatMap((line) => /\bvulnshelf-gateway (serve .*)'$/.exec(line)?.[1] ?? [])
  assert.is(ours.length, 1)
  const { options } = await helpOf('vulnshelf-gateway', 'serve')
  assert.equal(without(optionsIn(ours[0]!), options), [])
})

test('every image and package has the version of package.json', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const used = deployFiles().flatMap((name) =>
    Array.from(read(name).matchAll(/\bvulnshelf[:@-](\d+\.\d+\.\d+)/g), ([, found]) => `${name} ${found}`),
  )
  assert.ok(used.length > 5)
  assert.equal(
    used.filter((one) => !one.endsWith(` ${version}`)),
    [],
  )
})

/** The names of all metrics, with workers and with Redis. */
async function exposedMetrics(): Promise<string[]> {
  const metrics = createMetrics({
    registry: () => ({ snapshot: 'a', createdAt: 0, feeds: new Map([['kev', 0]]), open: 1, swaps: 0, refusals: 0 }),
    queries: () => ({ waiting: 0, timeouts: 0, refusals: 0 }),
    limitsShared: () => true,
    connectionsRefused: () => 0,
    now: () => 0,
  })
  const figures = () => ({ listening: 1, restarts: 0, swaps: 0, refusals: 0 })
  const merged = mergedMetrics(async () => new Map(), figures, null)
  const text = `${await metrics.expose()}\n${await merged.expose()}`
  return Array.from(text.matchAll(/^# TYPE (\w+)/gm), ([, name]) => name!)
}

test('alerts and dashboard use metrics that the gateway exposes', async () => {
  const exposed = [...(await exposedMetrics()), 'up']
  const unknown: string[] = []
  const used = new Set<string>()
  for (const [title, query] of queries()) {
    const names = query.match(/\b(?:vulnshelf|process|nodejs)_\w+|\bup\b/g) ?? []
    assert.ok(names.length > 0, `${title}: no metric in ${query}`)
    for (const name of names.map((one) => one.replace(/_(?:bucket|count|sum)$/, ''))) {
      used.add(name)
      if (!exposed.includes(name)) unknown.push(`${title}: ${name}`)
    }
  }
  assert.equal(unknown, [])
  const ours = exposed.filter((name) => name.startsWith('vulnshelf_'))
  assert.equal(without(ours, [...used]), [], 'neither in an alert nor in the dashboard')
})

/** From the table of metrics in gateway/README.md, and those of Prometheus. */
function knownLabels(): string[] {
  const rows = readPage('gateway/README.md').prose.matchAll(/^\| `vulnshelf_\w+` \| (.*) \|$/gm)
  const labels = Array.from(rows, ([, cell]) => cell!.split(':')[0]!.match(/`(\w+)`/g) ?? []).flat()
  return [
    ...new Set(labels.map((label) => label.slice(1, -1)).filter((label) => label !== '--workers')),
    'instance',
    'job',
    'le',
  ]
}

test('alerts and dashboard use labels and label values that exist', () => {
  const labels = knownLabels()
  const values: Record<string, readonly string[]> = { fault: AUTH_FAULTS, limit: LIMITS }
  const unknown: string[] = []
  let seen = 0
  for (const [title, query] of queries()) {
    const grouped = Array.from(query.matchAll(/\bby \(([^)]+)\)/g), ([, list]) => list!.split(/, ?/)).flat()
    const matched = Array.from(
      query.matchAll(/(\w+)(=~?)"([^"]*)"/g),
      ([, label, , value]) => [label!, value!] as const,
    )
    const names = [...grouped, ...matched.map(([label]) => label)]
    seen += names.length
    unknown.push(...without(names, labels).map((name) => `${title}: ${name}`))
    for (const [label, value] of matched) {
      const known = values[label]
      if (known) unknown.push(...without(value.split('|'), known).map((one) => `${title}: ${label}=${one}`))
    }
  }
  assert.ok(seen > 30, `only ${seen} labels found: the patterns no longer fit the queries`)
  assert.equal(unknown, [])
})

test('alerts.test.yml tests that every alert is raised, and that it is not raised in a healthy night', () => {
  const alerts = Array.from(
    read('prometheus/alerts.yml').matchAll(/^ {6}- alert: (\w+)$/gm),
    ([, name]) => name!,
  ).sort()
  const [healthy = '', faulty = ''] = read('prometheus/alerts.test.yml')
    .split(/^ {2}- name: /m)
    .slice(1)
  const tested = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, name]) => name!).sort()
  assert.ok(alerts.length > 10)
  assert.equal(tested(healthy, /alertname: (\w+) }$/gm), alerts)
  assert.equal(tested(faulty, /alertname: (\w+)\n {8}exp_alerts:\n {10}- /g), alerts)
})

test('panels of the dashboard have an id of their own and do not overlap', () => {
  const { panels } = JSON.parse(read('grafana/dashboard.json')) as {
    panels: { id: number; title: string; gridPos: { x: number; y: number; w: number; h: number } }[]
  }
  assert.is(new Set(panels.map(({ id }) => id)).size, panels.length)
  const cells = new Set<string>()
  for (const { title, gridPos } of panels) {
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        assert.ok(x < 24 && !cells.has(`${x} ${y}`), `${title} overlaps another panel`)
        cells.add(`${x} ${y}`)
      }
    }
  }
})

test('pods do not get variables of Services, which would be options, and run without privileges', () => {
  const pods = [...kubernetesObjects()].filter(([, text]) => text.includes('containers:'))
  assert.is(pods.length, 2)
  for (const [name, text] of pods) {
    for (const line of [
      'enableServiceLinks: false',
      'automountServiceAccountToken: false',
      'runAsNonRoot: true',
      'seccompProfile: { type: RuntimeDefault }',
      'allowPrivilegeEscalation: false',
      'readOnlyRootFilesystem: true',
      'capabilities: { drop: [ALL] }',
    ]) {
      assert.ok(text.includes(line), `${name}: ${line}`)
    }
  }
})

test('services of compose.yaml run without privileges', () => {
  const text = readFileSync(join(DEPLOY, 'compose.yaml'), 'utf8')
  const services = text
    .split(/^services:$/m)[1]!
    .split(/^volumes:$/m)[0]!
    .match(/^ {2}\w+:$/gm)!
  assert.is(services.length, 3)
  assert.is(text.match(/^ {4}<<: \*service$/gm)!.length, services.length)
  const shared = /^x-service: &service\n(?: {2}.*\n)+/m.exec(text)![0]
  for (const line of ['read_only: true', 'cap_drop: [ALL]', 'security_opt: ["no-new-privileges:true"]']) {
    assert.ok(shared.includes(line), line)
  }
})

test.run()
