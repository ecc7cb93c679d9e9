/** The files of `gateway/deploy/`, and the parts of them that configure a command. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { root } from '../docs/markdown.ts'

export const DEPLOY = join(root, 'gateway/deploy')

/** Returns the text of a file in `gateway/deploy/`. */
export const read = (name: string): string => readFileSync(join(DEPLOY, name), 'utf8')

/** Returns the paths of all files, relative to `gateway/deploy/`. */
export const deployFiles = (): string[] =>
  readdirSync(DEPLOY, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(DEPLOY.length + 1))
    .map((path) => path.split(sep).join('/'))
    .sort()

/** A text that sets options and variables of one command. */
export interface Section {
  name: string
  command: 'serve' | 'nightly' | 'check'
  text: string
}

/** Returns the block of a service in compose.yaml. */
function composeService(name: string): string {
  const block = new RegExp(`^ {2}${name}:\\n(?: {4}.*\\n|\\n)+`, 'm').exec(read('compose.yaml'))
  if (!block) throw new Error(`compose.yaml has no service ${name}`)
  return block[0]
}

/** Returns the documents of kubernetes.yaml by kind and name. */
export function kubernetesObjects(): Map<string, string> {
  const objects = read('kubernetes.yaml').split(/^---$/m)
  return new Map(
    objects.map((text) => {
      const [, kind] = /^kind: (\w+)$/m.exec(text)!
      const [, name] = /^ {2}name: ([\w-]+)$/m.exec(text)!
      return [`${kind} ${name}`, text]
    }),
  )
}

export function sections(): Section[] {
  const objects = kubernetesObjects()
  const units = ['vulnshelf-gateway.service', 'gateway.env', 'vulnshelf-nightly.service', 'nightly.env']
  return [
    ...units.map((name) => ({
      name: `systemd/${name}`,
      command: name.includes('gateway') ? ('serve' as const) : ('nightly' as const),
      text: read(`systemd/${name}`),
    })),
    {
      name: 'Dockerfile',
      command: 'serve',
      text: read('Dockerfile')
        .match(/^(?:ENV|CMD)(?:.*\\\n)*.*$/gm)!
        .join('\n'),
    },
    ...['ci/github/action.yml', 'ci/gitlab.yml'].map((name) => ({ name, command: 'check' as const, text: read(name) })),
    { name: 'compose.yaml: gateway', command: 'serve', text: composeService('gateway') },
    { name: 'compose.yaml: nightly', command: 'nightly', text: composeService('nightly') },
    { name: 'kubernetes.yaml: CronJob', command: 'nightly', text: objects.get('CronJob vulnshelf-nightly')! },
    { name: 'kubernetes.yaml: Deployment', command: 'serve', text: objects.get('Deployment vulnshelf-gateway')! },
  ]
}

/** Returns the long options in a text. */
export const optionsIn = (text: string): string[] =>
  Array.from(text.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g), ([, name]) => name!)

/** Returns the names of environment variables that a text sets or mentions. */
export const variablesIn = (text: string): string[] =>
  Array.from(text.matchAll(/\b(VULNSHELF_[A-Z_]+|REDIS_URL|AWS_[A-Z_]+|GITHUB_TOKEN)\b/g), ([name]) => name!)

/** Returns the variables of an environment file as systemd sets them. */
export function environmentFile(name: string): Record<string, string> {
  const lines = read(name).matchAll(/^([A-Z_]+)=(.*)$/gm)
  return Object.fromEntries(Array.from(lines, ([, key, value]) => [key!, value!]))
}

/** Returns the words of `ExecStart` of a unit, without the path of the program. */
export function execStart(name: string): { program: string; words: string[] } {
  const [path = '', ...words] = /^ExecStart=(.*)$/m.exec(read(name))![1]!.split(' ')
  return { program: path.split('/').at(-1)!, words }
}

/** Returns the queries of alerts.yml and dashboard.json by the title of their alert or panel. */
export function queries(): Map<string, string> {
  const alerts = read('prometheus/alerts.yml')
    .split(/^ {6}- alert: /m)
    .slice(1)
    .map((text) => {
      const [title] = text.split('\n')
      const [, inline, block] = /^ {8}expr: (?:\|\n((?: {10}.*\n)+)|(.*)\n)/m.exec(text)!
      return [title!, (inline ?? block)!.replace(/\s+/g, ' ').trim()] as const
    })
  const { panels, annotations } = JSON.parse(read('grafana/dashboard.json')) as {
    panels: { title: string; targets?: { expr: string; refId: string }[] }[]
    annotations: { list: { name: string; expr: string }[] }
  }
  return new Map([
    ...alerts,
    ...panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr, refId }) => [`${title} ${refId}`, expr] as const),
    ),
    ...annotations.list.map(({ name, expr }) => [name, expr] as const),
  ])
}
