/** Returns all items of an async iterable, in order. */
export async function all<T>(iteration: AsyncIterable<T>): Promise<T[]> {
  const given: T[] = []
  for await (const one of iteration) given.push(one)
  return given
}
