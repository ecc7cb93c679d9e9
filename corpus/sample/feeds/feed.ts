/** The interface of a feed's generator: it writes the feed's files of all nights into its folder. */
import type { SampleDisk } from '../disk.ts'
import type { World } from '../world.ts'

/** A written file. `path` is relative to the feeds folder. */
export interface WrittenFile {
  path: string
  records: number
  bytes: number
}

export interface SampleFeed {
  /** Name of the feed's folder in the feeds folder. */
  name: string
  write(world: World, folder: FeedFolder): Promise<WrittenFile[]>
}

/** The folder of a feed with its subfolders. */
export interface FeedFolder {
  /** Opens a file by its path in the folder. */
  create: SampleDisk['create']
  write(path: string, content: Uint8Array | string, records: number): Promise<WrittenFile>
  /** Returns the path for reports. */
  named(path: string): string
}
