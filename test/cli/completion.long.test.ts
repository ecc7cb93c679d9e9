/** Each shell completes the real commands, options, choices and paths with the script that `completion` prints. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { temporaryFolder } from '../support/dist.ts'
import { suiteNeeding } from '../support/needs.ts'
import { done, failed, type Program, run } from './command.ts'

const folder = temporaryFolder('completion')
const work = join(folder.path, 'work')
for (const name of ['feeds', 'dist']) mkdirSync(join(work, name), { recursive: true })
for (const name of ['corpus.db', 'my file']) writeFileSync(join(work, name), '')
const matches = join(folder.path, 'matches')

/** The words that are completed at the end of a line, each once and sorted. */
type Complete = (script: string, line: string) => string[]

const BASH = `source "$1"
read -ra COMP_WORDS <<< "\${2//=/ = }"
[[ $2 == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
"_\${COMP_WORDS[0]//-/_}"
printf '%s\\n' "\${COMPREPLY[@]}"`

const sorted = (lines: string) => [...new Set(lines.split('\n').filter(Boolean))].sort()
const output = (file: string, args: readonly string[]) => execFileSync(file, args, { cwd: work, encoding: 'utf8' })

const SHELLS: Readonly<Record<'bash' | 'zsh' | 'fish', Complete>> = {
  bash: (script, line) => sorted(output('bash', ['--norc', '-c', BASH, 'bash', script, line])),
  zsh: (script, line) => {
    rmSync(matches, { force: true })
    output('zsh', ['-f', join(import.meta.dirname, 'zsh-matches.zsh'), script, matches, line])
    return sorted(readFileSync(matches, 'utf8')).filter((word) => word !== 'ready' && word !== 'end')
  },
  fish: (script, line) =>
    sorted(
      output('fish', ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', script, line])
        .split('\n')
        .map((one) =>
          one
            .split('\t')[0]!
            .replace(/^--[a-z-]+=/, '')
            .replace(/\/$/, ''),
        )
        .join('\n'),
    ),
}

/** Returns what the help of the program lists, without hidden commands. */
const commandsOf = async (program: Program) =>
  Array.from(done(await run(program, ['--help'])).matchAll(/^ {2}([a-z]+) (?=[[<]| )/gm), ([, name]) => name!).sort()

for (const [shell, complete] of Object.entries(SHELLS) as [keyof typeof SHELLS, Complete][]) {
  const shellTest = suiteNeeding(shell, shell)
  const scripts = {} as Record<Program, string>

  shellTest.before(async () => {
    for (const program of ['vulnshelf', 'vulnshelf-gateway'] as const) {
      scripts[program] = join(folder.path, `${program}.${shell}`)
      writeFileSync(scripts[program], done(await run(program, ['completion', shell])))
    }
  })

  shellTest('completes the commands that the help lists', async () => {
    for (const program of ['vulnshelf', 'vulnshelf-gateway'] as const) {
      const names = complete(scripts[program], `${program} `).filter((word) => !word.startsWith('-'))
      assert.equal(names, await commandsOf(program))
      assert.equal(complete(scripts[program], `${program} he`), ['help'])
    }
  })

  const builder = (line: string) => complete(scripts.vulnshelf, `vulnshelf ${line}`)
  const gateway = (line: string) => complete(scripts['vulnshelf-gateway'], `vulnshelf-gateway ${line}`)

  shellTest('completes options of the command only', () => {
    assert.equal(builder('ingest --acc'), ['--accept-older', '--accept-shrink'])
    assert.equal(builder('build --acc'), [])
    assert.equal(builder('ingest --verbose --mi'), ['--mission'])
    assert.equal(gateway('serve --rate'), ['--rate-limit', '--rate-window-seconds'])
    assert.equal(gateway('serve --no-p'), ['--no-preview'])
  })

  shellTest('completes the choices of an option and of an argument', () => {
    assert.equal(builder('ingest --mission '), ['high', 'low', 'medium'])
    assert.equal(builder('ingest --mission=h'), ['high'])
    assert.equal(builder('key --alg '), ['ES256', 'EdDSA'])
    assert.equal(builder('completion '), ['bash', 'fish', 'zsh'])
    assert.equal(builder('help ing'), ['ingest'])
  })

  shellTest('completes files for files and folders for folders', () => {
    assert.equal(builder('ingest '), ['dist', 'feeds'])
    assert.equal(builder('ingest feeds --corpus c'), ['corpus.db'])
    assert.equal(builder('build --out d'), ['dist'])
    assert.equal(gateway('serve dist --access-policy c'), ['corpus.db'])
    assert.equal(gateway('mirror c'), ['corpus.db'])
  })

  shellTest('completes nothing for a value that is free', () => {
    for (const line of ['ingest --floor ', 'ingest --as-of ', 'fetch --only ']) assert.equal(builder(line), [], line)
    assert.equal(gateway('serve --port '), [])
  })

  shellTest.run()
}

const bashTest = suiteNeeding('bash', 'bash')
bashTest('completes a name with a blank as one word', () => {
  const script = join(folder.path, 'vulnshelf.bash')
  assert.equal(SHELLS.bash(script, 'vulnshelf ingest feeds --corpus my'), ['my file'])
})
bashTest.run()

test('completion needs one of the three shells', async () => {
  const none = failed(await run('vulnshelf', ['completion']), 2)
  assert.match(none, /^missing required argument 'shell'/)
  const other = failed(await run('vulnshelf-gateway', ['completion', 'tcsh']), 2)
  assert.match(other, /'tcsh' is invalid for argument 'shell'\. Allowed choices are bash, zsh, fish \(see --help\)$/)
})

test.after(() => folder.remove())

test.run()
