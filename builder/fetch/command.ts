/** Runs `fetch` with the real disk, network and environment. */
import type { Progress } from '../../corpus/command/progress.ts'
import { realNetworkEffects } from '../../corpus/transfer/network.ts'
import { type FetchOptions, type FetchReport, fetchFeeds } from './fetch.ts'
import type { FetchCommandOptions } from './options.ts'

/** @throws TransferError if the folder is unusable */
export async function fetchFromCommand(
  feeds: string,
  options: FetchCommandOptions,
  progress: Progress,
): Promise<FetchReport> {
  const { effects, close } = realNetworkEffects()
  try {
    return await fetchFeeds(fetchOptions(feeds, options), effects, progress)
  } finally {
    await close()
  }
}

/** Returns the options of a fetch, with the token of the environment. */
export function fetchOptions(
  feeds: string,
  { only, baseUrl, osvEcosystems, epssSince }: FetchCommandOptions,
): FetchOptions {
  const githubToken = process.env.GITHUB_TOKEN
  return {
    feeds,
    bases: baseUrl,
    ...(only ? { only } : {}),
    ...(osvEcosystems ? { ecosystems: osvEcosystems } : {}),
    ...(epssSince ? { epssSince } : {}),
    ...(githubToken ? { githubToken } : {}),
  }
}
