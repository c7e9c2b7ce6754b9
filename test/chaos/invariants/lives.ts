import { charge } from '../../../src/domain/charge.ts'
import { med } from '../../../src/domain/med.ts'
import { refund } from '../../../src/domain/refund.ts'
import { transfer } from '../../../src/domain/transfer.ts'
import {
  chargeId,
  deliveryId,
  medId,
  orphanId,
  refundId,
  returnId,
  transferId,
} from '../../../src/workflows/ids.ts'
import type { Violation, World } from '../world.ts'

/** No row without a life, no life without a row, and nothing left open once every provider answers again. */
export function everyLifeIsOver(world: World): Violation[] {
  const open = openRows(world)
  const running = new Set(world.running)
  const awaited = new Set(open.map(row => row.life))
  return [
    ...open
      .filter(row => row.life === null || !running.has(row.life))
      .map(({ row, state }) => ({ rule: 'row_without_life', where: row, detail: `is ${state}` })),
    ...world.running
      .filter(id => !awaited.has(id))
      .map(id => ({ rule: 'life_without_row', where: id, detail: 'runs for nothing' })),
    ...open.map(({ row, state }) => ({ rule: 'not_over', where: row, detail: `is ${state}` })),
    ...world.unreplayed.map(({ workflowId, error }) => ({
      rule: 'history_does_not_replay',
      where: workflowId,
      detail: error,
    })),
    ...world.waitingNotices.map(uuid => ({
      rule: 'notice_not_taken',
      where: `notice ${uuid}`,
      detail: 'no life took it',
    })),
    ...world.unseen
      .filter(({ status }) => status !== 'closed')
      .map(({ attempt, status }) => ({
        rule: 'payable_unseen',
        where: `attempt ${attempt}`,
        detail: `its provider says ${status} of a payload that nobody was shown`,
      })),
  ]
}

/** Every row that waits for something, and the workflow that must be waiting with it. */
function openRows(world: World): { row: string; life: string | null; state: string }[] {
  const { charges, transfers, refunds, meds, movements, attempts, deliveries } = world
  return [
    ...charges
      .filter(({ state }) => !charge.isOver(state))
      .map(({ uuid, state }) => ({ row: `charge ${uuid}`, life: chargeId(uuid), state })),
    // A charge that is being refunded waits for its refund, whose life is its own.
    ...charges
      .filter(({ uuid, state }) => state === 'refunding' && !refunds.some(isRunningOf(uuid)))
      .map(({ uuid, state }) => ({ row: `charge ${uuid}`, life: null, state })),
    ...transfers
      .filter(({ state }) => !transfer.isOver(state))
      .map(({ uuid, state }) => ({ row: `transfer ${uuid}`, life: transferId(uuid), state })),
    ...refunds
      .filter(({ state }) => !refund.isOver(state))
      .map(({ uuid, state }) => ({ row: `refund ${uuid}`, life: refundId(uuid), state })),
    ...meds
      .filter(({ state }) => !med.isOver(state))
      .map(({ uuid, state }) => ({ row: `dispute ${uuid}`, life: medId(uuid), state })),
    ...movements
      .filter(({ disposition }) => disposition === 'held' || disposition === 'returning')
      .map(({ uuid, disposition }) => ({
        row: `movement ${uuid}`,
        life: returnId(uuid),
        state: disposition!,
      })),
    ...attempts
      .filter(({ state }) => state === 'orphan')
      .map(({ uuid, state }) => ({ row: `attempt ${uuid}`, life: orphanId(uuid), state })),
    ...attempts
      .filter(({ operation, state }) => operation === 'issue' && state === 'calling')
      .map(({ uuid, subject, state }) => ({ row: `attempt ${uuid}`, life: chargeId(subject), state })),
    ...deliveries
      .filter(({ status }) => status === 'PENDING')
      .map(({ uuid, status }) => ({ row: `delivery ${uuid}`, life: deliveryId(uuid), state: status })),
  ]
}

function isRunningOf(charge: string) {
  return (one: World['refunds'][number]) => one.charge === charge && !refund.isOver(one.state)
}
