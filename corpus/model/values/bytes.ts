/** Byte sizes in configuration: `500k`, `10M`, `2.5G`. */

const UNITS = { '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12 } as const

/** Returns the number of bytes, or null for other text and for 0. */
export function parseBytes(text: string): number | null {
  const parts = /^(\d{1,9}(?:\.\d{1,3})?)([kMGT]?)B?$/.exec(text)
  const bytes = parts === null ? 0 : Math.round(Number(parts[1]) * UNITS[parts[2] as keyof typeof UNITS])
  return bytes > 0 ? bytes : null
}
