/** How a property becomes a test: the same made-up cases on every machine, others where the environment says so. */
import fc from 'fast-check'
import { test } from 'uvu'

/** One seed for all files, so that a failure is everybody's failure; `FC_SEED=7 tsx …` looks elsewhere. */
const SEED = Number(process.env.FC_SEED ?? 20_240_601)
/** `FC_TIMES=10` looks ten times as long. */
const TIMES = Number(process.env.FC_TIMES ?? 1)
const RUNS = 100

type Arbitraries<Values> = { [Key in keyof Values]: fc.Arbitrary<Values[Key]> }

/** Objects of these fields as code makes them: with the usual prototype, so that they compare equal to literals. */
export function shape<Value>(fields: Arbitraries<Value>): fc.Arbitrary<Value> {
  return fc.record(fields, { noNullPrototype: true }) as fc.Arbitrary<Value>
}

/** A test that `check` throws for no values of these kinds. The name is a sentence and cites the rule. */
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
