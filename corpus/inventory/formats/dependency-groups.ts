/** Which packages only development needs, in lock files that state it for the direct dependencies alone. */

interface Direct {
  /** Names of the packages that a program needs. */
  main: readonly string[]
  development: readonly string[]
}

/**
 * Returns a function that states whether only development needs a package; null for one that no direct dependency needs.
 * The versions of a name count as one package: for certain, no package of a program counts as one of development.
 */
export function developmentOnly(
  { main, development }: Direct,
  dependencies: ReadonlyMap<string, readonly string[]>,
): (name: string) => boolean | null {
  const reach = (roots: readonly string[]) => {
    const found = new Set(roots)
    // A Set also gives what is added meanwhile.
    for (const name of found) for (const dependency of dependencies.get(name) ?? []) found.add(dependency)
    return found
  }
  const inMain = reach(main)
  const inDevelopment = reach(development)
  return (name) => (inMain.has(name) ? false : inDevelopment.has(name) ? true : null)
}
