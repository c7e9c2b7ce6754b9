import type { ChargeLocation, SimulatedCharge } from '../../charges.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { ScriptedOutcome } from '../../rail-events.ts'
import type { SimulatorState } from '../../state.ts'
import * as errors from './errors.ts'
import { buildEfiListPage } from './list-page.ts'
import { dropFreeLocation, findEfiLocation, moveCharge } from './locations.ts'
import { presentEfiCharge, presentEfiReceivedPix } from './presenters.ts'
import { efiChargeBody, efiChargeChangeBody, parseEfiBody } from './schemas.ts'

/** Efí's sandbox pays charges up to this value by itself (docs, "Cobranças imediatas"). */
const MAX_MAGIC_PAID_CENTS = 1_000
const TXID_PATTERN = /^[a-zA-Z0-9]{26,35}$/

type EfiChargeHandlers = Record<
  'create' | 'show' | 'revise' | 'list',
  (call: SimulatedCall, fate: ScriptedOutcome) => SimulatedResponse
>

/** Immediate charges: `/v2/cob`. */
export function createEfiChargeHandlers(world: SimulatorState): EfiChargeHandlers {
  const { charges, receipts, store } = world
  const shown = (charge: SimulatedCharge) => {
    const pix = receipts.listByTxid(charge.accountId, charge.txid)
    const paid = pix.map(receipt => presentEfiReceivedPix(receipt, receipts.listRefunds(receipt)))
    return { ...presentEfiCharge(charge), ...(paid.length ? { pix: paid } : {}) }
  }

  return {
    create: (call, fate) => createCharge(world, call, fate),
    show: ({ account, params, query }) => {
      const charge = charges.find(account.id, params.txid!)
      if (!charge) return errors.efiChargeNotFound()
      const asked = charges.findRevision(charge, Number(query.get('revisao') ?? charge.revision))
      return asked ? { status: 200, body: shown(asked) } : errors.revisionUnknown()
    },
    revise: ({ account, params, body }) => {
      const change = parseEfiBody(efiChargeChangeBody, body)
      if ('refusal' in change) return change.refusal
      const charge = charges.find(account.id, params.txid!)
      if (!charge) return errors.efiChargeNotFound()
      const { status, calendario, valor, loc, ...details } = change.value
      if (valor?.original === 0) return errors.zeroChargeAmount()
      const isMoved = loc !== undefined && loc.id !== charge.locationId
      const location = isMoved ? chooseLocation(world, account.id, loc.id) : undefined
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
          body: shown(location ? moveCharge(world, revised, location.location) : revised),
        }
      })
    },
    list: call =>
      buildEfiListPage(call, {
        field: 'cobs',
        between: range => charges.listBetween(call.account.id, range),
        matches: charge =>
          (call.query.get('status') ?? presentEfiCharge(charge).status) === presentEfiCharge(charge).status,
        present: shown,
      }),
  }
}

/** The location that a charge asks for: it exists, is one of immediate charges, and belongs to no charge yet. */
function chooseLocation(
  world: SimulatorState,
  accountId: string,
  id: number,
): { location: ChargeLocation } | { refusal: SimulatedResponse } {
  const location = findEfiLocation(world, accountId, id)
  if (!location) return { refusal: errors.chargeLocationUnknown() }
  if (location.kind !== 'cob') return { refusal: errors.chargeLocationOfOtherKind() }
  return location.charge ? { refusal: errors.chargeLocationInUse() } : { location }
}

function createCharge(
  world: SimulatorState,
  { account, params, body }: SimulatedCall,
  fate: ScriptedOutcome,
): SimulatedResponse {
  const { accounts, charges, payerBank: bank, log, store } = world
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
  const chosen = loc && chooseLocation(world, account.id, loc.id)
  if (chosen && 'refusal' in chosen) return chosen.refusal

  const order = {
    account,
    cents: valor.original,
    key,
    expiresInSeconds: calendario.expiracao,
    silent: fate.kind === 'silent',
    details,
    location: chosen?.location,
  }
  const issued = store.inTransaction(() => {
    const outcome = charges.issue({ ...order, ...(txid === undefined ? {} : { txid }) })
    if (outcome.kind === 'issued' && chosen) dropFreeLocation(store, chosen.location.id)
    return outcome
  })
  if (issued.kind === 'txid_taken') return errors.txidInUse()
  const { charge } = issued
  // Accepted, then not to be had after all: the provider takes it back.
  if (fate.kind === 'rejected') charges.revise(charge, { status: 'removed_by_provider' })
  else if (account.amountMagic && charge.cents <= MAX_MAGIC_PAID_CENTS)
    bank
      .pay({ payload: charge.payload, force: false })
      .catch(error => log.error({ err: error }, 'a magic amount stayed unpaid'))
  return { status: 201, body: presentEfiCharge(charge) }
}
