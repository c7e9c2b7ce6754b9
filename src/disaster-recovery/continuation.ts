import type { EntityManager } from '../db/client/orm.ts'
import { findAttempts } from '../db/repositories/attempts.ts'
import { findUnfinishedRow } from '../db/repositories/lost-workflows.ts'
import { readOperationState } from '../db/repositories/operation-states.ts'
import { type MoneyNoun, type OrderedMoneyNoun, WORKFLOW_NOUNS } from '../domain/shared/nouns.ts'
import type { Sealer } from '../security/sealing.ts'
import { type FailingWorkflow, restartWorkflow } from '../temporal/failing-workflows.ts'
import { signalOperation, signalReturn } from '../temporal/signals.ts'
import { readRunInput, readWorkflowHistory, terminateWorkflow } from '../temporal/workflow-history.ts'
import type { TemporalContext } from '../temporal/workflow-options.ts'
import type { ReopenedInput } from '../workflows/contracts/orders.ts'
import { REBUILD_WORKFLOW } from '../workflows/contracts/rebuild.ts'
import type { ReturnPaymentInput } from '../workflows/contracts/unmatched.ts'
import { WORKFLOWS } from '../workflows/contracts/workflows.ts'
import { isRowBehindHistory, readPayoutHistory } from './payout-history.ts'
import { findEarlierConnections, type RebuildableInput, terminating } from './rebuild-inputs.ts'
import { findReopening } from './reopen.ts'

/**
 * Continues the operation of a workflow whose history does not replay. One call of Temporal terminates the run and starts the next one,
 * so that no crash comes between the two.
 */
type Continuation = () => Promise<void>

const notify = (connectionUuid: string) => ({ notificationUuid: connectionUuid, connectionUuid })

/**
 * Finds what continues the operation of a workflow. It polls providers, and sends nothing that may have been sent. Undefined where the
 * rows are older than the workflow's history: the rebuild of a restored database decides.
 */
export async function findContinuation(
  context: TemporalContext,
  { em, sealer }: { em: EntityManager; sealer: Sealer },
  workflow: FailingWorkflow,
): Promise<Continuation | undefined> {
  const temporal = terminating(context)
  const { workflowId, type } = workflow
  const noun = WORKFLOW_NOUNS.find(one => WORKFLOWS[one].type === type)
  const uuid = workflowId.split('/')[1] ?? ''
  // An activity decides from its row whether it still has to do something.
  const restart = (changes: object = {}) => restartWorkflow(temporal, workflow, changes)
  switch (noun) {
    case 'charge':
    case 'transfer':
    case 'refund':
      return findMoneyContinuation(noun)
    case 'return':
      return findReturnContinuation()
    case 'dispute':
      return () => restart({ hasPendingNotification: true })
    case 'pix_key_removal':
      // A key that is active again was refused, and is not removed now.
      return (await findUnfinishedRow(em, 'pix_key', uuid))?.state === 'removing' ? () => restart() : end
    case undefined:
      if (type === REBUILD_WORKFLOW) return () => restart()
      return end // Its schedule, or the next request, starts the next round.
    default:
      return () => restart()
  }

  async function end(): Promise<void> {
    await terminateWorkflow(await temporal.client(), workflowId, 'its history does not replay')
  }

  async function findMoneyContinuation(money: OrderedMoneyNoun): Promise<Continuation | undefined> {
    const row = await findUnfinishedRow(em, money, uuid)
    if (row) return findReopening(temporal, { sealer }, money, row)
    const operation = await readOperationState(em, money, uuid)
    // A workflow of a row in a final state polls for what a late notification has reported.
    if (operation) return () => signalOperation(temporal, money, uuid, notify(operation.connectionUuid))
    return (await areRowsCurrent(money)) ? () => restart() : undefined
  }

  async function findReturnContinuation(): Promise<Continuation | undefined> {
    const row = await findUnfinishedRow(em, 'return', uuid)
    if (row?.state === 'returning') return findReopening(temporal, { sealer }, 'return', row)
    if (!(await areRowsCurrent('return'))) return undefined
    return async () => {
      const input = await readRunInput<ReturnPaymentInput | ReopenedInput>(await temporal.client(), workflow)
      const connectionUuid = findReturnConnection(input)
      if (connectionUuid) await signalReturn(temporal, { uuid, connectionUuid }, notify(connectionUuid))
    }
  }

  /** Whether every call of the runs of the workflow that may have ordered something has its attempt, which a restored backup may lack. */
  async function areRowsCurrent(money: MoneyNoun): Promise<boolean> {
    const client = await temporal.client()
    const history = await readWorkflowHistory<RebuildableInput>(client, workflowId, uuid)
    if (!history) return false
    const { input, runIds } = history
    const calls = await readPayoutHistory(client, {
      workflowId,
      runIds,
      restoredAt: new Date(),
      earlierConnections: findEarlierConnections(input),
    })
    if (money === 'charge') return !calls.isIssued
    const attempts = await findAttempts(em, { operation: money, subjectUuid: uuid })
    return !isRowBehindHistory(calls, { state: '', attempts })
  }
}

function findReturnConnection(input: ReturnPaymentInput | ReopenedInput): string | undefined {
  if (!('reopen' in input)) return input.connectionUuid
  return (input.unfinished?.candidates ?? input.pendingConnections)?.[0]
}
