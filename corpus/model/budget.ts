/** The work of one answer: comparisons are counted, so that a hostile record cannot stop the process. */

/** The comparisons that an answer may still make. */
export interface Budget {
  left: number
}

/** Takes `cost` from a budget. Returns false, and takes nothing, if that much is not left. */
export function spend(budget: Budget, cost: number): boolean {
  if (cost > budget.left) return false
  budget.left -= cost
  return true
}
