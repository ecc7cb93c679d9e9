/** What an access policy may say, and how a wrong one is refused. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { parsePolicy } from '../../../gateway/access/policy.ts'
import { GatewayError } from '../../../gateway/http/errors.ts'

test('rules by id, by state and by assigner, alone and together', () => {
  const rules = [
    { name: 'embargo', id: 'cve-2024-3400', tier: 3 },
    { id: ['CVE-2024-0001', 'CVE-2024-12345'], state: 'PUBLISHED', tier: 0 },
    { state: 'RESERVED', tier: 1 },
    { assigner: ['Acme', ' GitHub_M '], tier: 1_000_000 },
  ]
  assert.equal(parsePolicy(JSON.stringify({ rules }), 'policy.json'), [
    { tier: 3, ids: ['CVE-2024-3400'], state: null, assigners: null },
    { tier: 0, ids: ['CVE-2024-0001', 'CVE-2024-12345'], state: 'PUBLISHED', assigners: null },
    { tier: 1, ids: null, state: 'RESERVED', assigners: null },
    { tier: 1_000_000, ids: null, state: null, assigners: ['acme', 'github_m'] },
  ])
  assert.equal(parsePolicy('{"rules":[]}', 'policy.json'), [])
})

/** Policies that will not do, and what the message must name. */
const WRONG: [string, string, RegExp][] = [
  ['no JSON', '{"rules":', /^policy\.json: it is not JSON/],
  ['a list', '[]', /must be \{"rules"/],
  ['no rules', '{}', /must be .*rules/],
  ['another key beside the rules', '{"rules":[],"default":1}', /default/],
  ['a rule that is no object', '{"rules":[{"tier":1,"state":"RESERVED"},7]}', /rule 2: .*object/],
  ['no tier', '{"rules":[{"state":"RESERVED"}]}', /rule 1: tier /],
  ['a tier that is text', '{"rules":[{"tier":"1","state":"RESERVED"}]}', /rule 1: tier .*number/],
  ['a tier that is no integer', '{"rules":[{"tier":1.5,"state":"RESERVED"}]}', /rule 1: tier /],
  ['a negative tier', '{"rules":[{"tier":-1,"state":"RESERVED"}]}', /rule 1: tier /],
  ['an endless tier', '{"rules":[{"tier":1e400,"state":"RESERVED"}]}', /rule 1: tier /],
  ['a tier beyond all tokens', '{"rules":[{"tier":1000001,"state":"RESERVED"}]}', /rule 1: tier .*1000000/],
  ['no condition', '{"rules":[{"name":"all","tier":1}]}', /rule 1 \('all'\): needs an id, a state or an assigner/],
  ['an unknown condition', '{"rules":[{"tier":1,"vendor":"acme"}]}', /rule 1: .*vendor/],
  ['an unknown state', '{"rules":[{"tier":1,"state":"REJECTED"}]}', /rule 1: state .*PUBLISHED.*RESERVED/],
  ['what is no id', '{"rules":[{"tier":1,"id":"2024-3400"}]}', /rule 1: id\[0\] '2024-3400' is not a CVE id/],
  ['an id spelled as no record is', '{"rules":[{"tier":1,"id":"CVE-2024-03400"}]}', /'CVE-2024-03400' is not a CVE id/],
  ['an id in a list', '{"rules":[{"tier":1,"id":["CVE-2024-3400","x"]}]}', /rule 1: id\[1\] 'x' is not a CVE id/],
  ['a number for an id', '{"rules":[{"tier":1,"id":7}]}', /rule 1: id\[0\] .*string/],
  ['a number in a list of ids', '{"rules":[{"tier":1,"id":["CVE-2024-3400",7]}]}', /rule 1: id\[1\] .*string/],
  ['an empty list', '{"rules":[{"tier":1,"id":[]}]}', /rule 1: id /],
  ['an empty assigner', '{"rules":[{"tier":1,"assigner":" "}]}', /rule 1: assigner\[0\] /],
]

for (const [what, text, expected] of WRONG) {
  test(`refused: ${what}`, () => {
    try {
      parsePolicy(text, 'policy.json')
    } catch (error) {
      assert.ok(error instanceof GatewayError)
      assert.is(error.code, 'access_policy')
      assert.match(error.message, expected)
      assert.not.match(error.message, '\n')
      return
    }
    assert.unreachable('it was taken')
  })
}

test.run()
