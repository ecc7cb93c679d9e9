/** The filters of `/cves` in combinations: numbers and rows equal to filtering all records in plain JavaScript. */
import { test } from 'uvu'
import { askDirectly } from '../../../support/ask.ts'
import { packageCves } from '../../../support/package-cves.ts'
import { registerRecordFilters } from '../../../support/record-filters.ts'
import { sharedSample } from '../../../support/samples.ts'

const { corpus, dist } = await sharedSample('usual')
const asked = askDirectly(dist)

registerRecordFilters(asked, packageCves(corpus), 600)

test.after(() => asked.close())

test.run()
