import { formatBrazilianDay } from '../../brazilian-day.ts'
import type { SimulatedCharge } from '../../charges.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { ScriptedOutcome } from '../../scripted-outcome.ts'
import type { SimulatorState } from '../../state.ts'
import { getLastPayableMs, readDueTerms } from './due-terms.ts'
import * as errors from './errors.ts'
import { buildWooviListPage } from './list-page.ts'
import { presentWooviCharge, type WooviChargeDetails } from './presenters.ts'
import { chargeBody, parseWooviBody } from './schemas.ts'
import { findWooviTxid, recordWooviTxid } from './txids.ts'

type WooviChargeHandlers = Record<
  'create' | 'show' | 'remove' | 'list',
  (call: SimulatedCall, outcome: ScriptedOutcome) => SimulatedResponse
>

/** Creates the handlers of `/charge`, which find a charge by its correlationID or its txid, derived from it. */
export function createWooviChargeHandlers(state: SimulatorState): WooviChargeHandlers {
  const { charges, now } = state
  const presentCharge = (charge: SimulatedCharge) => presentWooviCharge(charge, now())

  return {
    create: (call, outcome) => createCharge(state, call, outcome),
    show: ({ account, params }) => {
      const charge = findWooviCharge(state, account.id, params.id!)
      return charge ? { status: 200, body: { charge: presentCharge(charge) } } : errors.wooviChargeNotFound()
    },
    remove: ({ account, params }) => {
      const charge = findWooviCharge(state, account.id, params.id!)
      if (!charge) return errors.wooviChargeNotFound()
      const removed = charges.revise(charge, { status: 'removed' })
      return removed ? { status: 200, body: { status: 'OK', id: charge.txid } } : errors.chargeAlreadyPaid()
    },
    list: call =>
      buildWooviListPage(call, {
        field: 'charges',
        between: range => charges.listBetween(call.account.id, range).filter(isVisible),
        present: presentCharge,
      }),
  }
}

/** Finds a charge; a deleted one is not shown, but its correlationID cannot be used again. */
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
  state: SimulatorState,
  { account, query, body }: SimulatedCall,
  outcome: ScriptedOutcome,
): SimulatedResponse {
  const { accounts, now } = state
  const parsed = parseWooviBody(chargeBody, body)
  if ('refusal' in parsed) return parsed.refusal
  const { correlationID, value: cents, comment, additionalInfo, expiresIn, type } = parsed.value
  const { customer, ensureSameTaxID } = parsed.value
  const key = accounts.listKeys(account.id)[0]
  if (key === undefined) return errors.accountWithoutKey()
  const today = formatBrazilianDay(now().toISOString())
  const due = type === 'OVERDUE' ? readDueTerms(parsed.value, today) : undefined
  if (due && !(customer?.taxID && customer.address)) return errors.customerIncomplete()
  if (due && due.dueOn < today) return errors.dueDatePassed()

  const details: WooviChargeDetails = {
    correlationID,
    ...(comment ? { solicitacaoPagador: comment } : {}),
    additionalInfo,
    ...(customer ? { customer } : {}),
    ...(ensureSameTaxID && customer?.taxID ? { allowedDocuments: [customer.taxID] } : {}),
  }
  const charge =
    issueCharge(
      state,
      {
        account,
        cents,
        key,
        details,
        due,
        expiresInSeconds: due ? Math.ceil((getLastPayableMs(due) - now().getTime()) / 1_000) : expiresIn,
        silent: outcome.kind === 'silent',
      },
      { hasOwnTxid: outcome.kind === 'own_txid' },
    ) ?? findExistingCharge(state, { account, query }, correlationID)
  if (!charge) return errors.chargeIdInUse()
  // A charge that is rejected after its acceptance is removed by the provider.
  if (outcome.kind === 'rejected') state.charges.revise(charge, { status: 'removed_by_provider' })
  return {
    status: 200,
    body: { charge: presentWooviCharge(charge, now()), correlationID, brCode: charge.payload },
  }
}

type WooviChargeOrder = Omit<Parameters<SimulatorState['charges']['issue']>[0], 'txid' | 'details'> & {
  details: WooviChargeDetails
}

/** Issues a charge; undefined if its correlationID is in use. */
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
    if (issued.kind === 'txid_in_use') return undefined
    if (hasOwnTxid) recordWooviTxid(store, { accountId: account.id, correlationID, txid: issued.charge.txid })
    return issued.charge
  })
}

/** Finds the existing charge of a correlationID if the call asks for it by `return_existing`. */
function findExistingCharge(
  state: SimulatorState,
  { account, query }: Pick<SimulatedCall, 'account' | 'query'>,
  correlationID: string,
) {
  return query.get('return_existing') === 'true'
    ? findWooviCharge(state, account.id, correlationID)
    : undefined
}
