/** Reads key files. Errors name the file. */
import { readRegularFile } from '../../runtime/regular-file.ts'
import { KeyError, readSigningKey, readTrustedKeys, type SigningKey, type TrustedKey } from './signature.ts'

/** A key set of a thousand keys has 400 KB. */
const MAX_KEY_FILE_BYTES = 1 << 20

/** @throws KeyError */
export const readSigningKeyFile = async (file: string): Promise<SigningKey> => readSigningKey(readText(file), file)

/** @throws KeyError */
export const readKeySetFile = async (file: string): Promise<TrustedKey[]> => readTrustedKeys(readText(file), file)

/** @throws KeyError */
export function readText(file: string): string {
  try {
    return readRegularFile(file, MAX_KEY_FILE_BYTES).toString()
  } catch (cause) {
    throw new KeyError('unusable', `cannot read ${file}: ${(cause as Error).message}`, { cause })
  }
}
