/** Work of which it is known whether it holds the law. */
import { compareLists } from '../../../corpus/model/versions/order.ts'
import type { Growing, OpenSubjects, Subject } from '../subject.ts'

const list = (n: number) => Array.from({ length: n }, () => 1)
const compared = (n: number) => compareLists(list(n), list(n), (a, b) => a - b, 0)
const squared = (n: number) => {
  for (let i = 0; i < n; i++) compared(n)
}

const KINDS: Readonly<Record<string, Growing>> = {
  linear: (n) => () => compared(n),
  'a longer path from some size on': (n) => () => compared(n > 150 ? 10 * n : n),
  squared: (n) => () => squared(n),
  'squared, after a while': (n) => async () => {
    await Promise.resolve()
    squared(n)
  },
  'no step of the product': () => () => 'x'.repeat(5),
}

export const open: OpenSubjects = async () => ({
  subjects: Object.entries(KINDS).map(([name, growing]): Subject => {
    return { name, size: 100, worst: {}, generated: () => growing }
  }),
})
