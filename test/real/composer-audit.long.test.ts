/**
 * Debian's Composer, unmodified, audits a lock file against real advisories. Its findings must be those of a second
 * implementation (`audit-findings.py`).
 */
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { endAll } from '../cli/command.ts'
import { COMPOSER_API } from '../support/compat.ts'
import { composerAudit, type LockedPackage, writeComposerProject } from '../support/composer-client.ts'
import { temporaryFolder } from '../support/dist.ts'
import { needs, REAL_PACKAGES } from '../support/needs.ts'
import { realPackages } from '../support/samples.ts'
import { type Serving, serving } from '../support/serving.ts'
import { findingsOf } from './second-implementation.ts'

needs('real feeds', 'real advisories of packages', "python3's packaging", 'Composer')

/** Each is affected by at least one advisory of the export: releases, pre-releases, patches and branches. */
const VULNERABLE: LockedPackage[] = [
  ['composer/composer', '2.1.8'],
  ['concrete5/concrete5', '8.5.4'],
  ['contao/core-bundle', '4.9.0'],
  ['craftcms/cms', '3.7.5'],
  ['dompdf/dompdf', 'v1.2.0'],
  ['drupal/core', '9.3.0-rc1'],
  ['enshrined/svg-sanitize', '0.14.1'],
  ['ezyang/htmlpurifier', 'v4.0.0'],
  ['guzzlehttp/guzzle', '7.4.2'],
  ['guzzlehttp/psr7', '2.1.0'],
  ['laravel/framework', 'v6.18.0'],
  ['magento/community-edition', '2.4.5-p1'],
  ['moodle/moodle', 'v4.1.0-beta'],
  ['phpmailer/phpmailer', 'v6.4.0'],
  ['phpoffice/phpspreadsheet', '1.29.0'],
  ['phpseclib/phpseclib', '3.0.18'],
  ['pimcore/pimcore', 'v10.5.x-dev'],
  ['silverstripe/framework', '4.3.0-rc1'],
  ['smarty/smarty', 'v3.1.39'],
  ['symfony/http-kernel', 'v4.4.0-BETA1'],
  ['symfony/symfony', '4.3.x-dev'],
  ['twig/twig', 'v2.12.0'],
  ['typo3/cms-core', 'v11.5.0'],
]

/** Fixed versions, branches, and packages without an advisory. */
const OTHERS: LockedPackage[] = [
  ['doctrine/orm', 'dev-main'],
  ['lcobucci/jwt', '5.3.0'],
  ['league/commonmark', '99.0.0'],
  ['monolog/monolog', '3.7.0'],
  ['nesbot/carbon', '2.72.5'],
  ['pear/archive_tar', 'dev-master'],
  ['psr/log', '3.0.0'],
  ['phpunit/phpunit', '10.5.0'],
]

const EXPORT = 'osv/Packagist/all.zip'

const folder = temporaryFolder('composer-audit')
const dist = await realPackages()
const vulnerable = writeComposerProject(join(folder.path, 'vulnerable'), [...OTHERS, ...VULNERABLE])
const fine = writeComposerProject(join(folder.path, 'fine'), OTHERS)
let expected: [vulnerable: string[], fine: string[]]
let gateway: Serving

const serve = (...words: string[]) =>
  serving(folder.path, dist, ['--compat', 'composer', '--compat-port', '0', ...words])

/** Returns the expected findings of each project, sorted. */
async function expectedFindings(): Promise<[string[], string[]]> {
  const locks = [vulnerable, fine].map((project) => join(project, 'composer.lock'))
  const projects = await findingsOf([join(REAL_PACKAGES, EXPORT)], locks)
  const [first, second] = projects.map(({ findings }) =>
    findings.map(([name, , advisory]) => `${name} ${advisory}`).sort(),
  )
  return [first!, second!]
}

test('the snapshot of the feeds is served', async () => {
  expected = await expectedFindings()
  gateway = await serve()
})

test('composer audit finds what each record says of its lock file, and exits with the number of packages', async () => {
  const names = new Set(expected[0].map((one) => one.split(' ')[0]))
  assert.equal(
    VULNERABLE.map(([name]) => name).filter((name) => !names.has(name)),
    [],
    'packages without a finding',
  )
  const start = performance.now()
  const { code, findings, output } = await composerAudit(vulnerable, gateway.compatUrl, gateway.token)
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  assert.equal(findings, expected[0], output)
  assert.is(code, names.size)
  const packages = VULNERABLE.length + OTHERS.length
  console.log(`# composer: ${packages} packages, ${names.size} vulnerable, ${findings.length} findings, ${seconds} s`)
})

test('composer audit exits with 0 for a project without vulnerable packages', async () => {
  assert.equal(expected[1], [])
  const { code, findings, output } = await composerAudit(fine, gateway.compatUrl, gateway.token)
  assert.is(code, 0, output)
  assert.equal(findings, [])
})

test('composer audit shows the error of the gateway for a wrong or missing token', async () => {
  const wrong = await composerAudit(vulnerable, gateway.compatUrl, 'a.b.c')
  assert.match(wrong.output, 'the token is malformed')
  const missing = await composerAudit(vulnerable, gateway.compatUrl, null)
  assert.match(missing.output, 'In auth.json: {"bearer"')
  for (const { code, findings } of [wrong, missing]) {
    assert.is.not(code, 0)
    assert.equal(findings, [])
  }
})

test('composer audit needs no token with --compat-auth none', async () => {
  const open = await serve('--compat-auth', 'none')
  try {
    const { findings, output } = await composerAudit(vulnerable, open.compatUrl, null)
    assert.equal(findings, expected[0], output)
  } finally {
    await open.stop()
  }
})

test('composer audit shows the bound that a request exceeds', async () => {
  const strict = await serve('--rate-limit', '1')
  try {
    const { code, output } = await composerAudit(vulnerable, strict.compatUrl, strict.token)
    assert.is.not(code, 0)
    assert.match(output, 'has used its request quota; retry in')
  } finally {
    await strict.stop()
  }
})

test('the gateway has logged no error, and ends with 0', async () => {
  const { code, log } = await gateway.stop()
  assert.is(code, 0)
  assert.equal(
    log.filter(({ level }) => Number(level) >= 50),
    [],
  )
  assert.ok(log.some(({ path, status, method }) => path === COMPOSER_API && status === 200 && method === 'POST'))
})

test.after(() => {
  gateway?.process.kill('SIGKILL')
  endAll()
  folder.remove()
})

test.run()
