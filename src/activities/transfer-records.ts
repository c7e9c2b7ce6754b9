import { type NamedAttempt, namedAttempts } from '../db/attempts.ts'
import type { Attempt } from '../db/entities/attempt.ts'
import { type Failure, Transfer } from '../db/entities/transfer.ts'
import { findAlone } from '../db/lock.ts'
import type { EntityManager } from '../db/orm.ts'
import { isAnyPaused } from '../db/pauses.ts'
import { all, ask, heardAs, inTransactionAsking, type Question } from '../db/questions.ts'
import { transfer as life, type TransferState } from '../domain/transfer.ts'
import { unsentCode } from '../domain/unsent.ts'
import { acceptedTransfer } from '../wire/transfer.ts'
import type { Restored, TransferDetails, TransferOrder } from '../workflows/messages.ts'
import { announceTransfer } from './announce.ts'
import type { Dependencies } from './dependencies.ts'
import { type LeftToDo, leftToDoOf } from './left-to-do.ts'
import { lockTransfer, lockTransferBeside, moveTransfer, type PixOut } from './move.ts'
import { liveAttempt, refusalOf } from './outcomes.ts'
import type { Outgoing, SendOrder, Sent } from './outgoing.ts'
import { endTransferAsBefore } from './restoring.ts'
import { sendBy } from './sending.ts'
import { decideTaken } from './taking.ts'
import { failureOf } from './transfer-failures.ts'
import { type Door, doorOf, openTransfer } from './transfer-opening.ts'
import { beginTransfer, endUnsent, pixOut } from './transfers.ts'

/** State of a transfer. `connectionUuid`: the connection of its latest attempt, which is polled. */
export type TransferNow = LeftToDo & { state: TransferState; connectionUuid: string }

/** Stores a transfer's order; one that is not taken in time, or takes a reference twice, is FAILED: nobody is called (SPEC §4). */
export function storeTransfer({ orm, sealer }: Dependencies) {
  return async (order: TransferOrder): Promise<TransferNow> => {
    const stored = await inTransactionAsking(orm, async em => {
      const stored = await em.findOne(Transfer, order.uuid, { populate: ['connection'] })
      if (stored) return order.restored ? endedAsBefore(em, order.uuid, order.restored) : now(stored)
      const door = await ask(em, doorOf(em, order))
      const out = await openTransfer(em, { order, details: sealer.open(order.details), door })
      const { transfer } = out
      if (order.scheduledFor && !life.isOver(transfer.state))
        transfer.accepted = acceptedTransfer(transfer, [])
      if (order.restored) await endTransferAsBefore(em, out, order.restored)
      return now(transfer)
    })
    // What is sent at once is judged by its first sending.
    if (!order.scheduledFor || !order.takeBefore) return stored
    return inTransactionAsking(orm, async em => now((await decideTaken(em, pixOut, order.uuid)).transfer))
  }
}

/** What a sending is told; `order` where its row may not be there yet, and is written with its first attempt. */
export type TransferSending = SendOrder & { order?: TransferOrder }

/** Sends a transfer through one provider, and stores it first where nobody has. */
export function sendTransfer(dependencies: Dependencies) {
  return ({ order, ...sending }: TransferSending): Promise<Sent> =>
    sendBy(dependencies, pixOut, order && storing(dependencies, order))(sending)
}

/** The sending that writes the transfer's row, where nobody has: all that it reads and locks is one message. */
function storing({ sealer }: Dependencies, order: TransferOrder): Outgoing<PixOut> {
  let opened: Door | undefined
  return {
    ...pixOut,
    async lock(em, uuid, more) {
      const [stored, [door, heard]] = await findAlone(em, Transfer, uuid, all(doorOf(em, order), more))
      if (stored) return [await lockTransfer(em, uuid), heard]
      opened = door
      const details = sealer.open<TransferDetails>(order.details)
      return [await openTransfer(em, { order, details, door }), heard]
    },
    begin(em, { transfer }, { connection }) {
      const availableCents = opened?.connection === connection ? opened.availableCents : undefined
      return beginTransfer(em, transfer, { connection, availableCents })
    },
  }
}

/** The row that the restored database still had. */
async function endedAsBefore(
  em: EntityManager,
  uuid: string,
  restored: Restored,
): Promise<Question<TransferNow>> {
  const out = await lockTransfer(em, uuid)
  await endTransferAsBefore(em, out, restored)
  return now(out.transfer)
}

/**
 * `liveConnectionUuid`: where an attempt is not final. A worker that stood still may begin a sending that Temporal has given
 * up: that attempt is to be followed to its end before the transfer ends.
 */
export type EndedTransfer = TransferNow & { liveConnectionUuid?: string }

/** Ends a transfer that nobody took: FAILED with the reason that the attempts add up to, unless an attempt is live. */
export function failTransfer({ orm }: Dependencies) {
  return (uuid: string): Promise<EndedTransfer> =>
    inTransactionAsking(orm, async em => {
      const out = await lockTransfer(em, uuid)
      const { transfer, attempts } = out
      const live = liveAttempt(out)
      if (!live && life.accepts(transfer.state, 'refused'))
        await endUnsent(em, out, 'refused', whyNobody(await namedAttempts(em, attempts)))
      return now(transfer, live)
    })
}

/** `unlessPaused`: the transfer stays where a pause reaches one of these connections. */
export type EndWaiting = { uuid: string; event: 'cancelled' | 'never_sent'; unlessPaused?: string[] }

/** Ends a transfer that was waiting for its time, unless an attempt is live. */
export function endWaiting({ orm }: Dependencies) {
  return ({ uuid, event, unlessPaused = [] }: EndWaiting): Promise<EndedTransfer> =>
    inTransactionAsking(orm, async em => {
      const [out, paused] = await lockTransferBeside(em, uuid, isAnyPaused(unlessPaused, 'out'))
      const { transfer } = out
      const live = liveAttempt(out)
      if (!live && !paused && life.accepts(transfer.state, event)) {
        const at = new Date()
        moveTransfer(transfer, event, at)
        await announceTransfer(em, out, { at })
      }
      return now(transfer, live)
    })
}

export function transferNow({ orm }: Dependencies) {
  return async (uuid: string): Promise<TransferNow> => {
    const em = orm.em.fork()
    return ask(em, now(await em.findOneOrFail(Transfer, uuid, { populate: ['connection'] })))
  }
}

function now(transfer: Transfer, live?: Attempt): Question<EndedTransfer> {
  const { state, connection } = transfer
  return heardAs(leftToDoOf(transfer), left => ({
    ...{ state, connectionUuid: connection.uuid, ...left },
    ...(live && { liveConnectionUuid: live.connectionUuid }),
  }))
}

/** SPEC §4: unreachable anywhere is no provider, or what an operator has decided; too little everywhere is the balance; else the last refusal decides. */
function whyNobody(attempts: NamedAttempt[]): Failure {
  if (attempts.some(({ attempt }) => attempt.code === 'not_found_after_restore'))
    return failureOf('not_found_after_restore')
  const unreached = attempts.filter(({ attempt }) => attempt.state === 'unreachable')
  if (unreached.length > 0) return failureOf(unsentCode(unreached.map(({ attempt }) => attempt.code)))
  const refusals = attempts.filter(({ attempt }) => attempt.code !== 'insufficient_balance')
  const last = refusals.at(-1)
  if (!last) return failureOf('insufficient_balance')
  return { ...refusalOf(last.attempt), provider: last.provider }
}
