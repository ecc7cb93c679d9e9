/** Findings with what was decided about them. */
import type { Counts, Finding, Findings, UndecidedPackage } from '../findings.ts'
import type { Decider, Decision } from './decide.ts'

export interface DecidedFinding extends Finding {
  decision: Decision | null
}

export interface DecidedPackage extends UndecidedPackage {
  /** In the order of the advisories. */
  decisions: (Decision | null)[]
}

export interface DecidedFindings extends Findings {
  findings: DecidedFinding[]
  undecided: DecidedPackage[]
  counts: Counts & {
    /** Findings that a decision suppresses. They count as findings, and their packages as affected. */
    suppressed: number
  }
}

export function applyDecisions(found: Findings, { decisionOn }: Decider): DecidedFindings {
  const findings = found.findings.map((one) => ({ ...one, decision: decisionOn(one, one.advisory) }))
  return {
    ...found,
    findings,
    undecided: found.undecided.map((one) => ({
      ...one,
      decisions: one.advisories.map((advisory) => decisionOn(one, advisory)),
    })),
    counts: { ...found.counts, suppressed: findings.filter(isSuppressed).length },
  }
}

export const isSuppressed = ({ decision }: Pick<DecidedFinding, 'decision'>): boolean => decision?.suppresses === true

/** Whether decisions suppress all advisories of an undecided package. */
export const isSettled = ({ decisions }: Pick<DecidedPackage, 'decisions'>): boolean =>
  decisions.every((one) => one?.suppresses === true)
