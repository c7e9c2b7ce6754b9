import { isOtherOwner } from '../../../src/domain/pix-keys/key-look-up.ts'
import type { FinalState, Violation } from '../final-state.ts'
import { violationIf } from './violations.ts'

/** SPEC §4 and §9: a look-up moves no money, and a transfer that refuses another receiver pays whom its look-up has shown. */
export function checkKeyLookups(world: FinalState): Violation[] {
  const transfers = new Map(world.transfers.map(transfer => [transfer.uuid, transfer]))
  const outgoing = world.movements.filter(one => one.direction === 'OUT' && one.type === 'EXTERNAL_TRANSFER')
  const transferOf = new Map(outgoing.map(one => [`${one.providerAccount} ${one.endToEnd}`, one.transfer]))
  return world.lines.flatMap(({ kind, providerAccount, endToEnd, receiver }) => {
    if (kind !== 'transfer') return []
    const transfer = transfers.get(transferOf.get(`${providerAccount} ${endToEnd}`) ?? '')
    const where = `${providerAccount} ${endToEnd}`
    if (!transfer) return violationIf(true, 'sent_without_transfer', where, 'the PIX is of no transfer')
    const { lookup, uuid } = transfer
    const isRefused = lookup?.onMismatch === 'REFUSE'
    return violationIf(
      isRefused && (receiver === null || isOtherOwner(lookup.owner, receiver)),
      'paid_other_receiver',
      `transfer ${uuid}`,
      'its look-up has shown another owner',
    )
  })
}
