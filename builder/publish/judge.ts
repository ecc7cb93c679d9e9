/** Decides whether a snapshot may replace the published one. */
import { decodePointer, type Pointer, pointerOrder, SnapshotError, signersOf } from '../../corpus/snapshot/index.ts'
import type { Edition } from './edition.ts'
import { PublishError } from './error.ts'

/** For messages. */
interface Named {
  name: string
}

/**
 * Checks that a snapshot may replace the one whose pointer is `published`.
 * @throws PublishError `rollback`, `contradiction`, `unsigned`; `unusable` if the published pointer is damaged
 */
export function judgePublished(
  { pointer, pointerBytes }: Pick<Edition, 'pointer' | 'pointerBytes'>,
  published: Buffer,
  unsigned: boolean,
  target: Named,
): void {
  judge(pointer, published, target)
  if (!unsigned) judgeSignatures(pointerBytes, published, target)
}

/** @throws PublishError `expired`, because every mirror would reject the pointer */
export function assertFresh({ expires_at: expires }: Pointer, dist: string, now: Date): void {
  if (expires === undefined || Date.parse(expires) > now.getTime()) return
  throw new PublishError('expired', `the pointer of ${dist} expired at ${expires}; renew it with vulnshelf sign`)
}

/** @throws PublishError `rollback`, `contradiction`; `unusable` if the target's pointer is damaged */
function judge(pointer: Pointer, published: Buffer, { name }: Named): void {
  const have = pointerAt(name, published)
  switch (pointerOrder(pointer, have)) {
    case 'older':
      throw new PublishError(
        'rollback',
        `cannot replace version ${have.version} at ${name} with the older version ${pointer.version}; publish another repository elsewhere`,
      )
    case 'other':
      throw new PublishError(
        'contradiction',
        `${name} has another snapshot with the same version ${have.version}, so it is another repository; publish this one elsewhere`,
      )
    case 'timestampRegression':
      throw new PublishError(
        'contradiction',
        `version ${have.version} at ${name} was created at ${have.created_at}, after version ${pointer.version} (${pointer.created_at}), so it is another repository; publish this one elsewhere`,
      )
  }
}

/** @throws PublishError `unsigned`: mirrors that trust a key reject unsigned pointers */
function judgeSignatures(pointer: Uint8Array, published: Buffer, { name }: Named): void {
  if (signersOf(pointer).length > 0 || signersOf(published).length === 0) return
  throw new PublishError(
    'unsigned',
    `the snapshot at ${name} is signed, so mirrors that trust its key reject an unsigned one. Sign it with vulnshelf sign, or use --unsigned`,
  )
}

function pointerAt(name: string, bytes: Buffer): Pointer {
  try {
    return decodePointer(bytes)
  } catch (cause) {
    if (!(cause instanceof SnapshotError)) throw cause
    throw new PublishError(
      'unusable',
      `${name} is damaged: ${cause.message}; remove that file to replace it, or publish elsewhere`,
      { cause },
    )
  }
}
