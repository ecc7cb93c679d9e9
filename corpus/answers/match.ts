/** Finds the route of a path. */
import type { Route } from './route.ts'

export interface Match<R> {
  route: R
  /** The undecoded values of the path parameters. */
  values: Record<string, string>
}

type Matched = Pick<Route<never>, 'path' | 'takesRest'>

/**
 * Returns a function that finds the first route of a path without its prefix. Case does not matter, nor does one slash at
 * the end. The last parameter of a route that `takesRest` matches several segments, if no other route fits.
 */
export function routeMatcher<R extends Matched>(routes: readonly R[]): (path: string) => Match<R> | null {
  const patterns = routes.map((route) => ({ route, parts: partsOf(route.path) }))
  const byLength = Map.groupBy(patterns, ({ parts }) => parts.length)
  const rests = patterns.filter(({ route }) => route.takesRest)
  return (path) => {
    if (!path.startsWith('/')) return null
    const given = partsOf(path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path)
    for (const { route, parts } of byLength.get(given.length) ?? []) {
      if (fits(parts, given)) return { route, values: valuesOf(parts, given) }
    }
    for (const { route, parts } of rests) {
      const last = parts.length - 1
      if (given.length <= parts.length || given[last] === '') continue
      const joined = [...given.slice(0, last), given.slice(last).join('/')]
      if (fits(parts, joined)) return { route, values: valuesOf(parts, joined) }
    }
    return null
  }
}

const partsOf = (path: string): string[] => path.slice(1).split('/')

const fits = (parts: readonly string[], given: readonly string[]): boolean =>
  parts.every((part, i) =>
    part.startsWith(':') ? given[i] !== '' : part === given[i] || part === given[i]!.toLowerCase(),
  )

function valuesOf(parts: readonly string[], given: readonly string[]): Record<string, string> {
  const values: Record<string, string> = {}
  parts.forEach((part, i) => {
    if (part.startsWith(':')) values[part.slice(1)] = given[i]!
  })
  return values
}
