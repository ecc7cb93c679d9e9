/** Reads HTTP/1.1 responses off a socket: no more of them than a load generator has to know. */

const HEAD_END = Buffer.from('\r\n\r\n')
const LENGTH = 'content-length:'
const NOTHING = Buffer.alloc(0)

/**
 * Gives a function to be fed with what arrives, in pieces of any size. `onResponse` is called with status and bytes of
 * the body of each response once all of it is there.
 * @throws Error where a response that has a body has no `Content-Length`: the servers measured here always send one
 */
export function responseReader(onResponse: (status: number, bytes: number) => void): (chunk: Buffer) => void {
  /** A head that is not all there yet. */
  let held: Buffer = NOTHING
  let status = 0
  let length = 0
  /** Bytes of the body still to come, or -1 between responses. */
  let left = -1

  return (chunk) => {
    let rest = chunk
    while (rest.length > 0 || left === 0) {
      if (left < 0) {
        const bytes = held.length === 0 ? rest : Buffer.concat([held, rest])
        const end = bytes.indexOf(HEAD_END)
        if (end < 0) {
          // The socket's buffer is used again for the next piece.
          held = Buffer.from(bytes)
          return
        }
        held = NOTHING
        const head = bytes.toString('latin1', 0, end)
        status = Number(head.slice(9, 12))
        // RFC 9110 15.4.5: a 304 has no body, and need not say so.
        length = status === 304 ? 0 : contentLength(head)
        left = length
        rest = bytes.subarray(end + HEAD_END.length)
      }
      const taken = Math.min(left, rest.length)
      left -= taken
      rest = rest.subarray(taken)
      if (left > 0) return
      left = -1
      onResponse(status, length)
    }
  }
}

function contentLength(head: string): number {
  const at = head.toLowerCase().indexOf(LENGTH)
  const length = at < 0 ? Number.NaN : Number.parseInt(head.slice(at + LENGTH.length), 10)
  if (!(length >= 0)) throw new Error('a response has no Content-Length')
  return length
}
