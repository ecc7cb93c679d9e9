/** `vulnshelf site`: the explorer beside snapshots, night after night, and the folders that it leaves alone. */
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { prune } from '../../../builder/prune.ts'
import { type SiteOptions, writeSite } from '../../../builder/site/site.ts'
import { noProgress } from '../../../corpus/command/progress.ts'
import type { Explorer } from '../../../corpus/explorer/explorer.ts'
import { openReader } from '../../../corpus/reader/reader.ts'
import { manifestDigests, objectPath, readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { verify } from '../../../corpus/snapshot/verify/verify.ts'
import type { NetworkEffects } from '../../../corpus/transfer/network.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'
import { openWorld } from '../../support/publisher.ts'
import { refusal } from '../../support/refusal.ts'
import { filesOf } from '../../support/repository-files.ts'
import { sampleNights } from '../../support/samples.ts'

const folder = temporaryFolder('site')
const test = suite('site')
const at = (name: string) => join(folder.path, name)
const { first, second, third } = await sampleNights()
const world = openWorld()
const { effects } = world
test.after(async () => {
  await world.close()
  folder.remove()
})

/** A version of the explorer: a script that loads a page. */
function version(name: string): Explorer {
  const files = new Map(
    Object.entries({
      [`assets/main-${name}.js`]: `import("./page-${name}.js")`,
      [`assets/page-${name}.js`]: 'export default 1',
      'assets/same-SAME.css': 'p { color: red }',
      'icon.svg': '<svg/>',
      'favicon.ico': 'icon',
      'robots.txt': 'User-agent: *\n',
      'LICENSES.txt': 'MIT',
    }).map(([path, text]) => [path, Buffer.from(text)]),
  )
  const page = `<meta name="vulnshelf-mode" content="static" /><link href="assets/same-SAME.css"><script src="assets/main-${name}.js">`
  return { files, page: () => Buffer.from(page) }
}
let count = 0
const newFolder = () => at(`site-${count++}`)
const run = (dist: string, out: string, name = 'A', more: Partial<SiteOptions> = {}, own: NetworkEffects = effects) =>
  writeSite({ dist, out, ...more }, own, noProgress, async () => version(name))
const assetsOf = (out: string) => readdirSync(join(out, 'assets')).filter((name) => !name.endsWith('.gz'))
const inode = (dist: string, digest: string) => statSync(objectPath(dist, digest)).ino

test('the folder is the repository, with all snapshots that changes can compare with, and the explorer', async () => {
  const out = newFolder()
  const report = await run(third, out)
  assert.equal([report.changed, report.snapshots, report.removed.files], [true, 3, 0])
  assert.equal(filesOf(out), filesOf(third))
  assert.equal((await verify(out)).faults, [])
  const reader = await openReader(out)
  assert.is(reader.snapshot.id, readCurrent(third).pointer.snapshot)
  await reader.close()
  const { files, page } = version('A')
  for (const [path, bytes] of [...files, ['index.html', page('static')] as const]) {
    assert.equal(readFileSync(join(out, path)), bytes)
    const zipped = join(out, `${path}.gz`)
    if (path === 'favicon.ico') assert.not.ok(existsSync(zipped))
    else assert.equal(gunzipSync(readFileSync(zipped)), bytes)
  }
})

test('files of the snapshot are hard links; copies on request, and where links are impossible', async () => {
  const { sha256 } = readCurrent(third).manifest.files[0]!
  const linked = newFolder()
  await run(third, linked)
  assert.is(inode(linked, sha256), inode(third, sha256))
  const copied = newFolder()
  await run(third, copied, 'A', { copy: true })
  assert.is.not(inode(copied, sha256), inode(third, sha256))
  let asked = 0
  const elsewhere = newFolder()
  await run(
    third,
    elsewhere,
    'A',
    {},
    {
      ...effects,
      link: async () => {
        asked++
        throw Object.assign(new Error('cross-device link'), { code: 'EXDEV' })
      },
    },
  )
  assert.ok(asked > 0 && asked <= 6, `${asked} links were tried`)
  assert.equal(filesOf(elsewhere), filesOf(third))
  assert.is.not(inode(elsewhere, sha256), inode(third, sha256))
})

test('a second run writes nothing', async () => {
  const out = newFolder()
  await run(third, out)
  const before = filesOf(out)
  const page = statSync(join(out, 'index.html')).mtimeMs
  const report = await run(third, out)
  assert.equal([report.changed, report.uploaded.files, report.removed.files], [false, 0, 0])
  assert.equal(filesOf(out), before)
  assert.is(statSync(join(out, 'index.html')).mtimeMs, page)
})

test('what an open page reads stays for one run: its snapshot, and the assets of its version', async () => {
  const out = newFolder()
  const dist = newFolder()
  /** `dist` as after this night, with the current snapshot alone. */
  const night = async (of: string) => {
    cpSync(of, dist, { recursive: true })
    await prune(dist, { keep: { last: 1 } }, quietEffects())
  }
  await night(first)
  await run(dist, out, 'A')
  const open = await openReader(out)
  const rows = async () => (await open.list({ limit: 100 })).data.map(({ cve_id: id }) => id)
  const before = await rows()
  await night(second)
  await run(dist, out, 'B')
  assert.equal(await rows(), before)
  await open.close()
  assert.is(manifestDigests(out).length, 2)
  assert.equal(assetsOf(out).sort(), ['main-A.js', 'main-B.js', 'page-A.js', 'page-B.js', 'same-SAME.css'])
  await night(third)
  const { removed } = await run(dist, out, 'C')
  assert.ok(removed.files > 0 && removed.bytes > 0)
  assert.equal(assetsOf(out).sort(), ['main-B.js', 'main-C.js', 'page-B.js', 'page-C.js', 'same-SAME.css'])
  assert.is(readdirSync(join(out, 'assets')).length, 10, 'each with its compressed copy')
  assert.equal(manifestDigests(out).length, 2)
  assert.equal((await verify(out)).faults, [])
})

test('the page comes after its assets, and the pointer after the page', async () => {
  const out = newFolder()
  const order: string[] = []
  await run(
    third,
    out,
    'A',
    {},
    {
      ...effects,
      rename: async (from, to) => {
        order.push(to.slice(out.length + 1))
        await effects.rename(from, to)
      },
    },
  )
  assert.equal(order.slice(-2), ['index.html', 'latest.json'])
  assert.ok(order.indexOf('assets/page-A.js') > order.findLastIndex((path) => path.startsWith('manifests/')))
})

test('a first run that was killed before its page is completed by the next one', async () => {
  const out = newFolder()
  const killed = run(
    third,
    out,
    'A',
    {},
    {
      ...effects,
      rename: async (from, to) => {
        if (to.endsWith('index.html')) throw new Error('killed')
        await effects.rename(from, to)
      },
    },
  )
  assert.is(((await killed.catch((error) => error)) as Error).message, 'killed')
  assert.ok(existsSync(join(out, 'robots.txt')) && assetsOf(out).length > 0)
  assert.not.ok(existsSync(join(out, 'latest.json')))
  await run(third, out)
  assert.equal(filesOf(out), filesOf(third))
  assert.ok(existsSync(join(out, 'index.html')))
})

test('Atom feeds with a public URL', async () => {
  const out = newFolder()
  await run(third, out, 'A', { site: new URL('https://vulns.example.com/') })
  assert.match(readFileSync(join(out, 'changes.atom'), 'utf8'), 'https://vulns.example.com/#/changes')
})

test('folders that overlap, foreign files and an older snapshot are refused, and nothing changes', async () => {
  const link = newFolder()
  symlinkSync(third, link)
  for (const out of [third, join(third, 'site'), dirname(third), link, join(link, 'site')]) {
    assert.match(await refusal(run(third, out)), /overlap; choose a folder for the site outside of /)
  }
  const foreign = newFolder()
  mkdirSync(foreign)
  writeFileSync(join(foreign, 'notes.txt'), '')
  assert.match(
    await refusal(run(third, foreign)),
    /has other files \(notes\.txt\); site needs an empty folder or a dist/,
  )
  for (const name of ['index.html', 'robots.txt', 'assets/mine.js']) {
    const own = newFolder()
    cpSync(first, own, { recursive: true })
    mkdirSync(join(own, 'assets'))
    writeFileSync(join(own, name), 'mine')
    assert.match(
      await refusal(run(third, own)),
      `${name} does not belong to a site, and \`vulnshelf site\` would replace or remove it`,
    )
    assert.is(readFileSync(join(own, name), 'utf8'), 'mine')
    assert.equal(filesOf(own), filesOf(first))
  }
  const out = newFolder()
  await run(third, out)
  assert.match(await refusal(run(first, out)), 'with the older version 1')
  assert.match(await refusal(run(at('none'), newFolder())), 'there is no folder')
})

test('symbolic links are neither linked nor followed out of the folder', async () => {
  const dist = newFolder()
  cpSync(third, dist, { recursive: true })
  const { sha256 } = readCurrent(dist).manifest.files[0]!
  const elsewhere = at('elsewhere')
  renameSync(objectPath(dist, sha256), elsewhere)
  symlinkSync(elsewhere, objectPath(dist, sha256))
  const out = newFolder()
  await run(dist, out)
  assert.ok(lstatSync(objectPath(out, sha256)).isFile())
  assert.equal((await verify(out)).faults, [])
  const own = newFolder()
  mkdirSync(own)
  writeFileSync(join(own, 'photo.jpg'), 'mine')
  renameSync(join(out, 'assets'), join(out, 'assets-before'))
  symlinkSync(own, join(out, 'assets'))
  assert.match(await refusal(run(dist, out)), 'assets is a symbolic link; remove it, or choose another folder')
  assert.is(readFileSync(join(own, 'photo.jpg'), 'utf8'), 'mine')
})

test('a damaged file is never linked', async () => {
  const dist = newFolder()
  cpSync(third, dist, { recursive: true })
  const { sha256, size } = readCurrent(dist).manifest.files[0]!
  writeFileSync(objectPath(dist, sha256), Buffer.alloc(size))
  const out = newFolder()
  assert.match(await refusal(run(dist, out)), 'is damaged: its digest differs from its name')
  assert.not.ok(existsSync(objectPath(out, sha256)))
  assert.not.ok(existsSync(join(out, 'latest.json')))
  assert.not.ok(existsSync(join(out, 'index.html')))
})

test.run()
