/** The filters of `/cves` in combinations, on the real feeds. */
import { test } from 'uvu'
import { askDirectly } from '../support/ask.ts'
import { needs } from '../support/needs.ts'
import { packageCves } from '../support/package-cves.ts'
import { registerRecordFilters } from '../support/record-filters.ts'
import { realDist } from '../support/samples.ts'

needs('real feeds')

const { corpus, dist } = await realDist()
const asked = askDirectly(dist)

registerRecordFilters(asked, packageCves(corpus), 1000, { unknown: ['epss_change_min'] })

test.after(() => asked.close())

test.run()
