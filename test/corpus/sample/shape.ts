/** The shape of data: which members there are and of which types, to hold a sample against the real thing. */
import type { XmlElement } from '../../../corpus/feeds/catalog/xml.ts'

/** `cve.metrics.cvssMetricV31[].type:string`, each once; numbers are of one type. */
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

/** `Weaknesses/Weakness/Description`, `Weaknesses/Weakness@ID`, each once; what stands in running text is left out. */
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

/** What the sample has and the real one has not. */
export function beyond(sample: Set<string>, real: Set<string>): string[] {
  return [...sample].filter((one) => !real.has(one)).sort()
}
