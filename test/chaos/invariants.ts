import type { FinalState, Violation } from './final-state.ts'
import { checkAccountStatements } from './invariants/account-statements.ts'
import { checkBatches } from './invariants/batches.ts'
import { checkCallouts } from './invariants/callouts.ts'
import { checkChargeIds } from './invariants/charge-ids.ts'
import { checkDepositReturns } from './invariants/deposit-returns.ts'
import { checkDisputes } from './invariants/disputes.ts'
import { checkDueCharges } from './invariants/due-charges.ts'
import { checkEvents } from './invariants/events.ts'
import { checkKeyLookups } from './invariants/key-lookups.ts'
import { checkLedgerBalances } from './invariants/ledger.ts'
import { checkLimits } from './invariants/limits.ts'
import { checkModes } from './invariants/modes.ts'
import { checkRefundsAndSplits } from './invariants/refunds-and-splits.ts'
import { checkRequests } from './invariants/requests.ts'
import { checkSharedAccounts } from './invariants/shared-accounts.ts'
import { checkProviderStatement } from './invariants/statement.ts'
import { checkUndocumentedAnswers } from './invariants/undocumented-answers.ts'
import { checkWorkflows } from './invariants/workflows.ts'

/** Everything that must hold when a storm is over. Pure: from the final state to its violations. */
export function findViolations(world: FinalState): Violation[] {
  return RULES.flatMap(rule => rule(world))
}

const RULES = [
  checkProviderStatement,
  checkChargeIds,
  checkLedgerBalances,
  checkWorkflows,
  checkRequests,
  checkEvents,
  checkRefundsAndSplits,
  checkDueCharges,
  checkDisputes,
  checkDepositReturns,
  checkLimits,
  checkBatches,
  checkCallouts,
  checkKeyLookups,
  checkUndocumentedAnswers,
  checkAccountStatements,
  checkModes,
  checkSharedAccounts,
] satisfies ((world: FinalState) => Violation[])[]
