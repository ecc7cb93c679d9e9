/** Package URLs that other tools judge wrongly, from public reports: each has the verdict that the report calls right. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { matchAdvisories } from '../../corpus/model/packages/match.ts'
import { packageKey } from '../../corpus/model/packages/name.ts'
import { type PackageStatement, packageStatements } from '../../corpus/model/packages/package-advisory.ts'
import { packageOfPurl } from '../../corpus/model/packages/purl.ts'
import { advisoryNames } from '../../corpus/model/packages/source-package.ts'
import { needs, PACKAGE_CASES } from '../support/needs.ts'

needs('package cases')

/** What `/affected` answers: the strictest verdict of all advisories. */
function answerOf(statements: readonly PackageStatement[], purl: string): string {
  const { ecosystem, ...named } = packageOfPurl(purl)
  if (ecosystem === null || !statements.some((one) => ecosystem.startsWith(one.ecosystem))) return 'not-indexed'
  const { names, version } = advisoryNames({ ecosystem, ...named })
  const keys = names.map((name) => packageKey(ecosystem, name))
  const own = statements.filter((one) => keys.includes(packageKey(one.ecosystem, one.folded)))
  const verdicts = own.flatMap(({ advisory }) =>
    matchAdvisories([advisory], { ecosystem, version }, { preferList: true }).map(({ verdict }) => verdict),
  )
  return verdicts.includes('affected') ? 'affected' : (verdicts[0] ?? 'none')
}

/** `none-or-undecided` allows both; a purl that names no distribution may be decided by its build. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'none-or-undecided': ['none', 'undecided'],
  'not-indexed': ['not-indexed', 'undecided', 'affected'],
}

for (const name of readdirSync(PACKAGE_CASES)) {
  const folder = join(PACKAGE_CASES, name)
  const questions = [...readFileSync(join(folder, 'README'), 'utf8').matchAll(/ask (pkg:\S+) -> ([\w-]+)/g)]
  if (questions.length === 0) continue
  test(name, () => {
    const records = readdirSync(folder).filter((file) => file.startsWith('record-'))
    assert.ok(records.length > 0)
    const statements = records.flatMap((file) =>
      packageStatements(JSON.parse(readFileSync(join(folder, file), 'utf8'))),
    )
    const wrong = questions.flatMap(([, purl, right]) => {
      const answer = answerOf(statements, purl!)
      return (ALLOWED[right!] ?? [right]).includes(answer) ? [] : [`${purl} -> ${answer}, not ${right}`]
    })
    assert.equal(wrong, [])
  })
}

test.run()
