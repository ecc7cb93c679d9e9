/** promtool checks the alerts, their tests, and the queries of the dashboard. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { temporaryFolder } from '../support/dist.ts'
import { needs } from '../support/needs.ts'
import { DEPLOY, queries } from './files.ts'

needs('promtool')

const folder = temporaryFolder('prometheus')

function promtool(...words: string[]): string {
  const { status, stdout, stderr } = spawnSync('promtool', words, { encoding: 'utf8' })
  assert.is(status, 0, `${stdout}${stderr}`)
  return stdout
}

test('promtool check rules accepts the alerts', () => {
  assert.match(promtool('check', 'rules', join(DEPLOY, 'prometheus/alerts.yml')), /SUCCESS: \d\d rules found/)
})

test('promtool test rules passes the tests of the alerts', () => {
  assert.match(promtool('test', 'rules', join(DEPLOY, 'prometheus/alerts.test.yml')), /SUCCESS/)
})

test('every query of the dashboard is valid', () => {
  const rules = [...queries().values()].map((query, i) => ({
    record: `query_${i}`,
    expr: query.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
  }))
  const file = join(folder.path, 'queries.yml')
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'queries', rules }] }))
  assert.match(promtool('check', 'rules', file), new RegExp(`SUCCESS: ${rules.length} rules found`))
})

test.after(() => folder.remove())
test.run()
