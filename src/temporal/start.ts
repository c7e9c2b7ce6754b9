import { WithStartWorkflowOperation } from '@temporalio/client'
import type { Workflow } from '@temporalio/common'
import { awaitResultUpdate } from '../workflows/contracts/await-result.ts'
import {
  awaitIssuedUpdate,
  type CancelChargeResult,
  CHARGE_WORKFLOW,
  type ChargeInput,
  type ChargeWorkflowSignature,
  cancelChargeUpdate,
  chargeWorkflowId,
} from '../workflows/contracts/charges.ts'
import type { RefundInput } from '../workflows/contracts/refunds.ts'
import {
  cancelTransferUpdate,
  type TransferInput,
  transferWorkflowId,
} from '../workflows/contracts/transfers.ts'
import {
  buildMoneyWorkflowOptions,
  buildReopenOptions,
  catchWorkflowNotFound,
  type TemporalContext,
  WORKFLOWS,
  type WorkflowMetadata,
} from './workflow-options.ts'

/**
 * Client calls that start or update workflows on behalf of HTTP requests. Idempotent by workflow id. Only creation
 * may issue or send; all other calls read or cancel.
 */

type MoneyInputs = { charge: ChargeInput; transfer: TransferInput; refund: RefundInput }

/**
 * Starts the workflow of a charge, transfer or refund, or joins the running one. Resolves when the charge is issued, a
 * provider has accepted the payout, all have refused it, or the operation has failed.
 */
export function startMoneyWorkflow<Kind extends keyof MoneyInputs>(
  temporal: TemporalContext,
  kind: Kind,
  input: MoneyInputs[Kind],
  { externalRef, waitMs }: { externalRef?: string | undefined; waitMs: number },
): Promise<void> {
  const { type, idOf } = WORKFLOWS[kind]
  const provider = 'connectionUuid' in input ? input.connectionUuid : input.candidates[0]!
  return startAndAwaitUpdate<(input: MoneyInputs[Kind]) => Promise<unknown>>(temporal, type, {
    ...buildMoneyWorkflowOptions(idOf(input.uuid), input, { externalRef, provider }),
    args: [input],
    update: getResultUpdate(kind),
    updateId: input.uuid,
    waitMs,
  })
}

type StartRequest<T extends Workflow> = WorkflowMetadata & {
  args: Parameters<T>
  /** A completed workflow is not started again, unless this allows it. */
  workflowIdReusePolicy?: 'ALLOW_DUPLICATE'
  update?: typeof awaitResultUpdate | typeof awaitIssuedUpdate
  updateId: string
  waitMs: number
}

/** Starts a workflow or joins the running one, and awaits one of its updates; safe to repeat with the same update id. */
export async function startAndAwaitUpdate<T extends Workflow>(
  temporal: TemporalContext,
  type: string,
  { args, update = awaitResultUpdate, updateId, waitMs, ...options }: StartRequest<T>,
): Promise<void> {
  const client = await temporal.client()
  const startWorkflowOperation = new WithStartWorkflowOperation<T>(type, {
    taskQueue: temporal.taskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    ...options,
    args,
  } as never)
  await client.withDeadline(Date.now() + waitMs, () =>
    client.workflow.executeUpdateWithStart(update.name, { updateId, startWorkflowOperation }),
  )
}

/** What a merchant creates by a POST and a workflow carries out. */
export type OperationKind = keyof MoneyInputs | 'pix_key' | 'verification_code'

/** Returns the update that the creation of an operation waits for. */
function getResultUpdate(kind: OperationKind) {
  return kind === 'charge' ? awaitIssuedUpdate : awaitResultUpdate
}

/** Waits for the update that a parallel request started. Returns on any interruption: the caller reads the row. */
export async function awaitStartedOperation(
  temporal: TemporalContext,
  { kind, uuid, waitMs }: { kind: OperationKind; uuid: string; waitMs: number },
): Promise<void> {
  const join = async () => {
    const client = await temporal.client()
    const handle = client.workflow.getHandle(WORKFLOWS[kind].idOf(uuid))
    const deadline = Date.now() + waitMs
    await client.withDeadline(deadline, () =>
      handle.executeUpdate(getResultUpdate(kind).name, { updateId: uuid }),
    )
  }
  await join().catch(() => undefined)
}

/** Cancels a scheduled transfer by update. False: it was sent already. `gone`: its workflow has completed. */
export async function executeCancelTransferUpdate(
  temporal: TemporalContext,
  uuid: string,
  request: { updateId: string; waitMs: number },
): Promise<boolean | 'gone'> {
  const client = await temporal.client()
  const cancellation = client.withDeadline(Date.now() + request.waitMs, () =>
    client.workflow
      .getHandle(transferWorkflowId(uuid))
      .executeUpdate(cancelTransferUpdate, { updateId: request.updateId }),
  )
  return catchWorkflowNotFound(cancellation, 'gone' as const)
}

/** Cancels a charge by update; starts its workflow from its row if none runs. */
export async function executeCancelChargeUpdate(
  temporal: TemporalContext,
  uuid: string,
  request: { updateId: string; waitMs: number },
): Promise<CancelChargeResult> {
  const client = await temporal.client()
  const start = new WithStartWorkflowOperation<ChargeWorkflowSignature>(CHARGE_WORKFLOW, {
    ...buildReopenOptions(temporal, chargeWorkflowId(uuid)),
    args: [{ reopen: uuid, timeScale: temporal.timeScale }],
  })
  return client.withDeadline(Date.now() + request.waitMs, () =>
    client.workflow.executeUpdateWithStart(cancelChargeUpdate, {
      updateId: request.updateId,
      startWorkflowOperation: start,
    }),
  )
}
