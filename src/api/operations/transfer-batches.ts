import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import {
  type BatchesQuery,
  type BatchFacts,
  type BatchItemsQuery,
  type CreateBatchBody,
  findItemStates,
  needsBatchApproval,
  showBatch,
  showBatchItem,
  toItemDestination,
} from '../../contract/transfers/transfer-batch.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { isUniqueViolation } from '../../db/client/transaction.ts'
import { TransferBatch } from '../../db/entities/transfer-batch.ts'
import { batchQueries, constantQuery, runQuery } from '../../db/pipeline/query.ts'
import { queryLockedLimits, readAccountLimits } from '../../db/repositories/account-limits.ts'
import { insertApprovalRequest, queryApproval } from '../../db/repositories/approvals.ts'
import {
  countBatchItems,
  countSelectedItems,
  insertBatchItems,
  lockTransferBatch,
  readBatchItems,
} from '../../db/repositories/transfer-batches.ts'
import { computeApprovalExpiry, needsApproval } from '../../domain/approvals/approval.ts'
import { planFirstCallout } from '../../domain/approvals/callout.ts'
import { type AccountLimits, getEffectiveLimits, NO_LIMITS } from '../../domain/limits/account-limits.ts'
import { uuidFromHash } from '../../domain/pix/identifiers.ts'
import { formatTimestamp } from '../../domain/shared/timestamp.ts'
import { type BatchState, batchMachine } from '../../domain/transfers/transfer-batch.ts'
import { fail } from '../../http/api-error.ts'
import { getRequestDeadline } from '../../http/request-deadline.ts'
import { type FieldErrors, limitFieldErrors } from '../../http/validate.ts'
import { sha256 } from '../../security/sealing.ts'
import {
  executeApplyDecisionUpdate,
  executeCancelBatchUpdate,
  wakeBatchWorkflow,
} from '../../temporal/transfer-batches.ts'
import type { TemporalContext } from '../../temporal/workflow-options.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { queryCandidates, requireUnpausedConnections } from '../routing/provider-candidates.ts'
import { giveVerdict } from './approvals.ts'
import { collectItemErrors, readItemRules } from './batch-items.ts'
import type { CreateRequest } from './create-operation.ts'
import {
  deriveOperationUuid,
  fingerprintRequest,
  REPLAYED_HEADERS,
  requireSameRequest,
} from './idempotency.ts'
import { buildCreationRange, mapPage, readEntityPage, readOrderedPage } from './pagination.ts'
import { prepareWorkflowCall, readOrFailNotConfirmed } from './start-and-wait.ts'
import { buildTransferDetails, collectScheduleErrors } from './transfers.ts'
import { orderAuthorOf, type UserAct, type UserAction, writeDirectly } from './user-acts.ts'

export const BATCHES_PATH = '/api/v1/transfers/batches'

/** Builds the filter of the batches that a token may see: of its mode, and a bound one those of its provider alone. */
function visibleBatches({ accountUuid, connectionUuid, modeScope }: CallerToken) {
  return {
    accountUuid,
    ...(connectionUuid !== null && { connectionUuid }),
    ...(modeScope && { isSimulated: modeScope === 'test' }),
  }
}

/** Reads a batch that the token may see, or fails with 404. */
async function requireVisibleBatch(
  em: EntityManager,
  token: CallerToken,
  uuid: string,
): Promise<TransferBatch> {
  return (await em.fork().findOne(TransferBatch, { uuid, ...visibleBatches(token) })) ?? fail('not_found')
}

/** Reads a batch with the counts of its items. */
export async function readTransferBatch(em: EntityManager, token: CallerToken, uuid: string) {
  const batch = await requireVisibleBatch(em, token, uuid)
  const facts = await readBatchFacts(em, token, [batch])
  return showBatch(batch, facts.get(uuid)!)
}

/** Reads what batches of an account show beside their rows. */
async function readBatchFacts(
  em: EntityManager,
  { accountUuid }: CallerToken,
  batches: TransferBatch[],
): Promise<Map<string, BatchFacts>> {
  const uuids = batches.map(({ uuid }) => uuid)
  const counts = await countBatchItems(em, accountUuid, uuids)
  const queries = batches.map(one =>
    needsBatchApproval(one) ? queryApproval(one.uuid) : constantQuery(undefined),
  )
  const approvals = await runQuery(em, batchQueries(...queries))
  return new Map(
    uuids.map((uuid, index) => [uuid, { counts: counts.get(uuid)!, approval: approvals[index] }]),
  )
}

export async function listTransferBatches(em: EntityManager, token: CallerToken, query: BatchesQuery) {
  const createdAt = buildCreationRange(query)
  const states = query.status?.flatMap(batchMachine.statesShowing)
  const page = await readEntityPage(em, TransferBatch, {
    name: 'transfer_batch',
    query,
    filter: {
      ...visibleBatches(token),
      ...(states && { state: { $in: states } }),
      ...(query.uuid && { uuid: { $in: query.uuid } }),
      ...(createdAt && { createdAt }),
    },
  })
  const facts = await readBatchFacts(em, token, page.data)
  return mapPage(page, batch => showBatch(batch, facts.get(batch.uuid)!))
}

/** Position of an item in the list of its batch. */
const itemPosition = z.tuple([z.string().regex(/^\d{1,4}$/)]).readonly()

export async function listBatchItems(
  em: EntityManager,
  token: CallerToken,
  { uuid, query }: { uuid: string; query: BatchItemsQuery },
) {
  const { itemCount } = await requireVisibleBatch(em, token, uuid)
  const filter = query.status && findItemStates(query.status)
  const page = await readOrderedPage(
    {
      name: `transfer_batch/${uuid}`,
      query,
      read: ({ after, limit, offset }) =>
        readBatchItems(em, uuid, { filter, afterLine: Number(after?.[0] ?? 0), limit, offset }),
      count: () => (filter ? countSelectedItems(em, uuid, filter) : itemCount),
    },
    { positionOf: ({ line }) => [String(line)] as const, schema: itemPosition },
  )
  return mapPage(page, showBatchItem)
}

/**
 * Creates a batch, or replays the response of the same Idempotency-Key. Not by `createOperation`: batch and items are stored here, in one
 * transaction, because a workflow's input cannot hold them. The workflow starts after it; where that is lost, the sweep of lost
 * workflows starts it, and so does a repeat.
 */
export async function createTransferBatch(
  temporal: TemporalContext,
  request: CreateRequest<CreateBatchBody>,
) {
  const { body, token, em, idempotencyKey: key, requestId, admission } = request
  const uuid = deriveOperationUuid({ owner: token, method: 'POST', path: BATCHES_PATH, key })
  const fingerprint = fingerprintRequest({ body, connectionUuid: token.connectionUuid })
  const find = () => em.fork().findOne(TransferBatch, { uuid, accountUuid: token.accountUuid })
  const replay = async (batch: TransferBatch) => {
    requireSameRequest(batch, fingerprint)
    if (!batchMachine.isFinal(batch.state)) await startWorkflow(temporal, uuid)
    return { status: 202 as const, headers: REPLAYED_HEADERS, body: { data: showCreatedBatch(batch) } }
  }
  const stored = key === null ? null : await find()
  if (stored) return replay(stored)
  if (token.isAccountBlocked) fail('account_blocked')
  const create = async () => {
    const candidates = await requireValidBatch(request)
    await temporal.client() // Fails while Temporal is unreachable: nothing has been stored yet.
    const order = { uuid, requestId, fingerprint, candidates }
    try {
      const batch = await storeBatch(temporal, { em, token, body, order })
      await startWorkflow(temporal, uuid)
      return { status: 202 as const, body: { data: showCreatedBatch(batch) } }
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      // A parallel request with the key has stored it.
      const earlier = await find()
      if (earlier) return replay(earlier)
      throw error
    }
  }
  return admission ? admission.run(create) : create()
}

/** Starts the workflow of a stored batch as far as the request has time: what is lost here, the sweep of lost workflows makes up for. */
async function startWorkflow(temporal: TemporalContext, uuid: string): Promise<void> {
  const waitMs = getRequestDeadline().stepTimeoutMs()
  await wakeBatchWorkflow(temporal, { uuid, waitMs }).catch(() => undefined)
}

/** Presents a batch as its POST answers, whatever it has become. */
function showCreatedBatch(batch: TransferBatch) {
  const { history, createdAt, itemCount } = batch
  const [first] = history
  const state = batchMachine.states.find(one => batchMachine.statusOf(one) === first!.status)!
  const created = { history: [first!], state, updatedAt: createdAt, waitReason: null, cancelReason: null }
  const counts = { items: { pending: itemCount }, transfers: {} }
  return showBatch({ ...batch, ...created }, { counts, approval: undefined })
}

type BatchOrder = { uuid: string; requestId: string; fingerprint: string; candidates: string[] }

/** Stores a batch with its items: DRAFT with a request for approvals where the account requires them of its sum. */
function storeBatch(
  { timeScale }: TemporalContext,
  {
    em,
    token,
    body,
    order,
  }: { em: EntityManager; token: CallerToken; body: CreateBatchBody; order: BatchOrder },
): Promise<TransferBatch> {
  const { uuid, requestId, fingerprint, candidates } = order
  const { accountUuid } = token
  const valueCents = body.items.reduce((sum, { value }) => sum + value, 0)
  const author = orderAuthorOf(token)
  return writeDirectly(
    em,
    { ids: { uuid }, act: describeBatchAct(token, 'batch_create', uuid) },
    async tx => {
      const inForce = await runQuery(tx, queryLockedLimits(accountUuid))
      const { limits, at } = inForce ?? { limits: NO_LIMITS, at: new Date() }
      const rule = limits.approvals
      const state: BatchState = needsApproval(rule, valueCents) ? 'draft' : 'processing'
      const batch = tx.create(TransferBatch, {
        uuid,
        accountUuid,
        isSimulated: token.mode === 'test',
        connectionUuid: token.connectionUuid ?? body.provider_uuid ?? null,
        candidates,
        state,
        name: body.name ?? null,
        mode: body.mode,
        onShortBalance: body.on_short_balance,
        itemCount: body.items.length,
        valueCents,
        scheduledFor: body.scheduled_for ?? null,
        history: [{ status: batchMachine.statusOf(state), created_at: formatTimestamp(at) }],
        tokenNumber: author.tokenNumber ?? null,
        userUuid: author.userUuid ?? null,
        requestId,
        fingerprint,
        createdAt: at,
        updatedAt: at,
      })
      await tx.flush()
      await insertBatchItems(
        tx,
        uuid,
        body.items.map((item, index) => ({
          transferUuid: deriveItemUuid(uuid, index + 1),
          valueCents: item.value,
          externalRef: item.external_ref,
          description: item.description ?? null,
          details: buildTransferDetails(item, {
            destination: toItemDestination(item),
            fingerprint,
          }),
        })),
      )
      if (needsApproval(rule, valueCents))
        await insertApprovalRequest(tx, {
          subject: 'batch',
          subjectUuid: uuid,
          accountUuid,
          author,
          needed: rule.count,
          requestedAt: at,
          expiresAt: computeApprovalExpiry(rule, at, timeScale),
          callout: planFirstCallout(rule, at, timeScale),
        })
      return batch
    },
  )
}

/** Derives the uuid of the transfer that an item becomes: the same one however often its start is repeated. */
function deriveItemUuid(batchUuid: string, line: number): string {
  return uuidFromHash(sha256(JSON.stringify(['transfer_batch_item', batchUuid, line])))
}

async function readLimitsInForce(
  em: EntityManager,
  accountUuid: string,
): Promise<{ limits: AccountLimits; at: Date }> {
  const stored = await readAccountLimits(em, accountUuid)
  return { limits: getEffectiveLimits(stored, stored.at), at: stored.at }
}

/** Checks every item and stores nothing; returns the connections of the batch in the order of trying. Fails with all 422 errors, or 503. */
export async function requireValidBatch({
  em,
  token,
  body,
}: Pick<CreateRequest<CreateBatchBody>, 'em' | 'token' | 'body'>): Promise<string[]> {
  const { items, mode, provider_uuid: providerUuid } = body
  const errors: FieldErrors = { ...collectScheduleErrors(body) }
  const candidates = await runQuery(em, queryCandidates(em, { token, providerUuid }))
  const { limits } = await readLimitsInForce(em, token.accountUuid)
  const rules = {
    ...(await readItemRules(em, token, body)),
    candidates,
    limits: mode === 'ALL_VALID' ? limits : null,
  }
  for (const [index, item] of items.entries())
    for (const [field, messages] of Object.entries(collectItemErrors(item, rules)))
      errors[`items.${index}.${field}`] = messages
  if (Object.keys(errors).length > 0) fail('validation_failed', { errors: limitFieldErrors(errors) })
  requireUnpausedConnections(candidates, 'out')
  return candidates.map(({ uuid }) => uuid)
}

function describeBatchAct(token: CallerToken, action: UserAction, uuid: string): UserAct {
  return { token, action, subject: `batch/${uuid}` }
}

type BatchReference = { em: EntityManager; token: CallerToken; uuid: string }

/** Cancels a batch that has not ended: no further item is started, and those that were started go on. */
export async function cancelTransferBatch(temporal: TemporalContext, reference: BatchReference) {
  const { em, token, uuid } = reference
  const batch = await requireVisibleBatch(em, token, uuid)
  if (!batchMachine.accepts(batch.state, 'cancelled')) fail('batch_not_cancellable')
  const act = describeBatchAct(token, 'batch_cancel', uuid)
  const deadline = await prepareWorkflowCall(temporal, { em, ids: { uuid }, act })
  return readOrFailNotConfirmed({ uuid }, async () => {
    const update = { updateId: randomUUID(), waitMs: deadline.stepTimeoutMs() }
    if (!(await executeCancelBatchUpdate(temporal, uuid, update))) fail('batch_not_cancellable')
    return readTransferBatch(em, token, uuid)
  })
}

/** Stores what a person says about a DRAFT batch; the workflow of the batch applies the decision. */
export async function decideTransferBatch(
  temporal: TemporalContext,
  reference: BatchReference,
  verdict: { verdict: 'approve' } | { verdict: 'reject'; reason: string },
) {
  const { em, token, uuid } = reference
  await requireVisibleBatch(em, token, uuid)
  if (token.isAccountBlocked && verdict.verdict === 'approve') fail('account_blocked')
  const action = verdict.verdict === 'approve' ? 'batch_approve' : 'batch_reject'
  const write = {
    ids: { uuid },
    act: describeBatchAct(token, action, uuid),
    hasChanged: (isStored: boolean) => isStored,
  }
  await writeDirectly(em, write, async tx => {
    await lockTransferBatch(tx, uuid)
    return giveVerdict(tx, { subjectUuid: uuid, token, ...verdict })
  })
  return readOrFailNotConfirmed({ uuid }, async () => {
    await applyDecision(temporal, uuid)
    return readTransferBatch(em, token, uuid)
  })
}

/** Waits until the workflow has applied a decision, as far as the request has time; without it the next step does. */
async function applyDecision(temporal: TemporalContext, uuid: string): Promise<void> {
  const waitMs = getRequestDeadline().stepTimeoutMs()
  await executeApplyDecisionUpdate(temporal, uuid, { updateId: randomUUID(), waitMs }).catch(() => undefined)
}
