/** What the generator of one feed is: a function that writes the feed's files of all nights into its folder. */
import type { SampleDisk } from '../disk.ts'
import type { World } from '../world.ts'

/** A file as written; `path` is relative to the feeds folder. */
export interface WrittenFile {
  path: string
  records: number
  bytes: number
}

export interface SampleFeed {
  /** The folder of the feed in the feeds folder. */
  name: string
  write(world: World, folder: FeedFolder): Promise<WrittenFile[]>
}

/** The folder of a feed, and those inside it. */
export interface FeedFolder {
  /** Open a file for writing by its path in the folder. */
  create: SampleDisk['create']
  scratch: SampleDisk['scratch']
  /** Writes a whole file. */
  write(path: string, content: Uint8Array | string, records: number): Promise<WrittenFile>
  /** The path as reports name it. */
  named(path: string): string
}
