/** Runs `site` with the real disk and terminal. */
import { realEffects } from '../../corpus/command/effects.ts'
import { showProgress } from '../../corpus/command/progress.ts'
import { realNetworkEffects } from '../../corpus/transfer/network.ts'
import { type SiteOptions, type SiteReport, writeSite } from './site.ts'

export async function siteFromCommand(options: SiteOptions): Promise<SiteReport> {
  const { effects, close } = realNetworkEffects(realEffects())
  try {
    return await writeSite(options, effects, showProgress())
  } finally {
    await close()
  }
}
