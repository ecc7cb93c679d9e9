/** The version orders of all ecosystems: parsing two versions and comparing them. */
import { comparatorOf } from '../../../corpus/model/versions/comparator.ts'
import { ECOSYSTEMS } from '../../../corpus/model/versions/ecosystems.ts'
import { MAX_VERSION_LENGTH, type VersionOrder } from '../../../corpus/model/versions/order.ts'
import { type Growing, type OpenSubjects, repeated, type Subject } from '../subject.ts'

const PARTS = [...'019.-_+~^:! vax', '12', 'rc', 'alpha', 'dev', 'post']

const compared =
  (order: VersionOrder, textOf: (n: number) => string): Growing =>
  (n) => {
    const text = textOf(n)
    return () => {
      for (const parse of [order.parse, order.parseStrict ?? order.parse]) {
        const [a, b] = [parse(text), parse(`${text.slice(0, -1)}2`)]
        if (a !== null && b !== null) order.compare(a, b)
      }
    }
  }

/** Ecosystems with the same order as one before are left out. */
const orders = new Map<VersionOrder, string>()
for (const ecosystem of ECOSYSTEMS) {
  const order = comparatorOf(ecosystem)
  if (order !== null && !orders.has(order)) orders.set(order, ecosystem)
}

const subjects: Subject[] = Array.from(orders, ([order, ecosystem]) => {
  const worst = {
    'numbers with dots': (n: number) => `${'1.'.repeat(n / 2 - 1)}1`,
    'one number': (n: number) => '1'.repeat(n),
    zeros: (n: number) => `${'0'.repeat(n - 1)}1`,
    'colons after a dash': (n: number) => `1-${':'.repeat(n - 4)}-x`,
    'words of a letter and a digit': (n: number) => 'a1'.repeat(n / 2),
    dashes: (n: number) => `1${'-'.repeat(n - 2)}x`,
    tildes: (n: number) => `1${'~'.repeat(n - 2)}x`,
    'a pre-release of many parts': (n: number) => `1.0.0-${'a.'.repeat((n - 6) / 2)}a`,
  }
  return {
    name: `versions ${ecosystem}`,
    size: MAX_VERSION_LENGTH / 4,
    worst: Object.fromEntries(Object.entries(worst).map(([name, textOf]) => [name, compared(order, textOf)])),
    generated: (random) => compared(order, repeated(random, PARTS)),
  }
})

export const open: OpenSubjects = async () => ({ subjects })
