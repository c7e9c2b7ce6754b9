import type { EntityManager } from '../db/client/orm.ts'
import { type ActiveNoun, findConnectionOf, findUnfinishedRow } from '../db/repositories/lost-workflows.ts'
import type { Sealer } from '../security/sealing.ts'
import type { FailingWorkflow } from '../temporal/failing-workflows.ts'
import { signalDeposit, signalOperation } from '../temporal/signals.ts'
import type { TemporalContext } from '../temporal/workflow-options.ts'
import { WORKFLOWS } from '../workflows/contracts/workflows.ts'
import { canReopenWorkflow, reopenWorkflow } from './reopen.ts'

/** Continues the operation of a workflow that was terminated, from its row; undefined where nothing can. */
type Continuation = (() => Promise<unknown>) | undefined

const NOUNS = Object.keys(WORKFLOWS) as (keyof typeof WORKFLOWS)[]
const notify = (connectionUuid: string) => ({ notificationUuid: connectionUuid, connectionUuid })

/**
 * Finds what continues the operation of a workflow once it is terminated. It polls providers, and sends nothing that may have been sent.
 * Undefined for an operation whose order exists only in its workflow, or that an operator decides.
 */
export async function findContinuation(
  temporal: TemporalContext,
  { em, sealer }: { em: EntityManager; sealer: Sealer },
  { workflowId, type }: FailingWorkflow,
): Promise<Continuation> {
  const noun = NOUNS.find(one => WORKFLOWS[one].type === type)
  const [, uuid = '', ...rest] = workflowId.split('/')
  switch (noun) {
    case 'charge':
    case 'transfer':
    case 'refund':
    case 'return':
    case 'dispute':
    case 'orphan':
      return findRowContinuation(noun)
    case 'pix_key':
    case 'pix_key_removal':
      return findRowContinuation('pix_key')
    case 'deposit':
      return () =>
        signalDeposit(
          temporal,
          { connectionUuid: uuid, endToEnd: rest.join('/'), requestId: workflowId },
          notify(uuid),
        )
    case 'delivery':
      return async () => {} // The sweep of deliveries starts it again.
    default:
      return undefined
  }

  async function findRowContinuation(active: ActiveNoun): Promise<Continuation> {
    const row = await findUnfinishedRow(em, active, uuid)
    if (!row) return continueFinal(active)
    if (!canReopenWorkflow(active, row)) return undefined
    return () => reopenWorkflow(temporal, { sealer }, active, row)
  }

  /** A workflow of a row in a final state polls for what a late notification has reported. */
  async function continueFinal(active: ActiveNoun): Promise<Continuation> {
    if (active !== 'charge' && active !== 'transfer' && active !== 'refund') return async () => {}
    const connectionUuid = await findConnectionOf(em, active, uuid)
    return connectionUuid ? () => signalOperation(temporal, active, uuid, notify(connectionUuid)) : undefined
  }
}
