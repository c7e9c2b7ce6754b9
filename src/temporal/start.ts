import { WithStartWorkflowOperation, type WorkflowStartOptions } from '@temporalio/client'
import type { UpdateDefinition } from '@temporalio/common'
import type { OrderedMoneyNoun, OrderedNoun } from '../domain/shared/nouns.ts'
import {
  awaitIssuedUpdate,
  type CancelChargeResult,
  type ChargeInput,
  type ChargeRevisionOrder,
  cancelChargeUpdate,
  type ReviseChargeResult,
  reviseChargeUpdate,
} from '../workflows/contracts/charges.ts'
import type { DisputeInput, DisputeRequestOrder } from '../workflows/contracts/disputes.ts'
import {
  awaitResultUpdate,
  type DepositReturnInput,
  type ReopenedInput,
} from '../workflows/contracts/orders.ts'
import type { AuthCodeInput, PixKeyInput } from '../workflows/contracts/pix-keys.ts'
import {
  type CancelRecurrenceResult,
  cancelRecurrenceUpdate,
  type RecurrenceInput,
} from '../workflows/contracts/recurrences.ts'
import type { RefundInput } from '../workflows/contracts/refunds.ts'
import { type ReportInput, removeReportUpdate } from '../workflows/contracts/reports.ts'
import { SEARCH_ATTRIBUTES } from '../workflows/contracts/search-attributes.ts'
import { buildMoneyWorkflowOptions } from '../workflows/contracts/start-options.ts'
import { cancelTransferUpdate, type TransferInput } from '../workflows/contracts/transfers.ts'
import type { PasswordResetInput } from '../workflows/contracts/users.ts'
import { WORKFLOWS, type WorkflowInputs } from '../workflows/contracts/workflows.ts'
import { REQUESTED_DISPUTE } from './signals.ts'
import { isWorkflowRunning } from './workflow-history.ts'
import {
  buildReopenOptions,
  catchWorkflowNotFound,
  startOrReopenWorkflow,
  type TemporalContext,
} from './workflow-options.ts'

/**
 * Client calls that start or update workflows on behalf of HTTP requests. Idempotent by workflow id. Only creation
 * may issue or send; all other calls read or cancel.
 */

/**
 * Priority of the workflow tasks of new charges and transfers, lower than the default (3): refunds, returns, webhook
 * deliveries and notifications, whose workflows start later, do not wait for them.
 */
const NEW_OPERATION_PRIORITY = { priorityKey: 4 }

/**
 * Priority of the items of a batch and of reports, lower than that of a transfer that a caller waits for. Within it the accounts have
 * their turns, so that what one has ordered does not hold up another.
 */
const buildBackgroundPriority = (accountUuid: string) => ({ priorityKey: 5, fairnessKey: accountUuid })

type MoneyInput = ChargeInput | TransferInput | RefundInput

/**
 * Starts the workflow of a charge, transfer or refund, or joins the running one. Resolves when the charge is issued, a
 * provider has accepted the payout, all have refused it, or the operation has failed.
 */
export function startMoneyWorkflow<Noun extends OrderedMoneyNoun>(
  temporal: TemporalContext,
  noun: Noun,
  input: WorkflowInputs[Noun] & MoneyInput,
  { externalRef, waitMs }: { externalRef?: string | undefined; waitMs: number },
): Promise<void> {
  return startAndAwaitWorkflow(temporal, noun, input, {
    ...buildMoneyWorkflowOptions(noun, input, { externalRef }),
    ...(noun !== 'refund' && {
      priority: isBatchItem(input) ? buildBackgroundPriority(input.accountUuid) : NEW_OPERATION_PRIORITY,
    }),
    updateId: input.uuid,
    waitMs,
  })
}

function isBatchItem(input: MoneyInput | ReopenedInput): boolean {
  return 'batchUuid' in input && input.batchUuid !== undefined
}

/** `updateId` identifies one request: a repeat gets the same result. */
export type UpdateRequest = { updateId: string; waitMs: number }
type StartOptions = Omit<WorkflowStartOptions, 'args' | 'taskQueue' | 'workflowId'>

/** Starts a workflow or joins the running one, and awaits its result; safe to repeat with the same update id. */
async function startAndAwaitWorkflow<Noun extends OrderedNoun | 'pix_key_removal'>(
  temporal: TemporalContext,
  noun: Noun,
  input: WorkflowInputs[Noun] & { uuid: string },
  { updateId, waitMs, ...options }: UpdateRequest & StartOptions,
): Promise<void> {
  const reuse = { workflowIdReusePolicy: 'REJECT_DUPLICATE' } as const
  const workflow = { noun, uuid: input.uuid, input, ...reuse, ...options }
  await executeUpdateWithStart(temporal, workflow, getResultUpdate(noun), { updateId, waitMs, args: [] })
}

type WorkflowToUpdate<Noun extends keyof WorkflowInputs> = StartOptions & {
  noun: Noun
  uuid: string
  input: WorkflowInputs[Noun]
}

/** Executes an update of the workflow of a row; starts it if none runs. */
export async function executeUpdateWithStart<
  Noun extends keyof WorkflowInputs,
  Result,
  Args extends unknown[],
>(
  temporal: TemporalContext,
  { noun, uuid, input, ...options }: WorkflowToUpdate<Noun>,
  update: UpdateDefinition<Result, Args>,
  { updateId, waitMs, args }: UpdateRequest & { args: Args },
): Promise<Result> {
  const client = await temporal.client()
  const { type, idOf } = WORKFLOWS[noun]
  const startWorkflowOperation = new WithStartWorkflowOperation<
    (input: WorkflowInputs[Noun]) => Promise<unknown>
  >(type, { ...buildReopenOptions(temporal, idOf(uuid)), ...options, args: [input] })
  return client.withDeadline(Date.now() + waitMs, () =>
    client.workflow.executeUpdateWithStart(update, { args, updateId, startWorkflowOperation }),
  )
}

function getResultUpdate(noun: OrderedNoun | 'pix_key_removal'): UpdateDefinition<unknown, []> {
  return noun === 'charge' ? awaitIssuedUpdate : awaitResultUpdate
}

export function getOperationWorkflowId(noun: OrderedNoun, uuid: string): string {
  return WORKFLOWS[noun].idOf(uuid)
}

/** Returns whether the workflow of an operation runs, also before it has stored its row. Fails while Temporal is unreachable. */
export async function isOperationRunning(
  temporal: TemporalContext,
  { noun, uuid, waitMs }: { noun: OrderedNoun; uuid: string; waitMs: number },
): Promise<boolean> {
  const client = await temporal.client()
  return client.withDeadline(Date.now() + waitMs, () =>
    isWorkflowRunning(client, getOperationWorkflowId(noun, uuid)),
  )
}

/** Waits for the update that a parallel request started. Returns on any interruption: the caller reads the row. */
export async function awaitStartedOperation(
  temporal: TemporalContext,
  { noun, uuid, waitMs }: { noun: OrderedNoun; uuid: string; waitMs: number },
): Promise<void> {
  try {
    const client = await temporal.client()
    const handle = client.workflow.getHandle(WORKFLOWS[noun].idOf(uuid))
    const join = () => handle.executeUpdate(getResultUpdate(noun).name, { updateId: uuid })
    await client.withDeadline(Date.now() + waitMs, join)
  } catch {}
}

/** Cancels a scheduled transfer by update. False: it was sent already. `gone`: its workflow has completed. */
export async function executeCancelTransferUpdate(
  temporal: TemporalContext,
  uuid: string,
  { updateId, waitMs }: UpdateRequest,
): Promise<boolean | 'gone'> {
  const client = await temporal.client()
  const handle = client.workflow.getHandle(WORKFLOWS.transfer.idOf(uuid))
  const cancellation = client.withDeadline(Date.now() + waitMs, () =>
    handle.executeUpdate(cancelTransferUpdate, { updateId }),
  )
  return catchWorkflowNotFound(cancellation, 'gone' as const)
}

/** Cancels a charge by update; starts its workflow from its row if none runs. */
export function executeCancelChargeUpdate(
  temporal: TemporalContext,
  uuid: string,
  request: UpdateRequest,
): Promise<CancelChargeResult> {
  const input = { reopen: uuid, timeScale: temporal.timeScale }
  const workflow = { noun: 'charge', uuid, input } as const
  return executeUpdateWithStart(temporal, workflow, cancelChargeUpdate, { ...request, args: [] })
}

/** Revises a charge by update; starts its workflow from its row if none runs. */
export function executeReviseChargeUpdate(
  temporal: TemporalContext,
  { chargeUuid, order }: { chargeUuid: string; order: ChargeRevisionOrder },
  request: UpdateRequest,
): Promise<ReviseChargeResult> {
  const input = { reopen: chargeUuid, timeScale: temporal.timeScale }
  const workflow = { noun: 'charge', uuid: chargeUuid, input } as const
  return executeUpdateWithStart(temporal, workflow, reviseChargeUpdate, { ...request, args: [order] })
}

/** Returns the id of the workflow that returns a PIX, by which the acts of users and operators name it. */
export function getReturnWorkflowId(movementUuid: string): string {
  return WORKFLOWS.return.idOf(movementUuid)
}

/** Starts or joins the workflow that orders the return of a deposit; resolves when the order is stored. Safe to repeat. */
export function startDepositReturnWorkflow(
  temporal: TemporalContext,
  input: DepositReturnInput,
  waitMs: number,
): Promise<void> {
  const metadata = buildOrderMetadata(input, 'Order to return a deposit')
  return startAndAwaitWorkflow(temporal, 'deposit_return', input, {
    ...metadata,
    updateId: input.uuid,
    waitMs,
  })
}

/** Starts or joins the workflow of a recurrence; resolves when it is created or cannot be. */
export function startRecurrenceWorkflow(
  temporal: TemporalContext,
  input: RecurrenceInput,
  waitMs: number,
): Promise<void> {
  const metadata = buildOrderMetadata({ ...input, connectionUuid: input.candidates[0]! }, 'Recurrence')
  return startAndAwaitWorkflow(temporal, 'recurrence', input, { ...metadata, updateId: input.uuid, waitMs })
}

/** Cancels a recurrence by update; starts its workflow from its row if none runs. */
export function executeCancelRecurrenceUpdate(
  temporal: TemporalContext,
  uuid: string,
  request: UpdateRequest,
): Promise<CancelRecurrenceResult> {
  const input = { reopen: uuid, timeScale: temporal.timeScale }
  const workflow = { noun: 'recurrence', uuid, input } as const
  return executeUpdateWithStart(temporal, workflow, cancelRecurrenceUpdate, { ...request, args: [] })
}

/** Starts or joins the workflow that creates a PIX key; resolves when the key is created or cannot be. */
export function startPixKeyWorkflow(
  temporal: TemporalContext,
  input: PixKeyInput,
  waitMs: number,
): Promise<void> {
  const metadata = buildOrderMetadata(input, `PIX key, ${input.type}`)
  return startAndAwaitWorkflow(temporal, 'pix_key', input, { ...metadata, updateId: input.uuid, waitMs })
}

/**
 * Starts or joins the workflow that removes a PIX key; resolves when the key is removed or stays. A failed removal
 * may be requested again.
 */
export function startPixKeyRemovalWorkflow(
  temporal: TemporalContext,
  removal: Pick<PixKeyInput, 'uuid' | 'accountUuid' | 'connectionUuid' | 'requestId'>,
  request: UpdateRequest,
): Promise<void> {
  const input = { uuid: removal.uuid, timeScale: temporal.timeScale }
  return startAndAwaitWorkflow(temporal, 'pix_key_removal', input, {
    ...buildOrderMetadata(removal, 'Removal of a PIX key'),
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    ...request,
  })
}

/** Starts or joins the workflow of an auth code; resolves when the code is stored. */
export function startAuthCodeWorkflow(
  temporal: TemporalContext,
  input: AuthCodeInput,
  waitMs: number,
): Promise<void> {
  const metadata = buildOrderMetadata(input, `Code for a key, ${input.type}`)
  return startAndAwaitWorkflow(temporal, 'auth_code', input, { ...metadata, updateId: input.uuid, waitMs })
}

/** Starts or joins the workflow of a dispute that an account requests; resolves when its provider has answered, or has not at first. */
export function startDisputeRequestWorkflow(
  temporal: TemporalContext,
  input: DisputeInput & { request: DisputeRequestOrder },
  waitMs: number,
): Promise<void> {
  const { connectionUuid, requestId, request } = input
  const { accountUuid } = request
  const metadata = buildOrderMetadata({ accountUuid, connectionUuid, requestId }, REQUESTED_DISPUTE)
  return startAndAwaitWorkflow(temporal, 'dispute', input, { ...metadata, updateId: input.uuid, waitMs })
}

/** Starts or joins the workflow of a report; resolves when the report is stored. */
export function startReportWorkflow(
  temporal: TemporalContext,
  input: ReportInput,
  waitMs: number,
): Promise<void> {
  const { connectionUuid, ...order } = input
  const bound = connectionUuid !== null && { connectionUuid }
  return startAndAwaitWorkflow(temporal, 'report', input, {
    ...buildOrderMetadata({ ...order, ...bound }, `Report, ${input.kind}`),
    priority: buildBackgroundPriority(input.accountUuid),
    updateId: input.uuid,
    waitMs,
  })
}

/** Ends a report and deletes its file by update; starts its workflow from its row if none runs. */
export function executeRemoveReportUpdate(
  temporal: TemporalContext,
  uuid: string,
  request: UpdateRequest,
): Promise<void> {
  const input = { reopen: uuid, timeScale: temporal.timeScale }
  const workflow = { noun: 'report', uuid, input } as const
  return executeUpdateWithStart(temporal, workflow, removeReportUpdate, { ...request, args: [] })
}

/** Builds what the Temporal UI shows of an order without a value: no key and no address. */
function buildOrderMetadata(
  {
    accountUuid,
    connectionUuid,
    requestId,
  }: { accountUuid: string; connectionUuid?: string; requestId: string },
  staticSummary: string,
): StartOptions {
  return {
    memo: { requestId },
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.account, value: accountUuid },
      ...(connectionUuid ? [{ key: SEARCH_ATTRIBUTES.provider, value: connectionUuid }] : []),
    ],
    staticSummary,
  }
}

/** Starts the workflow that sends the link of a forgotten password. A second start with the same uuid joins the first. */
export async function startPasswordResetWorkflow(
  temporal: TemporalContext,
  request: Omit<PasswordResetInput, 'timeScale'>,
  waitMs: number,
): Promise<void> {
  const client = await temporal.client()
  const input = { ...request, timeScale: temporal.timeScale }
  const options = { staticSummary: 'Link for a new password' }
  await client.withDeadline(Date.now() + waitMs, () =>
    startOrReopenWorkflow(temporal, 'password_reset', request.uuid, input, options),
  )
}
