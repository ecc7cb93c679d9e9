/** The shape of data: its members and their types, to compare a sample with the real feeds. */
import type { XmlElement } from '../../../corpus/feeds/catalog/xml.ts'

/** Returns `cve.metrics.cvssMetricV31[].type:string`, each once; all numbers have one type. */
export function shapeOf(values: Iterable<unknown>): Set<string> {
  const found = new Set<string>()
  const walk = (value: unknown, at: string) => {
    if (Array.isArray(value)) {
      if (value.length === 0) found.add(`${at}:list`)
      for (const member of value) walk(member, `${at}[]`)
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) walk(member, at === '' ? key : `${at}.${key}`)
    } else {
      found.add(`${at}:${value === null ? 'null' : typeof value}`)
    }
  }
  for (const value of values) walk(value, '')
  return found
}

/** Returns `Weaknesses/Weakness/Description`, `Weaknesses/Weakness@ID`, each once, without elements in running text. */
export function xmlShapeOf(root: XmlElement): Set<string> {
  const found = new Set<string>()
  const walk = (element: XmlElement, at: string) => {
    found.add(at)
    for (const name of element.attributes.keys()) found.add(`${at}@${name}`)
    for (const child of element.children) {
      if (typeof child !== 'string' && /^[A-Z]/.test(child.name)) walk(child, `${at}/${child.name}`)
    }
  }
  walk(root, root.name)
  return found
}

/** Returns what only the sample has. */
export function beyond(sample: Set<string>, real: Set<string>): string[] {
  return [...sample].filter((one) => !real.has(one)).sort()
}
