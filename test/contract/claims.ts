/** Which sentences, rules and rows the contract's tests name, read from their sources. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'

export interface Claim {
  kind: 'says' | 'saysUnder' | 'rule' | 'row'
  /** What the call names: its literals without the last one of a rule or row, which only says which part it is. */
  named: string[]
  /** `fields.test.ts:12`. */
  place: string
}

const CALL = /^\s*(says|saysUnder|rule|row)\(\s*/gm
const LITERAL = /^(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\$])*`|\d+)/

/** The claims of all test files of this folder. Throws for a call whose names are not plain literals. */
export function claimsOf(folder: string): Claim[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .sort()
    .flatMap((name) => claimsIn(name, readFileSync(join(folder, name), 'utf8')))
}

export function claimsIn(file: string, source: string): Claim[] {
  return Array.from(source.matchAll(CALL), (call) => {
    const kind = call[1] as Claim['kind']
    const place = `${file}:${source.slice(0, call.index + call[0].length).split('\n').length}`
    const wanted = kind === 'saysUnder' ? 2 : 1
    const named: string[] = []
    let rest = source.slice(call.index + call[0].length)
    while (named.length < wanted) {
      const literal = LITERAL.exec(rest)?.[0]
      if (literal === undefined) throw new Error(`${place}: what ${kind}() names is no plain literal`)
      named.push(String(runInNewContext(literal)))
      rest = rest.slice(literal.length).replace(/^\s*,\s*/, '')
    }
    return { kind, named, place }
  })
}
