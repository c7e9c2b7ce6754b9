import { snapshotAcceptedTransfer } from '../../contract/transfers/transfer.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import { type OperationFailure, Transfer } from '../../db/entities/transfer.ts'
import { findLockedRow } from '../../db/locks.ts'
import {
  batchQueries,
  mapQuery,
  type Query,
  runQuery,
  transactionReturning,
} from '../../db/pipeline/query.ts'
import { type AttemptWithProvider, loadAttemptProviders } from '../../db/repositories/attempts.ts'
import { queryIsAnyPaused } from '../../db/repositories/pauses.ts'
import { unsentCodeOf } from '../../domain/payouts/unsent-code.ts'
import { type TransferState, transferMachine } from '../../domain/transfers/transfer.ts'
import type {
  PreRestoreState,
  TransferInput,
  TransferInputDetails,
} from '../../workflows/contracts/messages.ts'
import { restoreTransferEnd } from '../disaster-recovery/restore-final-state.ts'
import { type FollowUps, pendingFollowUpsOfRow } from '../events/follow-ups.ts'
import { recordTransferEvent } from '../events/record-event.ts'
import { applyAcceptanceDeadline } from '../payouts/acceptance-deadline.ts'
import type { PayoutHandler, SendPayoutInput, SendResult } from '../payouts/payout-handler.ts'
import { describeRefusal, findLiveAttempt } from '../payouts/record-outcome.ts'
import { sendPayout } from '../payouts/send.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import {
  type LockedTransfer,
  lockTransfer,
  lockTransferWithQuery,
  transitionTransfer,
} from '../shared/transition.ts'
import { createTransferFailure } from './failure.ts'
import { openTransfer, queryTransferPreconditions, type TransferPreconditions } from './open.ts'
import { endUnsentTransfer, holdTransferFunds, transferPayout } from './transfer-payout.ts'

/** State of a transfer. `connectionUuid`: the connection of its latest attempt, which is polled. */
export type TransferResult = FollowUps & { state: TransferState; connectionUuid: string }

/** Stores a transfer's order; one that is not taken in time, or takes a reference twice, is FAILED: nobody is called (SPEC §4). */
export function storeTransfer({ orm, sealer }: ActivityDependencies) {
  return async (order: TransferInput): Promise<TransferResult> => {
    const stored = await transactionReturning(orm, async em => {
      const stored = await em.findOne(Transfer, order.uuid, { populate: ['connection'] })
      if (stored)
        return order.restored
          ? restoreTransferRow(em, order.uuid, order.restored)
          : queryTransferResult(stored)
      const door = await runQuery(em, queryTransferPreconditions(em, order))
      const out = await openTransfer(em, { order, details: sealer.open(order.details), preconditions: door })
      const { transfer } = out
      if (order.scheduledFor && !transferMachine.isFinal(transfer.state))
        transfer.accepted = snapshotAcceptedTransfer(transfer, [])
      if (order.restored) await restoreTransferEnd(em, out, order.restored)
      return queryTransferResult(transfer)
    })
    // What is sent at once is judged by its first sending.
    if (!order.scheduledFor || !order.acceptBefore) return stored
    return transactionReturning(orm, async em =>
      queryTransferResult((await applyAcceptanceDeadline(em, transferPayout, order.uuid)).transfer),
    )
  }
}

/** What a sending is told; `order` where its row may not be there yet, and is written with its first attempt. */
export type SendTransferInput = SendPayoutInput & { order?: TransferInput }

/** Sends a transfer through one provider, and stores it first where nobody has. */
export function sendTransfer(dependencies: ActivityDependencies) {
  return ({ order, ...sending }: SendTransferInput): Promise<SendResult> =>
    sendPayout(dependencies, transferPayout, order && createRowFirst(dependencies, order))(sending)
}

/** The sending that writes the transfer's row, where nobody has: all that it reads and locks is one message. */
function createRowFirst(
  { sealer }: ActivityDependencies,
  order: TransferInput,
): PayoutHandler<LockedTransfer> {
  let opened: TransferPreconditions | undefined
  return {
    ...transferPayout,
    async lock(em, uuid, more) {
      const [stored, [door, heard]] = await findLockedRow(
        em,
        Transfer,
        uuid,
        batchQueries(queryTransferPreconditions(em, order), more),
      )
      if (stored) return [await lockTransfer(em, uuid), heard]
      opened = door
      const details = sealer.open<TransferInputDetails>(order.details)
      return [await openTransfer(em, { order, details, preconditions: door }), heard]
    },
    holdFunds(em, { transfer }, { connection }) {
      const availableCents = opened?.connection === connection ? opened.availableCents : undefined
      return holdTransferFunds(em, transfer, { connection, availableCents })
    },
  }
}

/** The row that the restored database still had. */
async function restoreTransferRow(
  em: EntityManager,
  uuid: string,
  restored: PreRestoreState,
): Promise<Query<TransferResult>> {
  const out = await lockTransfer(em, uuid)
  await restoreTransferEnd(em, out, restored)
  return queryTransferResult(out.transfer)
}

/**
 * `liveConnectionUuid`: where an attempt is not final. A worker that stood still may begin a sending that Temporal has given
 * up: that attempt is to be followed to its end before the transfer ends.
 */
export type EndTransferResult = TransferResult & { liveConnectionUuid?: string }

/** Ends a transfer that nobody took: FAILED with the reason that the attempts add up to, unless an attempt is live. */
export function failTransfer({ orm }: ActivityDependencies) {
  return (uuid: string): Promise<EndTransferResult> =>
    transactionReturning(orm, async em => {
      const out = await lockTransfer(em, uuid)
      const { transfer, attempts } = out
      const live = findLiveAttempt(out)
      if (!live && transferMachine.accepts(transfer.state, 'refused'))
        await endUnsentTransfer(em, out, 'refused', combineRefusals(await loadAttemptProviders(em, attempts)))
      return queryTransferResult(transfer, live)
    })
}

/** `unlessPaused`: the transfer stays where a pause reaches one of these connections. */
export type EndScheduledTransferInput = {
  uuid: string
  event: 'cancelled' | 'never_sent'
  unlessPaused?: string[]
}

/** Ends a transfer that was waiting for its time, unless an attempt is live. */
export function endScheduledTransfer({ orm }: ActivityDependencies) {
  return ({ uuid, event, unlessPaused = [] }: EndScheduledTransferInput): Promise<EndTransferResult> =>
    transactionReturning(orm, async em => {
      const [out, paused] = await lockTransferWithQuery(em, uuid, queryIsAnyPaused(unlessPaused, 'out'))
      const { transfer } = out
      const live = findLiveAttempt(out)
      if (!live && !paused && transferMachine.accepts(transfer.state, event)) {
        const at = new Date()
        transitionTransfer(transfer, event, at)
        await recordTransferEvent(em, out, { at })
      }
      return queryTransferResult(transfer, live)
    })
}

export function getTransfer({ orm }: ActivityDependencies) {
  return async (uuid: string): Promise<TransferResult> => {
    const em = orm.em.fork()
    return runQuery(
      em,
      queryTransferResult(await em.findOneOrFail(Transfer, uuid, { populate: ['connection'] })),
    )
  }
}

function queryTransferResult(transfer: Transfer, live?: Attempt): Query<EndTransferResult> {
  const { state, connection } = transfer
  return mapQuery(pendingFollowUpsOfRow(transfer), left => ({
    ...{ state, connectionUuid: connection.uuid, ...left },
    ...(live && { liveConnectionUuid: live.connectionUuid }),
  }))
}

/** SPEC §4: unreachable anywhere is no provider, or what an operator has decided; too little everywhere is the balance; else the last refusal decides. */
function combineRefusals(attempts: AttemptWithProvider[]): OperationFailure {
  if (attempts.some(({ attempt }) => attempt.code === 'not_found_after_restore'))
    return createTransferFailure('not_found_after_restore')
  const unreached = attempts.filter(({ attempt }) => attempt.state === 'unreachable')
  if (unreached.length > 0)
    return createTransferFailure(unsentCodeOf(unreached.map(({ attempt }) => attempt.code)))
  const refusals = attempts.filter(({ attempt }) => attempt.code !== 'insufficient_balance')
  const last = refusals.at(-1)
  if (!last) return createTransferFailure('insufficient_balance')
  return { ...describeRefusal(last.attempt), provider: last.provider }
}
