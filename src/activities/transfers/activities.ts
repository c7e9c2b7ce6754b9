import { snapshotAcceptedTransfer } from '../../contract/transfers/transfer.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { type OperationFailure, Transfer } from '../../db/entities/transfer.ts'
import { findLockedRow } from '../../db/locks.ts'
import { batchQueries, mapQuery, type Query, runQuery } from '../../db/pipeline/query.ts'
import { type AttemptWithProvider, loadAttemptProviders } from '../../db/repositories/attempts.ts'
import { CLOCK_QUERY } from '../../db/repositories/database-clock.ts'
import { queryFollowUpsOfRow } from '../../db/repositories/follow-ups.ts'
import { claimLookup } from '../../db/repositories/key-lookups.ts'
import { queryIsAnyPaused } from '../../db/repositories/pauses.ts'
import {
  isExternalRefUsed,
  lockUniqueRefAccount,
  queryTransferPreconditions,
  type TransferPreconditions,
} from '../../db/repositories/transfers.ts'
import { failureOf } from '../../domain/errors/error-catalogue.ts'
import { unsentCodeOf } from '../../domain/payouts/unsent-code.ts'
import { formatTimestamp } from '../../domain/shared/timestamp.ts'
import { transferMachine } from '../../domain/transfers/transfer.ts'
import { toDestinationColumns } from '../../domain/transfers/transfer-destination.ts'
import type { SendResult } from '../../workflows/contracts/payouts.ts'
import type {
  EndScheduledTransferInput,
  EndTransferResult,
  HeldTransferResult,
  SendTransferInput,
  TransferInput,
  TransferInputDetails,
  TransferResult,
} from '../../workflows/contracts/transfers.ts'
import { findOrderFailure } from '../limits/limit-room.ts'
import type { PayoutHandler } from '../payouts/payout-handler.ts'
import { findLiveAttempt } from '../payouts/record-outcome.ts'
import { sendPayout } from '../payouts/send.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { describeRefusal } from '../shared/attempts.ts'
import { type LockedTransfer, lockTransfer, lockTransferWithQuery } from '../shared/transition.ts'
import { applyApproval, getApprovalRule, holdForApproval } from './held-transfer.ts'
import {
  endUnacceptedTransfer,
  endUnsentTransfer,
  holdTransferFunds,
  transferPayout,
} from './transfer-payout.ts'

/**
 * Stores a transfer's order. An order committed after its acceptance deadline, or with an external reference in use, is
 * stored as FAILED and no provider is called (SPEC §4). Repeatable.
 */
export function storeTransfer({ orm, sealer }: ActivityDependencies) {
  return async (order: TransferInput): Promise<TransferResult> => {
    const result = await runInTransaction(orm, async em => {
      const storedTransfer = await em.findOne(Transfer, order.uuid, { populate: ['connection'] })
      if (storedTransfer) return queryTransferResult(storedTransfer)
      const preconditions = await runQuery(em, queryTransferPreconditions(em, order))
      const { transfer } = await openTransfer(em, order, sealer.open(order.details), preconditions)
      if (order.scheduledFor && transfer.state === 'created')
        transfer.accepted = snapshotAcceptedTransfer(transfer, [])
      return queryTransferResult(transfer)
    })
    // The deadline of a transfer that is sent at once is applied by its first sending.
    if (!order.scheduledFor || !order.acceptBefore) return result
    return runInTransaction(orm, em => applyAcceptanceDeadline(em, order.uuid))
  }
}

/**
 * Applies the acceptance deadline to a scheduled transfer whose row an earlier transaction has committed. Before the
 * deadline the transfer is accepted and may be sent when it is due. After it the transfer ends as not accepted, because
 * the API may have answered so (docs/crash-semantics.md). Repeatable.
 */
async function applyAcceptanceDeadline(em: EntityManager, uuid: string): Promise<Query<EndTransferResult>> {
  const [lockedTransfer, nowMs] = await lockTransferWithQuery(em, uuid, CLOCK_QUERY)
  const { transfer } = lockedTransfer
  if (transfer.acceptBefore && nowMs > transfer.acceptBefore.getTime())
    await endUnacceptedTransfer(em, lockedTransfer)
  else transfer.acceptBefore = null
  return queryTransferResult(transfer)
}

/** Sends a transfer through one provider, and stores its row first if it has none. */
export function sendTransfer(dependencies: ActivityDependencies) {
  return ({ order, ...input }: SendTransferInput): Promise<SendResult> =>
    sendPayout(dependencies, transferPayout, order && createRowFirst(dependencies, order))(input)
}

/** Returns the handler that also stores a missing transfer row; its reads and locks are one batched query. */
function createRowFirst(
  { sealer }: ActivityDependencies,
  order: TransferInput,
): PayoutHandler<LockedTransfer> {
  let openedWith: TransferPreconditions | undefined
  return {
    ...transferPayout,
    async lock(em, uuid, more) {
      const [storedTransfer, [preconditions, result]] = await findLockedRow(
        em,
        Transfer,
        uuid,
        batchQueries(queryTransferPreconditions(em, order), more),
      )
      if (storedTransfer) return [await lockTransfer(em, uuid), result]
      openedWith = preconditions
      return [await openTransfer(em, order, sealer.open(order.details), preconditions), result]
    },
    holdFunds(em, { transfer }, connection) {
      const locked = openedWith?.connection === connection ? openedWith : undefined
      return holdTransferFunds(em, transfer, connection, { locked })
    },
  }
}

/** Ends a transfer that no provider has accepted, with its attempts' combined reason, unless an attempt is live. */
export function failTransfer({ orm }: ActivityDependencies) {
  return (uuid: string): Promise<EndTransferResult> =>
    runInTransaction(orm, async em => {
      const lockedTransfer = await lockTransfer(em, uuid)
      const { transfer, attempts } = lockedTransfer
      const liveAttempt = findLiveAttempt(lockedTransfer)
      if (!liveAttempt && transferMachine.accepts(transfer.state, 'refused'))
        await endUnsentTransfer(
          em,
          lockedTransfer,
          'refused',
          combineRefusals(await loadAttemptProviders(em, attempts)),
        )
      return queryTransferResult(transfer, liveAttempt)
    })
}

/** Ends a scheduled transfer before its first sending, unless an attempt is live. */
export function endScheduledTransfer({ orm }: ActivityDependencies) {
  return ({ uuid, event, unlessPaused = [] }: EndScheduledTransferInput): Promise<EndTransferResult> =>
    runInTransaction(orm, async em => {
      const [lockedTransfer, paused] = await lockTransferWithQuery(
        em,
        uuid,
        queryIsAnyPaused(unlessPaused, 'out'),
      )
      const { transfer } = lockedTransfer
      const liveAttempt = findLiveAttempt(lockedTransfer)
      if (!liveAttempt && !paused && transferMachine.accepts(transfer.state, event)) {
        await endUnsentTransfer(em, lockedTransfer, event, null)
      }
      return queryTransferResult(transfer, liveAttempt)
    })
}

/**
 * Applies what has been decided about a transfer that waits for its approvals, and its expiry; returns how long it still waits.
 * Repeatable.
 */
export function advanceHeldTransfer({ orm }: ActivityDependencies) {
  return (uuid: string): Promise<HeldTransferResult> =>
    runInTransaction(orm, async em => {
      const lockedTransfer = await lockTransfer(em, uuid)
      const remaining = await applyApproval(em, lockedTransfer)
      return mapQuery(queryTransferResult(lockedTransfer.transfer), state => ({ ...state, ...remaining }))
    })
}

/** Reads the state of a transfer. */
export function getTransfer({ orm }: ActivityDependencies) {
  return async (uuid: string): Promise<TransferResult> => {
    const em = orm.em.fork()
    return runQuery(
      em,
      queryTransferResult(await em.findOneOrFail(Transfer, uuid, { populate: ['connection'] })),
    )
  }
}

function queryTransferResult(transfer: Transfer, liveAttempt?: Attempt): Query<EndTransferResult> {
  const { state, connection } = transfer
  return mapQuery(queryFollowUpsOfRow(transfer), followUps => ({
    state,
    connectionUuid: connection.uuid,
    ...followUps,
    ...(liveAttempt && { liveConnectionUuid: liveAttempt.connectionUuid }),
  }))
}

/**
 * Combines the refusals of all attempts into one failure (SPEC §4). If a provider was unreachable: no provider
 * available, or what an operator decided. If the balance was too low at every provider: insufficient balance. Otherwise
 * the last refusal.
 */
function combineRefusals(attempts: AttemptWithProvider[]): OperationFailure {
  if (attempts.some(({ attempt }) => attempt.code === 'not_found_after_restore'))
    return failureOf('not_found_after_restore')
  const unreachable = attempts.filter(({ attempt }) => attempt.state === 'unreachable')
  if (unreachable.length > 0) return failureOf(unsentCodeOf(unreachable.map(({ attempt }) => attempt.code)))
  const refusals = attempts.filter(({ attempt }) => attempt.code !== 'insufficient_balance')
  const last = refusals.at(-1)
  if (!last) return failureOf('insufficient_balance')
  return { ...describeRefusal(last.attempt), provider: last.provider }
}

/**
 * Stores a transfer's row. One whose external reference is in use, or that the limits of its account refuse, is stored as
 * FAILED, unless it was accepted before (`acceptedAt`: when it was ordered).
 */
export async function openTransfer(
  em: EntityManager,
  order: TransferInput,
  details: TransferInputDetails,
  preconditions: TransferPreconditions,
  acceptedAt?: Date,
): Promise<LockedTransfer> {
  const { connection, limits } = preconditions
  if (!connection) throw new Error(`transfer ${order.uuid} has a row, or names no connection`)
  const failure = acceptedAt ? null : await findFailureOfOrder(em, { order, details, connection, limits })
  const at = acceptedAt ?? new Date()
  // What was sent before a restore is polled; what is scheduled is sent after it, so that it must be approved again.
  const rule = acceptedAt && !order.scheduledFor ? null : getApprovalRule(order, limits)
  const transfer = em.create(Transfer, {
    uuid: order.uuid,
    accountUuid: order.accountUuid,
    connection,
    providerAccountUuid: connection.providerAccountUuid,
    state: 'created',
    valueCents: order.valueCents,
    ...toDestinationColumns(details.destination),
    receiver: details.destination.kind === 'account' ? details.destination.account : null,
    lookup: details.lookup && (await claimLookup(em, order.uuid, details.lookup)),
    externalRef: details.externalRef,
    batchUuid: order.batchUuid ?? null,
    beneficiaryName: details.finalBeneficiary?.name,
    beneficiaryDocument: details.finalBeneficiary?.document,
    scheduledFor: order.scheduledFor ? new Date(order.scheduledFor) : null,
    approvalsNeeded: rule?.count,
    history: [{ status: 'PENDING', created_at: formatTimestamp(at) }],
    acceptBefore: order.acceptBefore ? new Date(order.acceptBefore) : null,
    requestId: order.requestId,
    tokenNumber: order.tokenNumber ?? null,
    userUuid: order.userUuid ?? null,
    fingerprint: details.fingerprint,
    createdAt: at,
    updatedAt: at,
  })
  const lockedTransfer = { transfer, attempts: [] }
  if (failure) await endUnsentTransfer(em, lockedTransfer, 'not_started', failure)
  else if (rule) await holdForApproval(em, lockedTransfer, { order, rule, preconditions })
  return lockedTransfer
}

/** Finds why a new order may not be sent: its reference is in use, or a limit or the guard of its account refuses it. */
async function findFailureOfOrder(
  em: EntityManager,
  {
    order: { accountUuid, valueCents },
    details,
    connection,
    limits,
  }: Pick<TransferPreconditions, 'limits'> & {
    order: TransferInput
    details: TransferInputDetails
    connection: Connection
  },
): Promise<OperationFailure | null> {
  if (await isExternalRefReused(em, details, connection)) return failureOf('external_ref_in_use')
  const { isSimulated } = connection
  return limits && findOrderFailure(em, { ...details, accountUuid, isSimulated, valueCents }, limits)
}

/**
 * Tells whether an account that requires unique references has used this one (SPEC §4, `unique_external_ref`). Locks
 * the account's row, so that the second of two concurrent transfers finds the first.
 */
async function isExternalRefReused(
  em: EntityManager,
  { externalRef }: TransferInputDetails,
  { accountUuid, isSimulated }: Connection,
): Promise<boolean> {
  if (externalRef === undefined) return false
  return (
    (await lockUniqueRefAccount(em, accountUuid)) &&
    isExternalRefUsed(em, { accountUuid, externalRef, isSimulated })
  )
}
