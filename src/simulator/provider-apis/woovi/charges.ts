import type { SimulatedCharge } from '../../charges.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { ScriptedOutcome } from '../../rail-events.ts'
import type { SimulatorState } from '../../state.ts'
import * as errors from './errors.ts'
import { buildWooviListPage } from './list-page.ts'
import { presentWooviCharge, type WooviChargeDetails } from './presenters.ts'
import { chargeBody, parseWooviBody } from './schemas.ts'
import { findWooviTxid, recordWooviTxid } from './txids.ts'

type WooviChargeHandlers = Record<
  'create' | 'show' | 'remove' | 'list',
  (call: SimulatedCall, fate: ScriptedOutcome) => SimulatedResponse
>

/** Charges: `/charge`, found by their correlationID or by Woovi's own id, which here is made of it. */
export function createWooviChargeHandlers(world: SimulatorState): WooviChargeHandlers {
  const { charges, now } = world
  const shown = (charge: SimulatedCharge) => presentWooviCharge(charge, now())

  return {
    create: (call, fate) => createCharge(world, call, fate),
    show: ({ account, params }) => {
      const charge = findWooviCharge(world, account.id, params.id!)
      return charge ? { status: 200, body: { charge: shown(charge) } } : errors.wooviChargeNotFound()
    },
    remove: ({ account, params }) => {
      const charge = findWooviCharge(world, account.id, params.id!)
      if (!charge) return errors.wooviChargeNotFound()
      const removed = charges.revise(charge, { status: 'removed' })
      return removed ? { status: 200, body: { status: 'OK', id: charge.txid } } : errors.chargeAlreadyPaid()
    },
    list: call =>
      buildWooviListPage(call, {
        field: 'charges',
        between: range => charges.listBetween(call.account.id, range).filter(isVisible),
        present: shown,
      }),
  }
}

/** A deleted charge is gone from sight; its correlationID stays taken. */
export function findWooviCharge(
  { charges, store }: SimulatorState,
  accountId: string,
  id: string,
): SimulatedCharge | undefined {
  const charge = charges.find(accountId, findWooviTxid(store, accountId, id))
  return charge && isVisible(charge) ? charge : undefined
}

function isVisible({ status }: SimulatedCharge): boolean {
  return status !== 'removed'
}

function createCharge(
  world: SimulatorState,
  { account, query, body }: SimulatedCall,
  fate: ScriptedOutcome,
): SimulatedResponse {
  const { accounts, now } = world
  const asked = parseWooviBody(chargeBody, body)
  if ('refusal' in asked) return asked.refusal
  const { correlationID, value: cents, comment, expiresIn } = asked.value
  const key = accounts.listKeys(account.id)[0]
  if (key === undefined) return errors.accountWithoutKey()

  const details: WooviChargeDetails = { correlationID, ...(comment ? { solicitacaoPagador: comment } : {}) }
  const charge =
    issueCharge(
      world,
      {
        ...{ account, cents, key, details },
        expiresInSeconds: expiresIn,
        silent: fate.kind === 'silent',
      },
      { hasOwnTxid: fate.kind === 'own_txid' },
    ) ?? findExistingCharge(world, { account, query }, correlationID)
  if (!charge) return errors.chargeIdInUse()
  // Accepted, then not to be had after all: the provider takes it back.
  if (fate.kind === 'rejected') world.charges.revise(charge, { status: 'removed_by_provider' })
  return {
    status: 200,
    body: { charge: presentWooviCharge(charge, now()), correlationID, brCode: charge.payload },
  }
}

type WooviChargeOrder = Omit<Parameters<SimulatorState['charges']['issue']>[0], 'txid' | 'details'> & {
  details: WooviChargeDetails
}

/** Issues a charge; undefined where its correlationID is taken. */
function issueCharge(
  { charges, store }: SimulatorState,
  order: WooviChargeOrder,
  { hasOwnTxid }: { hasOwnTxid: boolean },
): SimulatedCharge | undefined {
  const { account, details } = order
  const { correlationID } = details
  return store.inTransaction(() => {
    const txid = findWooviTxid(store, account.id, correlationID)
    if (charges.find(account.id, txid)) return undefined
    const issued = charges.issue(hasOwnTxid ? order : { ...order, txid })
    if (issued.kind === 'txid_taken') return undefined
    if (hasOwnTxid) recordWooviTxid(store, { accountId: account.id, correlationID, txid: issued.charge.txid })
    return issued.charge
  })
}

/** Who asks for it with `return_existing` gets what is there. */
function findExistingCharge(
  world: SimulatorState,
  { account, query }: Pick<SimulatedCall, 'account' | 'query'>,
  correlationID: string,
) {
  return query.get('return_existing') === 'true'
    ? findWooviCharge(world, account.id, correlationID)
    : undefined
}
