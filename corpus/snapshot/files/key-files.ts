/** Reads key files. Errors name the file. */
import { readFileSync } from 'node:fs'
import { KeyError, readSigningKey, readTrustedKeys, type SigningKey, type TrustedKey } from './signature.ts'

/** @throws KeyError */
export const readSigningKeyFile = async (file: string): Promise<SigningKey> => readSigningKey(readText(file), file)

/** @throws KeyError */
export const readKeySetFile = async (file: string): Promise<TrustedKey[]> => readTrustedKeys(readText(file), file)

/** @throws KeyError */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new KeyError('unusable', `cannot read ${file}: ${(cause as Error).message}`, { cause })
  }
}
