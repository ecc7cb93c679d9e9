/** What the generator does to the disk. It comes in as an argument (STYLE 5), so that a test can hold files in memory. */
import { mkdir, open, rename, rm } from 'node:fs/promises'

export interface SampleFile {
  write(bytes: Uint8Array): Promise<void>
  /** Puts the file in its place; before that nothing is seen under its name. */
  close(): Promise<void>
  /** Gives the file up, so that nothing of it is left. */
  abandon(): Promise<void>
}

export interface SampleDisk {
  /** Makes a folder and those above it. */
  mkdir(path: string): Promise<void>
  create(path: string): Promise<SampleFile>
}

/** The real disk: temporary name, sync, rename (STYLE 8). */
export const sampleDisk: SampleDisk = {
  mkdir: async (path) => void (await mkdir(path, { recursive: true })),
  create: async (path) => {
    const temporary = `${path}.tmp`
    const handle = await open(temporary, 'w')
    return {
      write: (bytes) => handle.writeFile(bytes),
      close: async () => {
        await handle.sync()
        await handle.close()
        await rename(temporary, path)
      },
      abandon: async () => {
        await handle.close()
        await rm(temporary, { force: true })
      },
    }
  },
}
