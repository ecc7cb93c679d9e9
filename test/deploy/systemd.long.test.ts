/** The units of `gateway/deploy/systemd/` in systemd's own checks, and their commands with their settings. */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { makeToken } from '../../gateway/auth/token.ts'
import { done, endAll, gateway, type Program, vulnshelf } from '../cli/command.ts'
import { temporaryFolder } from '../support/dist.ts'
import { suiteNeeding } from '../support/needs.ts'
import { ownSample } from '../support/samples.ts'
import { DEPLOY, environmentFile, execStart, read } from './files.ts'

const UNITS = ['vulnshelf-gateway.service', 'vulnshelf-nightly.service', 'vulnshelf-nightly.timer']
const SERVICES = UNITS.filter((name) => name.endsWith('.service'))
/** An exposure from 0 (safe) to 10. */
const MOST_EXPOSED = 2
const folder = temporaryFolder('systemd')
const at = (name: string) => join(folder.path, name)

/** Runs a program to its end. Returns its exit code and its whole output. */
function output(program: string, ...words: string[]): { code: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync(program, words, {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  })
  return { code: status, text: `${stdout}${stderr}` }
}

/** Creates a file system with the units, the programs that they start, and the units of the system. */
function systemWith(units: Record<string, string>): string {
  const path = at('root')
  const systemd = '/lib/systemd/system'
  rmSync(path, { recursive: true, force: true })
  cpSync(systemd, join(path, systemd), { recursive: true, verbatimSymlinks: true })
  for (const [name, text] of Object.entries(units)) writeFileSync(join(path, systemd, name), text)
  for (const [program] of Object.values(units).flatMap((text) => [...text.matchAll(/(?<=^Exec\w+=-?)\/\S+/gm)])) {
    mkdirSync(dirname(join(path, program)), { recursive: true })
    writeFileSync(join(path, program), '#!/bin/sh\n')
    chmodSync(join(path, program), 0o755)
  }
  return path
}

const systemd = suiteNeeding('systemd', 'systemd')

systemd('systemd-analyze verify finds nothing in the units, and would find an unknown key', () => {
  const units = Object.fromEntries(UNITS.map((name) => [name, read(`systemd/${name}`)]))
  const verify = () => output('systemd-analyze', 'verify', '--man=no', `--root=${systemWith(units)}`, ...UNITS)
  assert.equal(verify(), { code: 0, text: '' })
  units[UNITS[0]!] = units[UNITS[0]!]!.replace('RestartSec=', 'RestartSecs=')
  assert.match(verify().text, /Unknown key 'RestartSecs'/)
})

systemd('the night can publish to the folder of nginx-mirror.conf, which is outside of its state', () => {
  const [, folderOfNginx] = /^ *root (\S+);$/m.exec(read('nginx-mirror.conf'))!
  assert.match(read('systemd/vulnshelf-nightly.service'), `\nReadWritePaths=-${folderOfNginx}\n`)
  assert.match(read('systemd/nightly.env'), `\n#VULNSHELF_PUBLISH=${folderOfNginx}\n`)
})

systemd('systemd-analyze verify accepts the drop-in of a gateway that follows another host', () => {
  const [, dropIn] = /```ini\n(\[Service\]\nStateDirectory=[^`]*)```/.exec(read('README.md'))!
  const unit = read('systemd/vulnshelf-gateway.service') + dropIn
  const root = systemWith({ 'vulnshelf-gateway.service': unit })
  const verify = output('systemd-analyze', 'verify', '--man=no', `--root=${root}`, 'vulnshelf-gateway.service')
  assert.equal(verify, { code: 0, text: '' })
})

for (const name of SERVICES) {
  systemd(`systemd-analyze security rates ${name} below ${MOST_EXPOSED}`, () => {
    const { code, text } = output('systemd-analyze', 'security', '--offline=true', join(DEPLOY, 'systemd', name))
    assert.is(code, 0, text)
    const exposure = /Overall exposure level for \S+: ([\d.]+)/.exec(text)?.[1]
    console.log(`# ${name}: exposure ${exposure}`)
    assert.ok(Number(exposure) < MOST_EXPOSED, text)
  })
}

systemd('the timer has a valid time, and sysusers.conf creates the user of the services', () => {
  const time = /^OnCalendar=(.*)$/m.exec(read('systemd/vulnshelf-nightly.timer'))![1]!
  const { code, text } = output('systemd-analyze', 'calendar', time)
  assert.is(code, 0, text)
  mkdirSync(at('users/etc'), { recursive: true })
  const created = output('systemd-sysusers', `--root=${at('users')}`, join(DEPLOY, 'systemd/sysusers.conf'))
  assert.is(created.code, 0, created.text)
  const users = readFileSync(at('users/etc/passwd'), 'utf8')
  for (const name of SERVICES) {
    const user = /^User=(.*)$/m.exec(read(`systemd/${name}`))![1]!
    assert.match(users, new RegExp(`^${user}:.*:/var/lib/vulnshelf:`, 'm'))
  }
})

systemd.run()

/** The settings of a service without those of another machine, and with paths below the temporary folder. */
const settings = (name: string, others: Record<string, string>) => ({
  ...environmentFile(`systemd/${name}`),
  ...others,
})

const PROGRAMS = { 'vulnshelf-gateway': gateway, vulnshelf } satisfies Record<Program, typeof gateway>

/** Runs `ExecStart` of a service with its settings, in a temporary folder in place of /var/lib/vulnshelf. */
async function runUnit(name: string, env: Record<string, string>, ...more: string[]) {
  const { program, words } = execStart(`systemd/${name}`)
  const here = words.map((word) => word.replace('/var/lib/vulnshelf', folder.path))
  return PROGRAMS[program as Program]([...here, ...more], { env })
}

test('the command of vulnshelf-nightly.service builds a snapshot with its settings', async () => {
  await ownSample('small', folder.path)
  done(await runUnit('vulnshelf-nightly.service', settings('nightly.env', {}), '--skip-fetch'))
  const report = JSON.parse(readFileSync(at('nightly.json'), 'utf8')) as object
  assert.ok(Object.keys(report).length > 0)
})

test('the command of vulnshelf-gateway.service accepts its settings', async () => {
  await ownSample('small', folder.path)
  const { jwksFile } = await makeToken({ dir: at('keys') })
  done(await runUnit('vulnshelf-gateway.service', settings('gateway.env', { VULNSHELF_JWKS: jwksFile }), '--check'))
})

test.after(() => {
  endAll()
  folder.remove()
})
test.run()
