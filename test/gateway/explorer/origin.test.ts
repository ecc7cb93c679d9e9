/** The texts about the origin of fields. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { SOURCES as RANKED } from '../../../corpus/model/sources.ts'
import { ORIGINS, sourceName } from '../../../gateway/explorer/app/pages/cves/origin.ts'
