/** What the containers of a CVE record advise. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readGuidance } from '../../../../corpus/feeds/cvelist/guidance.ts'
import type { RecordNote } from '../../../../corpus/model/claim.ts'

const read = (container: object) => {
  const notes: RecordNote[] = []
  return { notes, guidance: readGuidance({ ...container }, 'cna', notes) }
}
const en = (value: string) => ({ lang: 'en', value })

test('rule 31: every field is as stated', () => {
  const { guidance, notes } = read({
    datePublic: '2024-05-01T10:00:00',
    tags: ['disputed', 'x_open-source', 'disputed'],
    workarounds: [en(' Disable the parser.\n')],
    solutions: [en('Update to 2.0.'), en('Or to 1.9.8.')],
    configurations: [en('Only with TLS.')],
    exploits: [en('None known.')],
    impacts: [
      { capecId: 'capec-66', descriptions: [en('CAPEC-66 SQL Injection')] },
      { descriptions: [en('Code runs.')] },
    ],
    credits: [{ ...en('A. Finder'), type: 'finder' }, en('B. Other')],
    timeline: [{ ...en('Reported'), time: '2024-04-01T00:00:00.000Z' }],
  })
  assert.equal(guidance, {
    date_public: '2024-05-01T10:00:00.000Z',
    tags: ['disputed', 'x_open-source'],
    workarounds: ['Disable the parser.'],
    solutions: ['Update to 2.0.', 'Or to 1.9.8.'],
    configurations: ['Only with TLS.'],
    exploits: ['None known.'],
    impacts: [
      { capec_id: 'CAPEC-66', description: 'CAPEC-66 SQL Injection' },
      { capec_id: null, description: 'Code runs.' },
    ],
    credits: [
      { name: 'A. Finder', type: 'finder' },
      { name: 'B. Other', type: null },
    ],
    timeline: [{ time: '2024-04-01T00:00:00.000Z', text: 'Reported' }],
  })
  assert.equal(notes, [])
})

test('rule 31: English texts are shown, or all if none is English', () => {
  const { guidance } = read({
    workarounds: [
      { lang: 'es', value: 'Desactivar.' },
      { lang: 'en-US', value: 'Disable it.' },
    ],
    solutions: [
      { lang: 'es', value: 'Actualizar.' },
      { lang: 'de', value: 'Aktualisieren.' },
    ],
  })
  assert.equal(guidance!.workarounds, ['Disable it.'])
  assert.equal(guidance!.solutions, ['Actualizar.', 'Aktualisieren.'])
})

test('a container that advises nothing has no guidance, whatever its fields contain', () => {
  for (const container of [
    {},
    { workarounds: [], tags: [], credits: 'nobody', timeline: { time: 1 } },
    { workarounds: [en('  '), null, 7], impacts: [{ capecId: 'CAPEC-x' }], credits: [{ lang: 'en' }] },
  ]) {
    assert.is(read(container).guidance, null)
  }
})

test('an impossible date is null and noted', () => {
  const { guidance, notes } = read({ datePublic: '2024-02-31', timeline: [{ ...en('Reported'), time: 'soon' }] })
  assert.equal(guidance!.timeline, [{ time: null, text: 'Reported' }])
  assert.is(guidance!.date_public, null)
  assert.equal(
    notes.map(({ code, detail }) => `${code} ${detail}`),
    ['date-impossible cna datePublic "2024-02-31"', 'date-impossible cna timeline "soon"'],
  )
})

test.run()
