/** The closed sets of values that lists filter by, as their sources spell them. */
import type { ExploitModule } from './record.ts'
import type { Grade } from './scores/completeness.ts'

export const CWE_ABSTRACTIONS = ['Pillar', 'Class', 'Base', 'Variant', 'Compound'] as const
export const CWE_LIKELIHOODS = ['High', 'Medium', 'Low'] as const
export const CAPEC_SEVERITIES = ['Very High', 'High', 'Medium', 'Low', 'Very Low'] as const
export const GRADES = ['A', 'B', 'C', 'D', 'F'] as const satisfies readonly Grade[]
export const ACTIVITY_STATUSES = ['Active', 'Inactive'] as const
export const EXPLOIT_SOURCES = [
  'exploit_archive',
  'exploit_framework',
] as const satisfies readonly ExploitModule['source'][]
