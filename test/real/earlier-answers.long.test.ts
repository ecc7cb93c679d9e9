/** A gateway and readers answer for earlier nights of the real feeds as in those nights. */
import { test } from 'uvu'
import { temporaryFolder } from '../support/dist.ts'
import { registerEarlierAnswers } from '../support/earlier-answers.ts'
import { needs } from '../support/needs.ts'
import { realNights } from '../support/samples.ts'

needs('real feeds')

const folder = temporaryFolder('real-earlier-answers')

const dists = (await realNights()).map(({ dist }) => dist)
await registerEarlierAnswers(folder.path, dists, 250)

test.after(() => folder.remove())

test.run()
