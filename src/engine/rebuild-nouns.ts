import { randomUUID } from 'node:crypto'
import { type ChargeState, charge, wasPaid } from '../domain/charge.ts'
import { refund } from '../domain/refund.ts'
import { hasGone, transfer } from '../domain/transfer.ts'
import type { Engine } from './start.ts'
import { tellCharge, tellRefund, tellReturn, tellTransfer } from './tell.ts'

/** What a restored database and a workflow's history may disagree about, for each noun that carries money. */

export type Noun = 'charge' | 'transfer' | 'refund' | 'return'
/** Its row by uuid; of a return that is the PIX that goes back. */
export const SELECT: Record<Noun, string> = {
  charge: 'select state, connection_uuid from charge where uuid = ?',
  transfer: 'select state, connection_uuid from transfer where uuid = ?',
  refund: 'select state, connection_uuid from refund where uuid = ?',
  return: `select disposition as state, connection_uuid from movement where uuid = ? and disposition is not null`,
}
export const IS_OVER: Record<Noun, (state: string) => boolean> = {
  charge: state => charge.isOver(state as ChargeState),
  transfer: state => transfer.isOver(state as never),
  refund: state => refund.isOver(state as never),
  return: state => state !== 'held' && state !== 'returning',
}

export type RebuiltRow = { state: string; connection_uuid: string }
/** Whether it had come to more than its row says, though both are over: money moved after the end. */
export function isSuperseded(noun: Noun, state: string, ended: string | undefined): boolean {
  switch (noun) {
    case 'charge':
      return !wasPaid(state) && state !== 'failed' && wasPaid(ended)
    case 'transfer':
      return (
        hasGone(ended) && (!hasGone(state) || (state !== ended && state !== 'refunded' && ended !== 'paid'))
      )
    case 'refund':
      return state === 'failed' && ended === 'settled'
    case 'return':
      return state === 'not_returned' && ended === 'settled'
  }
}

/** Has its workflow ask the provider what is new, through the door of notices. */
export async function tellNoun(
  engine: Engine,
  noun: Noun,
  { uuid, connectionUuid }: { uuid: string; connectionUuid: string },
): Promise<void> {
  const notice = { noticeUuid: randomUUID(), connectionUuid }
  switch (noun) {
    case 'charge':
      return tellCharge(engine, uuid, notice)
    case 'transfer':
      return tellTransfer(engine, uuid, notice)
    case 'refund':
      return tellRefund(engine, uuid, notice)
    case 'return':
      return tellReturn(engine, { uuid, connectionUuid }, notice)
  }
}
