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
import { pixKeyWorkflowId, verificationCodeWorkflowId } from '../workflows/contracts/pix-keys.ts'
import {
  REFUND_WORKFLOW,
  type RefundInput,
  type RefundWorkflowSignature,
  refundWorkflowId,
} from '../workflows/contracts/refunds.ts'
import {
  cancelTransferUpdate,
  TRANSFER_WORKFLOW,
  type TransferInput,
  type TransferWorkflowSignature,
  transferWorkflowId,
} from '../workflows/contracts/transfers.ts'
import {
  buildMoneyWorkflowOptions,
  buildReopenOptions,
  catchWorkflowNotFound,
  type TemporalContext,
  type WorkflowMetadata,
} from './workflow-options.ts'

/**
 * Client calls that start or update workflows on behalf of HTTP requests. Idempotent by workflow id. Only creation
 * may issue or send; all other calls read or cancel.
 */

/** Starts a charge's workflow, or joins the running one; resolves when the charge is issued or has failed. */
export function startChargeWorkflow(
  temporal: TemporalContext,
  input: ChargeInput,
  { waitMs, ...attributes }: { externalRef?: string; provider: string; waitMs: number },
): Promise<void> {
  return startAndAwaitUpdate<ChargeWorkflowSignature>(temporal, CHARGE_WORKFLOW, {
    ...buildMoneyWorkflowOptions(chargeWorkflowId(input.uuid), input, attributes),
    args: [input],
    update: awaitIssuedUpdate,
    updateId: input.uuid,
    waitMs,
  })
}

/** Starts a refund's workflow, or joins the running one; resolves when the refund is accepted or has failed. */
export function startRefundWorkflow(temporal: TemporalContext, input: RefundInput, waitMs: number) {
  return startAndAwaitUpdate<RefundWorkflowSignature>(temporal, REFUND_WORKFLOW, {
    ...buildMoneyWorkflowOptions(refundWorkflowId(input.uuid), input, { provider: input.connectionUuid }),
    args: [input],
    updateId: input.uuid,
    waitMs,
  })
}

/** Starts or joins a transfer's workflow; resolves when a provider has accepted it or all have refused. */
export function startTransferWorkflow(
  temporal: TemporalContext,
  input: TransferInput,
  { waitMs, externalRef }: { externalRef: string | undefined; waitMs: number },
): Promise<void> {
  return startAndAwaitUpdate<TransferWorkflowSignature>(temporal, TRANSFER_WORKFLOW, {
    ...buildMoneyWorkflowOptions(transferWorkflowId(input.uuid), input, {
      externalRef,
      provider: input.candidates[0]!,
    }),
    args: [input],
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

/** Workflow id of each noun, and the update that its creation waits for. */
const RESULT_UPDATES = {
  charge: { idOf: chargeWorkflowId, waited: awaitIssuedUpdate.name },
  transfer: { idOf: transferWorkflowId, waited: awaitResultUpdate.name },
  refund: { idOf: refundWorkflowId, waited: awaitResultUpdate.name },
  pix_key: { idOf: pixKeyWorkflowId, waited: awaitResultUpdate.name },
  verification_code: { idOf: verificationCodeWorkflowId, waited: awaitResultUpdate.name },
} as const

/** What a merchant creates by a POST and a workflow carries out. */
export type OperationKind = keyof typeof RESULT_UPDATES

/** Waits for the update that a parallel request started. Returns on any interruption: the caller reads the row. */
export async function awaitStartedOperation(
  temporal: TemporalContext,
  { kind, uuid, waitMs }: { kind: OperationKind; uuid: string; waitMs: number },
): Promise<void> {
  const { idOf, waited: update } = RESULT_UPDATES[kind]
  const join = async () => {
    const client = await temporal.client()
    const handle = client.workflow.getHandle(idOf(uuid))
    const deadline = Date.now() + waitMs
    await client.withDeadline(deadline, () => handle.executeUpdate(update, { updateId: uuid }))
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
