/** `Buffer` in a browser: what the reader uses of it. Bundling replaces the global name by this class. */

const TEXT = new TextEncoder()
/** As in Node: keeps a byte order mark, and replaces malformed sequences. */
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true })

type Encoding = 'utf8' | 'latin1' | 'hex' | 'base64' | 'base64url'

class BrowserBuffer extends Uint8Array {
  /** Takes a text and its encoding, a buffer with offset and length, or bytes. */
  static override from(...[data, second, length]: unknown[]): BrowserBuffer {
    if (typeof data === 'string') return view(encoded(data, second as Encoding | undefined))
    if (data instanceof ArrayBuffer) return new BrowserBuffer(data, second as number | undefined, length as number)
    return view(Uint8Array.from(data as ArrayLike<number>))
  }

  static alloc(length: number): BrowserBuffer {
    return new BrowserBuffer(length)
  }

  static allocUnsafe(length: number): BrowserBuffer {
    return new BrowserBuffer(length)
  }

  static byteLength(text: string): number {
    return TEXT.encode(text).length
  }

  static concat(list: readonly Uint8Array[], total = list.reduce((sum, { length }) => sum + length, 0)): BrowserBuffer {
    const out = new BrowserBuffer(total)
    let at = 0
    for (const bytes of list) {
      out.set(bytes, at)
      at += bytes.length
    }
    return out
  }

  static compare(one: Uint8Array, other: Uint8Array): number {
    return view(one).compare(other)
  }

  get view(): DataView {
    return new DataView(this.buffer, this.byteOffset, this.byteLength)
  }

  readUInt16LE(at: number): number {
    return this.view.getUint16(at, true)
  }

  readUInt32LE(at = 0): number {
    return this.view.getUint32(at, true)
  }

  writeUInt16LE(value: number, at: number): number {
    this.view.setUint16(at, value, true)
    return at + 2
  }

  writeUInt32LE(value: number, at: number): number {
    this.view.setUint32(at, value, true)
    return at + 4
  }

  /** An encoding in the place of the position is that of ASCII text. */
  write(text: string, at: number | Encoding = 0): number {
    const bytes = TEXT.encode(text)
    this.set(bytes, typeof at === 'number' ? at : 0)
    return bytes.length
  }

  copy(target: Uint8Array, at = 0, start = 0): number {
    target.set(this.subarray(start), at)
    return this.length - start
  }

  compare(other: Uint8Array, start = 0, end = other.length): number {
    const length = Math.min(this.length, end - start)
    for (let i = 0; i < length; i++) {
      const difference = this[i]! - other[start + i]!
      if (difference !== 0) return Math.sign(difference)
    }
    return Math.sign(this.length - (end - start))
  }

  /** Also called without arguments, as every object's. */
  override toString(encoding: Encoding = 'utf8', start = 0, end = this.length): string {
    const bytes = this.subarray(start, end)
    if (encoding === 'utf8') return UTF8.decode(bytes)
    if (encoding === 'hex') return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
    if (encoding === 'latin1') return latin1(bytes)
    const text = btoa(latin1(bytes))
    return encoding === 'base64'
      ? text
      : text
          .replaceAll('+', '-')
          .replaceAll('/', '_')
          .replace(/(?<!=)=+$/, '')
  }
}

const view = ({ buffer, byteOffset, length }: Uint8Array): BrowserBuffer =>
  new BrowserBuffer(buffer as ArrayBuffer, byteOffset, length)

function latin1(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}

/** @throws TypeError for an encoding that the reader does not use */
function encoded(text: string, encoding: Encoding = 'utf8'): Uint8Array {
  if (encoding === 'utf8') return TEXT.encode(text)
  if (encoding !== 'base64url') throw new TypeError(`no encoding ${encoding}`)
  return Uint8Array.from(decodedBase64(text), (char) => char.charCodeAt(0))
}

/** Like Node, ignores characters that are not of the alphabet. */
function decodedBase64(text: string): string {
  const plain = text
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/[^A-Za-z0-9+/]/g, '')
  return atob(plain.length % 4 === 1 ? plain.slice(0, -1) : plain)
}

export { BrowserBuffer as Buffer }
