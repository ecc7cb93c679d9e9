/** Runs `publish` with the real disk, network and terminal. */
import { realEffects } from '../../corpus/command/effects.ts'
import { showProgress } from '../../corpus/command/progress.ts'
import { realNetworkEffects } from '../../corpus/transfer/network.ts'
import { type PublishOptions, type PublishReport, publish } from './publish.ts'

export async function publishFromCommand(options: PublishOptions): Promise<PublishReport> {
  const { effects, close } = realNetworkEffects(realEffects())
  try {
    return await publish(options, effects, showProgress())
  } finally {
    await close()
  }
}
