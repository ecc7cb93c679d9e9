/**
 * `npx tsx test/real/mirror-kill.ts [times] [seed]`: mirrors of the real feeds, the baseline and the newest night,
 * killed with SIGKILL at random moments. The connection truncates, closes, delays, and answers 500 and 429. Every
 * mirror must become complete and correct. Not part of `npm test`: it takes some minutes.
 */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { hardTimes } from '../gateway/mirror/hard-times.ts'
import { makeSigner, signDist } from '../gateway/mirror/repository.ts'
import { ingestAndBuild, temporaryFolder } from '../support/dist.ts'
import { needs } from '../support/needs.ts'
import { BASELINE, linkFeeds, NEWEST } from './feeds-folder.ts'

/** The feeds that each night adds. */
const NIGHTS = [
  [BASELINE, 'epss/epss_scores-2024-10-26.csv.gz', 'kev/known_exploited_vulnerabilities.json', 'cna/CNAsList.json'],
  [NEWEST, 'epss/epss_scores-2025-08-30.csv.gz'],
]

const times = Number(process.argv[2] ?? 50)
const seed = Number(process.argv[3] ?? Math.floor(Math.random() * 2 ** 31))
const folder = temporaryFolder('mirror-kill')

async function main(): Promise<void> {
  needs('real feeds')
  const at = (name: string) => join(folder.path, name)
  const signer = await makeSigner()
  const nights: string[] = []
  for (const [i, files] of NIGHTS.entries()) {
    linkFeeds(at('feeds'), files)
    await ingestAndBuild({ feeds: at('feeds'), corpus: at('corpus.db'), dist: at('origin'), jobs: 2 })
    await signDist(at('origin'), signer)
    cpSync(at('origin'), at(`night-${i}`), { recursive: true })
    nights.push(at(`night-${i}`))
  }
  console.log(`seed ${seed}`)
  const say = (line: string) => console.log(line)
  const options = {
    nights,
    signer,
    folder: at('mirrors'),
    kills: times,
    seed,
    faultShare: 0.03,
    bytesPerMs: 20_000,
    say,
  }
  const { kills, ended, mirrors, sent, needed } = await hardTimes(options)
  console.log(
    `${kills} kills, ${ended.well} runs that ended well, ${ended.badly} with an error; ${mirrors} mirrors, all complete and right; ` +
      `${sent} bytes came where ${needed} are needed: ${((sent / needed - 1) * 100).toFixed(2)} % twice`,
  )
}

await main().finally(() => folder.remove())
