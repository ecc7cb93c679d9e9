/** Returns the record with each value replaced by `make`. */
export function mapValues<A, B>(record: Record<string, A>, make: (value: A, name: string) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, make(value, name)]))
}
