import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { claim, merged } from './fixture.ts'

const reference = (url: string, tags: string[] = [], name: string | null = null) => ({ url, name, tags })

test('rule 30: one item per URL, with the sources and tags of all who name it, in the order first seen', () => {
  const { references } = merged([
    claim({ source: 'osv', references: [reference('https://b.example')] }),
    claim({ source: 'nvd', references: [reference('https://a.example', ['Patch']), reference('https://c.example')] }),
    claim({
      source: 'cna',
      references: [
        reference('https://b.example', ['patch']),
        reference('https://a.example', ['exploit']),
        reference('https://a.example', ['exploit', 'vendor-advisory'], 'A'),
      ],
    }),
  ])
  assert.equal(references, [
    { url: 'https://b.example', name: null, tags: ['patch'], sources: ['cna', 'osv'] },
    { url: 'https://a.example', name: 'A', tags: ['exploit', 'vendor-advisory', 'Patch'], sources: ['cna', 'nvd'] },
    { url: 'https://c.example', name: null, tags: [], sources: ['nvd'] },
  ])
})

test.run()
