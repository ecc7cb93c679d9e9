/** Runs `fetch` with the real disk, network and environment. */
import type { Progress } from '../../corpus/command/progress.ts'
import { realNetworkEffects } from '../../corpus/transfer/network.ts'
import { type FetchReport, fetchFeeds } from './fetch.ts'
import type { FetchCommandOptions } from './options.ts'

/** @throws TransferError if the folder is unusable */
export async function fetchFromCommand(
  feeds: string,
  { only, baseUrl, osvEcosystems }: FetchCommandOptions,
  progress: Progress,
): Promise<FetchReport> {
  const { effects, close } = realNetworkEffects()
  const githubToken = process.env.GITHUB_TOKEN
  try {
    const options = {
      feeds,
      bases: baseUrl,
      ...(only ? { only } : {}),
      ...(osvEcosystems ? { ecosystems: osvEcosystems } : {}),
      ...(githubToken ? { githubToken } : {}),
    }
    return await fetchFeeds(options, effects, progress)
  } finally {
    await close()
  }
}
