/** Turns a property into a test: the same random cases on every machine, unless the environment sets others. */
import fc from 'fast-check'
import { test } from 'uvu'

/** One seed for all files, so that failures are reproducible; `FC_SEED=7 tsx …` uses other cases. */
const SEED = Number(process.env.FC_SEED ?? 20_240_601)
/** `FC_TIMES=10` runs ten times as many cases. */
const TIMES = Number(process.env.FC_TIMES ?? 1)
const RUNS = 100

/** Any code point, halves of surrogate pairs included. The unit `binary` of fast-check takes a second to set up. */
export const codePoint = fc
  .oneof(fc.integer({ min: 0, max: 0xff }), fc.integer({ min: 0, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code))

type Arbitraries<Values> = { [Key in keyof Values]: fc.Arbitrary<Values[Key]> }

/** Returns objects of these fields with the usual prototype, so that they compare equal to literals. */
export function shape<Value>(fields: Arbitraries<Value>): fc.Arbitrary<Value> {
  return fc.record(fields, { noNullPrototype: true }) as fc.Arbitrary<Value>
}

/** Registers a test that `check` throws for no values of these kinds. The name is a sentence and cites the rule. */
export function property<Values extends [unknown, ...unknown[]]>(
  name: string,
  arbitraries: [...Arbitraries<Values>],
  check: (...values: Values) => void,
  runs = RUNS,
): void {
  test(name, () => {
    fc.assert(fc.property<Values>(...arbitraries, check), { seed: SEED, numRuns: runs * TIMES })
  })
}
