import type { SimulatedAccount } from '../../accounts.ts'
import type { ChargeLocation, SimulatedCharge } from '../../charges.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { ScriptedOutcome } from '../../scripted-outcome.ts'
import type { SimulatorState } from '../../state.ts'
import * as errors from './errors.ts'
import { buildEfiListPage } from './list-page.ts'
import { dropFreeLocation, findEfiLocation, moveCharge } from './locations.ts'
import { presentEfiCharge, presentEfiReceivedPix, selectListedFields } from './presenters.ts'
import { efiChargeBody, efiChargeChangeBody, parseEfiBody } from './schemas.ts'

/** Efí's sandbox itself pays charges up to this amount (docs, "Cobranças imediatas"). */
const MAX_MAGIC_PAID_CENTS = 1_000
const TXID_PATTERN = /^[a-zA-Z0-9]{26,35}$/

type EfiChargeHandlers = Record<
  'create' | 'show' | 'revise' | 'list',
  (call: SimulatedCall, outcome: ScriptedOutcome) => SimulatedResponse
>

/** Creates the handlers of immediate charges, `/v2/cob`. */
export function createEfiChargeHandlers(state: SimulatorState): EfiChargeHandlers {
  const { charges, receipts, refunds, store } = state
  const presentWithPayments = (account: SimulatedAccount, charge: SimulatedCharge) => {
    const fields = selectListedFields(account)
    const pix = receipts
      .listByTxid(charge.accountId, charge.txid)
      .map(receipt => presentEfiReceivedPix(receipt, refunds.listListedByReceipt(receipt), fields))
    return { ...presentEfiCharge(charge), ...(pix.length ? { pix } : {}) }
  }
  /** The SDK makes the payload optional in look-ups: a charge that is over has none. */
  const presentListed = (account: SimulatedAccount, charge: SimulatedCharge) => {
    const { pixCopiaECola, ...others } = presentWithPayments(account, charge)
    const hasPayload = charge.status === 'active' || selectListedFields(account).unpublished
    return hasPayload && pixCopiaECola !== undefined ? { ...others, pixCopiaECola } : others
  }

  return {
    create: (call, outcome) => createCharge(state, call, outcome),
    show: ({ account, params, query }) => {
      const charge = charges.find(account.id, params.txid!)
      if (!charge) return errors.efiChargeNotFound()
      const revision = charges.findRevision(charge, Number(query.get('revisao') ?? charge.revision))
      return revision ? { status: 200, body: presentListed(account, revision) } : errors.revisionUnknown()
    },
    revise: ({ account, params, body }) => {
      const change = parseEfiBody(efiChargeChangeBody, body)
      if ('refusal' in change) return change.refusal
      const charge = charges.find(account.id, params.txid!)
      if (!charge) return errors.efiChargeNotFound()
      const { status, calendario, valor, loc, ...details } = change.value
      if (valor?.original === 0) return errors.zeroChargeAmount()
      const isMoved = loc !== undefined && loc.id !== charge.locationId
      const location = isMoved ? chooseLocation(state, account.id, loc.id) : undefined
      if (location && 'refusal' in location) return location.refusal
      return store.inTransaction(() => {
        const revised = charges.revise(charge, {
          ...(status ? { status: 'removed' } : {}),
          ...(calendario ? { expiresInSeconds: calendario.expiracao } : {}),
          ...(valor ? { cents: valor.original } : {}),
          details,
        })
        if (!revised) return errors.chargeNotActive()
        return {
          status: 200,
          body: presentWithPayments(
            account,
            location ? moveCharge(state, revised, location.location) : revised,
          ),
        }
      })
    },
    list: call =>
      buildEfiListPage(call, {
        field: 'cobs',
        between: range => charges.listBetween(call.account.id, range),
        matches: charge =>
          (call.query.get('status') ?? presentEfiCharge(charge).status) === presentEfiCharge(charge).status,
        present: charge => presentListed(call.account, charge),
      }),
  }
}

/** Finds the requested location of a charge, which must exist, be for immediate charges, and be unused. */
function chooseLocation(
  state: SimulatorState,
  accountId: string,
  id: number,
): { location: ChargeLocation } | { refusal: SimulatedResponse } {
  const location = findEfiLocation(state, accountId, id)
  if (!location) return { refusal: errors.chargeLocationUnknown() }
  if (location.kind !== 'cob') return { refusal: errors.chargeLocationOfOtherKind() }
  return location.charge ? { refusal: errors.chargeLocationInUse() } : { location }
}

function createCharge(
  state: SimulatorState,
  { account, params, body }: SimulatedCall,
  outcome: ScriptedOutcome,
): SimulatedResponse {
  const { accounts, charges, payerBank, log, store } = state
  const { txid } = params
  const cob = parseEfiBody(efiChargeBody, body)
  if ('refusal' in cob) return cob.refusal
  if (txid !== undefined && !TXID_PATTERN.test(txid))
    return errors.efiInvalidFields([
      { chave: 'txid', caminho: '.params', mensagem: 'deve corresponder ao padrão [a-zA-Z0-9]{26,35}' },
    ])
  const { calendario, valor, chave: key, loc, ...details } = cob.value
  if (valor.original === 0) return errors.zeroChargeAmount()
  if (accounts.findByKey(key)?.id !== account.id) return errors.keyNotOfAccount()
  const chosenLocation = loc && chooseLocation(state, account.id, loc.id)
  if (chosenLocation && 'refusal' in chosenLocation) return chosenLocation.refusal

  const order = {
    account,
    cents: valor.original,
    key,
    expiresInSeconds: calendario.expiracao,
    silent: outcome.kind === 'silent',
    details,
    location: chosenLocation?.location,
  }
  const issued = store.inTransaction(() => {
    const outcome = charges.issue({ ...order, ...(txid === undefined ? {} : { txid }) })
    if (outcome.kind === 'issued' && chosenLocation) dropFreeLocation(store, chosenLocation.location.id)
    return outcome
  })
  if (issued.kind === 'txid_in_use') return errors.txidInUse()
  const { charge } = issued
  // A charge that is rejected after its acceptance is removed by the provider.
  if (outcome.kind === 'rejected') charges.revise(charge, { status: 'removed_by_provider' })
  else if (account.amountMagic && charge.cents <= MAX_MAGIC_PAID_CENTS)
    payerBank
      .pay({ payload: charge.payload, force: false })
      .catch(error => log.error({ err: error }, 'a charge of a magic amount could not be paid'))
  return { status: 201, body: presentEfiCharge(charge) }
}
