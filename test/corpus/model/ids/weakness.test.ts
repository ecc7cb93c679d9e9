import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { weaknessId, weaknessIdsInText } from '../../../../corpus/model/ids/weakness.ts'
import { claim, merged } from '../fixture.ts'

const catalog = { weaknessName: () => null, isWeakness: (id: string) => id !== 'cwe-16' && id !== 'cwe-264' }

test('rule 21: a CWE id is read in any case, what is none is none', () => {
  assert.is(weaknessId('CWE-79'), 'cwe-79')
  assert.is(weaknessId('cwe-079'), 'cwe-79')
  for (const none of ['NVD-CWE-noinfo', 'CWE-Other', 'CWE-0', '79', '']) assert.is(weaknessId(none), null)
})

const TEXTS: [text: string, ids: string[]][] = [
  ['CWE-79 Cross-site scripting', ['cwe-79']],
  ['CWE 79', ['cwe-79']],
  ['CWE79', ['cwe-79']],
  ['CWE-120: something (CWE-787)', ['cwe-120', 'cwe-787']],
  ['CWE-noinfo Not enough information', []],
  ['n/a', []],
  ['XCWE-79', []],
]
for (const [text, ids] of TEXTS) {
  test(`rule 21: the problem type ${JSON.stringify(text)} names ${ids.join(' and ') || 'none'}`, () =>
    assert.equal(weaknessIdsInText(text), ids))
}

test("rule 21: the primary one is the CNA's first CWE, else the ADP's, else NVD's", () => {
  const cna = claim({ source: 'cna', weaknesses: ['cwe-2', 'cwe-1'] })
  const adp = claim({ source: 'adp', weaknesses: ['cwe-3'] })
  const nvd = claim({ source: 'nvd', weaknesses: ['cwe-4', 'cwe-5'] })
  const advisory = claim({ source: 'advisory', weaknesses: ['cwe-6'] })
  assert.is(merged([nvd, adp, cna]).core.primary_cwe_id, 'cwe-2')
  assert.is(merged([nvd, adp]).core.primary_cwe_id, 'cwe-3')
  assert.is(merged([nvd]).core.primary_cwe_id, 'cwe-4')
  assert.is(merged([advisory]).core.primary_cwe_id, null)
})

test('rule 21: an id that is a weakness of the catalog goes before one that is not', () => {
  const cna = claim({ source: 'cna', weaknesses: ['cwe-264', 'cwe-79'] })
  assert.is(merged([cna], { catalog }).core.primary_cwe_id, 'cwe-79')
  const category = claim({ source: 'cna', weaknesses: ['cwe-264'] })
  const adp = claim({ source: 'adp', weaknesses: ['cwe-16', 'cwe-20'] })
  assert.is(merged([category, adp], { catalog }).core.primary_cwe_id, 'cwe-20')
})

test('rule 21: if none is a weakness, or there is no catalog, the first stays', () => {
  const cna = claim({ source: 'cna', weaknesses: ['cwe-264', 'cwe-16'] })
  assert.is(merged([cna], { catalog }).core.primary_cwe_id, 'cwe-264')
  assert.is(merged([cna]).core.primary_cwe_id, 'cwe-264')
})

test('rule 21: any mapping is the union of CNA, ADP, NVD and advisories, by number', () => {
  const { facets } = merged([
    claim({ source: 'cna', weaknesses: ['cwe-100', 'cwe-20'] }),
    claim({ source: 'adp', weaknesses: ['cwe-20'] }),
    claim({ source: 'nvd', weaknesses: ['cwe-3'] }),
    claim({ source: 'advisory', weaknesses: ['cwe-9'] }),
    claim({ source: 'osv', weaknesses: ['cwe-77'] }),
  ])
  assert.equal(facets.weaknesses, ['cwe-3', 'cwe-9', 'cwe-20', 'cwe-100'])
})

test.run()
