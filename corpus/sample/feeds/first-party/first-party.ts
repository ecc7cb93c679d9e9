/** Writes the data of the operator's services as NDJSON under `first-party/`. The format is next to the adapters. */
import type { SampleFeed, WrittenFile } from '../feed.ts'
import { writeAnalyses } from './analyses.ts'
import { writeDetections } from './detections.ts'
import { writeReportTypes } from './report-types.ts'
import { writeReports } from './reports.ts'
import { writeServiceScores } from './service-scores.ts'

export const firstParty: SampleFeed = {
  name: 'first-party',
  write: async (world, folder) => {
    const files: WrittenFile[] = []
    for (const write of [writeReports, writeReportTypes, writeAnalyses, writeServiceScores, writeDetections]) {
      files.push(...(await write(world, folder)))
    }
    return files
  },
}
