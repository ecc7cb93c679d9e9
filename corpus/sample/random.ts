/**
 * Random numbers in named streams. A stream depends only on its names, so the values for one CVE and purpose never
 * depend on other draws.
 */

/** A pseudo-random stream, sfc32 (Chris Doty-Humphrey, PractRand), with 128 bits of state. */
export class Random {
  private a: number
  private b: number
  private c: number
  private d: number

  /** Creates the stream of these names. The same names give the same stream on every machine. */
  constructor(...names: (string | number)[]) {
    // Four multiplicative hashes (as in cyrb128) fill the state.
    let [a, b, c, d] = [1779033703, 3144134277, 1013904242, 2773480762]
    for (const name of names) {
      const text = typeof name === 'string' ? name : String(name)
      for (let i = 0; i <= text.length; i++) {
        // The end of a name counts as a character: ('ab', 'c') and ('a', 'bc') are different streams.
        const letter = i < text.length ? text.charCodeAt(i) : 0x1f
        a = b ^ Math.imul(a ^ letter, 597399067)
        b = c ^ Math.imul(b ^ letter, 2869860233)
        c = d ^ Math.imul(c ^ letter, 951274213)
        d = a ^ Math.imul(d ^ letter, 2716044179)
      }
    }
    this.a = a | 0
    this.b = b | 0
    this.c = c | 0
    this.d = d | 0
    for (let i = 0; i < 8; i++) this.uint32()
  }

  private uint32(): number {
    const sum = (this.a + this.b + this.d) | 0
    this.d = (this.d + 1) | 0
    this.a = this.b ^ (this.b >>> 9)
    this.b = (this.c + (this.c << 3)) | 0
    this.c = (this.c << 21) | (this.c >>> 11)
    this.c = (this.c + sum) | 0
    return sum >>> 0
  }

  /** Returns a uniform number in [0, 1). */
  float(): number {
    return this.uint32() / 0x1_0000_0000
  }

  /** Returns an integer from 0 to `below` - 1. */
  int(below: number): number {
    return Math.floor(this.float() * below)
  }

  /** Returns an integer from `low` to `high`, both inclusive. */
  between(low: number, high: number): number {
    return low + this.int(high - low + 1)
  }

  chance(probability: number): boolean {
    return this.float() < probability
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(list.length)] as T
  }

  /** Returns `length` hexadecimal digits. */
  hex(length: number): string {
    let text = ''
    while (text.length < length) text += this.uint32().toString(16).padStart(8, '0')
    return text.slice(0, length)
  }

  /** Returns a UUID version 4 (RFC 9562 5.4). */
  uuid(): string {
    const hex = this.hex(32)
    const variant = '89ab'[this.int(4)]
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
  }
}
