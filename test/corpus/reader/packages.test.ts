/** Packages and advisories: the answers of the gateway, from each kind of repository, with few requests over HTTP. */
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { AffectedRow } from '../../../corpus/model/packages/affected-row.ts'
import { packageKey } from '../../../corpus/model/packages/name.ts'
import { openReader, type PackageQuestion } from '../../../corpus/reader/reader.ts'
import { blockSpan, locateTable, type TableHeader } from '../../../corpus/snapshot/codec/table.ts'
import { hashBlock } from '../../../corpus/snapshot/derive/hashed-table.ts'
import { fileOf, pointerPath, readCurrent, readObject } from '../../../corpus/snapshot/files/layout.ts'
import { makeKeyPair, readSigningKey, signPointer } from '../../../corpus/snapshot/files/signature.ts'
import { keyHash } from '../../../corpus/snapshot/record/hashed-shard.ts'
import { askDirectly, walk } from '../../support/ask.ts'
import { writeWholeBundle } from '../../support/bundle.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { advisoryIds, packageQuestions, randomPurls } from '../../support/package-questions.ts'
import { failed } from '../../support/refusal.ts'
import { sharedSample } from '../../support/samples.ts'
import { serveFolder } from '../../support/web-folder.ts'
import { gatewayAnswers } from './gateway-answers.ts'

const folder = temporaryFolder('reader-packages')
const { dist } = await sharedSample('usual')
const { pointer, manifest } = readCurrent(dist)
const asked = askDirectly(dist)
const local = await openReader(dist)
const web = await serveFolder(dist)
const questions = packageQuestions(dist)
const { compare, compareWalks } = gatewayAnswers(asked)

const targetOf = (question: PackageQuestion): string => {
  const given = typeof question === 'string' ? { purl: question } : question
  const query = Object.entries(given).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [`${name}=${encodeURIComponent(value)}`],
  )
  return `/affected?${query.join('&')}`
}

/** Returns all rows of the gateway, or null where it refuses the question. */
async function rowsOfGateway(question: PackageQuestion): Promise<AffectedRow[] | null> {
  const [path, query] = targetOf(question).split('?') as [string, string]
  try {
    return await walk<AffectedRow>(async (page) => (await asked.ask(path, `${query}&${page}`)).text)
  } catch (error) {
    if ((error as { code?: string }).code === 'invalid_parameter') return null
    throw error
  }
}

test('for every package and version, the rows of the gateway in its order', async () => {
  let rows = 0
  for (const question of questions) {
    const expected = await rowsOfGateway(question)
    assert.is(JSON.stringify(await local.affected(question)), JSON.stringify(expected), JSON.stringify(question))
    rows += expected!.length
  }
  for (const question of questions.filter((_, i) => i % 3 === 0)) {
    const { rows } = await compareWalks(local, `${targetOf(question)}&limit=2`)
    assert.equal(rows, await local.affected(question))
  }
  assert.ok(questions.length > 300 && rows > 300, `${questions.length} questions, ${rows} rows`)
})

test('the ecosystems are those of the packages', async () => {
  const rows = await asked.all<{ ecosystem: string }>('/packages')
  assert.equal(local.ecosystems, [...new Set(rows.map(({ ecosystem }) => ecosystem))].sort())
})

test('for random purls, the rows of the gateway, or an error where it refuses them', async () => {
  let refused = 0
  for (const purl of randomPurls(dist, 300)) {
    const expected = await rowsOfGateway(purl)
    if (expected) assert.equal(await local.affected(purl), expected, purl)
    else {
      refused++
      const error = await failed(local.affected(purl))
      assert.ok(error instanceof TypeError && error.message.includes(purl.slice(0, 30)), `${purl}: ${error?.message}`)
    }
    await compare(local, targetOf(purl))
  }
  assert.ok(refused > 10 && refused < 200, `${refused}`)
})

test('advisories are the records of the gateway, by their ids in any case', async () => {
  const ids = advisoryIds(dist)
  assert.ok(ids.length > 50)
  for (const id of ids) {
    const { text } = await asked.ask(`/advisories/${id}`, '')
    assert.is(JSON.stringify(await local.advisory(id)), text)
    await compare(local, `/advisories/${id}`)
    assert.is((await local.advisory(id.toLowerCase()))?.id, id)
  }
  assert.is(await local.advisory('GHSA-0000-0000-0000'), null)
  await compare(local, '/advisories/GHSA-0000-0000-0000')
})

test('a URL, a bundle and verified files give the same', async () => {
  const { privateKey, publicKey } = await makeKeyPair('EdDSA')
  const signed = join(folder.path, 'signed')
  cpSync(dist, signed, { recursive: true })
  const expires_at = new Date(Date.now() + 3_600_000).toISOString()
  const key = await readSigningKey(JSON.stringify(privateKey), 'key')
  writeFileSync(pointerPath(signed), await signPointer({ ...pointer, expires_at }, [key]))
  const server = await serveFolder(signed)
  const bundle = join(folder.path, 'night.tar')
  writeWholeBundle(dist, bundle)
  const some = questions.filter((_, i) => i % 7 === 0)
  const open = [
    openReader(web.url),
    openReader(bundle),
    openReader(signed, { keys: [publicKey] }),
    openReader(server.url, { keys: [publicKey] }),
  ]
  for (const reader of await Promise.all(open)) {
    assert.equal(reader.ecosystems, local.ecosystems)
    for (const question of some) assert.equal(await reader.affected(question), await local.affected(question))
    for (const id of advisoryIds(dist).slice(0, 20)) assert.equal(await reader.advisory(id), await local.advisory(id))
    await reader.close()
  }
  await server.close()
})

test('the requests of a question are few: the tables once, then a member and what its CVEs need', async () => {
  const reader = await openReader(web.url)
  const requestsOf = async (question: PackageQuestion) => {
    const [before, sent] = [web.asked.length, web.sent()]
    const rows = await reader.affected(question)
    return { rows, requests: web.asked.length - before, bytes: web.sent() - sent }
  }
  const affected = questions.filter((question) => 'name' in question && question.version === undefined)
  const first = await requestsOf(affected[0]!)
  console.log(`# the first package: ${first.requests} requests, ${first.bytes} bytes`)
  // The index, the member, three for aliases; headers and parts of rows and index; the CVEs.
  const most = (rows: readonly AffectedRow[]) => rows.flatMap(({ cve_ids }) => cve_ids).length
  assert.ok(first.requests <= 9 + most(first.rows), `${first.requests}`)
  let [requests, bytes] = [0, 0]
  for (const question of affected.slice(1)) {
    const next = await requestsOf(question)
    assert.ok(
      next.requests <= (next.rows.length === 0 ? 1 : 3) + 3 * most(next.rows),
      `${next.requests} for ${JSON.stringify(question)}`,
    )
    requests += next.requests
    bytes += next.bytes
  }
  const count = affected.length - 1
  console.log(
    `# ${count} more packages: ${(requests / count).toFixed(1)} requests, ${Math.round(bytes / count)} bytes each`,
  )
  assert.is((await requestsOf(affected[0]!)).requests, 0, 'the package and its CVEs are known')
  assert.is((await requestsOf('pkg:npm/no-such@1')).requests, 0)
  assert.is((await requestsOf('pkg:docker/library/no-such@1')).requests, 0)
  await reader.close()
})

test('a damaged index is refused', async () => {
  const index = fileOf(manifest, 'index', 'packages')
  const header = locateTable(readObject(dist, index)) as TableHeader
  const { ecosystem, name } = questions[0] as { ecosystem: string; name: string }
  const { at } = blockSpan(header, 'hashHigh', hashBlock(header, keyHash(packageKey(ecosystem, name))))
  const reader = await openReader(web.url)
  web.fault = ({ path }) => (path.endsWith(index.sha256) ? { kind: 'corrupt', at: at + 9 } : null)
  const error = await failed(reader.affected(questions[0]!))
  web.fault = () => null
  assert.is(error?.code, 'digest')
  await reader.close()
})

test('questions that name no package are errors', async () => {
  const cases: [question: unknown, message: RegExp][] = [
    [{}, /parameter 'purl' is required, or 'ecosystem' and 'name', or 'cpe'/],
    [{ ecosystem: 7, name: 'a' }, /option 'ecosystem' must be a string/],
    [{ ecosystem: 'npm' }, /option 'name' must be a string/],
    [{ ecosystem: 'nmp', name: 'a' }, /unknown value 'nmp' of parameter 'ecosystem'; did you mean 'npm'\?/],
    [{ purl: 'pkg:npm/a', name: 'a' }, /parameter 'name' cannot be combined with 'purl'/],
    [{ ecosystem: 'npm', name: 'a', version: 1 }, /option 'version' must be a string/],
    [{ ecosystem: 'npm', name: 'a', source: '' }, /option 'source' must be a string/],
    [{ ecosystem: 'npm', name: 'a', package: 'b' }, /unknown option 'package'; known options are ecosystem, name/],
    [{ package: 'a' }, /unknown parameter 'package'/],
    [null, /options must be an object/],
  ]
  for (const [question, message] of cases) {
    const error = await failed(local.affected(question as PackageQuestion))
    assert.instance(error, TypeError)
    assert.match(error!.message, message)
  }
  assert.match(
    (await failed(local.affected('npm/a')))!.message,
    /parameter 'purl' is not a package URL such as pkg:.*'npm\/a'/,
  )
  assert.instance(await failed(local.advisory('')), TypeError)
})

test.after(async () => {
  await Promise.all([local.close(), asked.close(), web.close()])
  folder.remove()
})

test.run()
