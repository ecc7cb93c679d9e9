/** All decompression of the format. */
import { gunzip, inflateRaw } from '../../runtime/platform.ts'
import { MAX_GZIP_PLAIN, MAX_MEMBER_PLAIN } from '../bounds.ts'
import { SnapshotError } from '../error.ts'

/**
 * Returns the plain bytes of a segment.
 * @throws SnapshotError `malformed` when it does not inflate to exactly `plainLength` bytes
 */
export function inflateSegment(segment: Uint8Array, plainLength: number): Buffer {
  let plain: Buffer
  try {
    plain = inflateRaw(segment, plainLength)
  } catch (cause) {
    throw new SnapshotError('malformed', 'a segment does not inflate', { cause })
  }
  if (plain.length !== plainLength) {
    throw new SnapshotError('malformed', `a segment inflates to ${plain.length} bytes, not ${plainLength}`)
  }
  return plain
}

/**
 * Returns the plain bytes of a file from `gzipFile`, up to the limit of its role.
 * @throws SnapshotError `malformed`
 */
export function gunzipFile(role: keyof typeof MAX_GZIP_PLAIN, bytes: Uint8Array): Buffer {
  try {
    return gunzip(bytes, MAX_GZIP_PLAIN[role])
  } catch (cause) {
    throw new SnapshotError('malformed', `the file ${role} does not inflate to at most ${MAX_GZIP_PLAIN[role]} bytes`, {
      cause,
    })
  }
}

/**
 * Returns the plain bytes of a whole member.
 * @throws SnapshotError `malformed`
 */
export function gunzipMember(bytes: Uint8Array): Buffer {
  try {
    // Segments, plus the stored blocks between them.
    return gunzip(bytes, MAX_MEMBER_PLAIN + bytes.length)
  } catch (cause) {
    throw new SnapshotError('malformed', 'a member does not inflate', { cause })
  }
}
