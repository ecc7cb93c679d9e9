/** The version orders of all ecosystems: parsing two versions and comparing them. */
import { comparatorOf, ECOSYSTEMS } from '../../../corpus/model/versions/ecosystems.ts'
import { MAX_VERSION_LENGTH, type VersionOrder } from '../../../corpus/model/versions/order.ts'
import { type Growing, type OpenSubjects, repeated, type Subject } from '../subject.ts'

const PARTS = [
  '0',
  '1',
  '9',
  '12',
  '.',
  '-',
  '_',
  '+',
  '~',
  '^',
  ':',
  '!',
  ' ',
  'v',
  'a',
  'rc',
  'alpha',
  'dev',
  'post',
  'x',
]

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

const subjects: Subject[] = ECOSYSTEMS.flatMap((ecosystem) => {
  const order = comparatorOf(ecosystem)
  if (order === null) return []
  const worst = {
    'numbers with dots': (n: number) => '1.'.repeat(n / 2) + 1,
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
