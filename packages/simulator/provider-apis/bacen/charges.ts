import type { SimulatedAccount } from '../../accounts.ts'
import type { ChargeLocation, SimulatedCharge } from '../../charges.ts'
import { isDueCharge } from '../../due-charges.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { ScriptedOutcome } from '../../scripted-outcome.ts'
import type { SimulatorState } from '../../state.ts'
import { buildBacenListPage } from './list-page.ts'
import { dropFreeLocation, findBacenLocation, moveCharge } from './locations.ts'
import { nameBacenChargeStatus } from './presenters.ts'
import type { BacenProfile } from './profile.ts'
import { parseBacenRequest } from './schemas.ts'
import { createShownCharges } from './shown-charges.ts'

const TXID_PATTERN = /^[a-zA-Z0-9]{26,35}$/

export function isTxid(text: string): boolean {
  return TXID_PATTERN.test(text)
}

type BacenChargeHandlers = Record<
  'create' | 'show' | 'revise' | 'list',
  (call: SimulatedCall, outcome: ScriptedOutcome) => SimulatedResponse
>

/** Creates the handlers of immediate charges, `/cob`. */
export function createBacenChargeHandlers(state: SimulatorState, profile: BacenProfile): BacenChargeHandlers {
  const { charges, store } = state
  const { refusals, bodies } = profile
  const { find, listPayments, presentListed, show } = createShownCharges(state, profile, {
    isOfKind: (charge): charge is SimulatedCharge => !isDueCharge(charge),
    present: profile.presentListedCharge,
    refusals,
  })

  return {
    create: (call, outcome) => createCharge(state, profile, call, outcome),
    show,
    revise: ({ account, params, body }) => {
      const change = parseBacenRequest(bodies.chargeChange, body, { refusals, subject: 'cob' })
      if ('refusal' in change) return change.refusal
      const charge = find(account, params.txid!)
      if (!charge) return refusals.chargeNotFound()
      const { status, calendario, valor, loc, ...details } = change.value
      if (valor?.original === 0) return refusals.chargeAmountZero()
      const isMoved = loc !== undefined && loc.id !== charge.locationId
      const location = isMoved
        ? chooseLocation(state, profile, { account, id: loc.id, kind: 'cob' })
        : undefined
      if (location && 'refusal' in location) return location.refusal
      return store.inTransaction(() => {
        const revised = charges.revise(charge, {
          ...(status ? { status: 'removed' } : {}),
          ...(calendario ? { expiresInSeconds: calendario.expiracao } : {}),
          ...(valor ? { cents: valor.original } : {}),
          details,
        })
        if (!revised) return refusals.chargeNotActive()
        const shown = location ? moveCharge(state, revised, location.location) : revised
        return { status: 200, body: { ...profile.presentCharge(shown), ...listPayments(account, shown) } }
      })
    },
    list: call =>
      buildBacenListPage(
        call,
        {
          field: 'cobs',
          between: range =>
            charges.listBetween(call.account.id, range).filter(charge => !isDueCharge(charge)),
          matches: charge =>
            (call.query.get('status') ?? nameBacenChargeStatus(charge)) === nameBacenChargeStatus(charge),
          present: charge => presentListed(call.account, charge),
        },
        { refusals, subject: 'cob' },
      ),
  }
}

/** Finds the requested location of a charge, which must exist, be for charges of its kind, and be unused. */
export function chooseLocation(
  state: SimulatorState,
  profile: BacenProfile,
  { account, id, kind }: { account: SimulatedAccount; id: number; kind: 'cob' | 'cobv' },
): { location: ChargeLocation } | { refusal: SimulatedResponse } {
  const refusals = kind === 'cob' ? profile.refusals : profile.dueRefusals
  const location = findBacenLocation(state, account.id, id)
  if (!location) return { refusal: refusals.locationUnknown() }
  if (location.kind !== kind) return { refusal: refusals.locationOfOtherKind() }
  return location.charge ? { refusal: refusals.locationInUse() } : { location }
}

function createCharge(
  state: SimulatorState,
  profile: BacenProfile,
  { account, params, body }: SimulatedCall,
  outcome: ScriptedOutcome,
): SimulatedResponse {
  const { accounts, charges, store } = state
  const { refusals } = profile
  const { txid } = params
  const cob = parseBacenRequest(profile.bodies.charge, body, { refusals, subject: 'cob' })
  if ('refusal' in cob) return cob.refusal
  if (txid !== undefined && !isTxid(txid))
    return refusals.invalidFields('cob', [
      { place: 'params', path: ['txid'], message: 'deve corresponder ao padrão [a-zA-Z0-9]{26,35}' },
    ])
  const { calendario, valor, chave: key, loc, ...details } = cob.value
  if (valor.original === 0) return refusals.chargeAmountZero()
  if (accounts.findByKey(key)?.id !== account.id) return refusals.keyNotOfAccount('cob')
  const chosenLocation = loc && chooseLocation(state, profile, { account, id: loc.id, kind: 'cob' })
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
  if (issued.kind === 'txid_in_use') {
    const existing = charges.find(account.id, txid!)!
    return profile.changesRepeatedCharge && !isDueCharge(existing)
      ? changeRepeatedCharge(state, profile, { ...order, charge: existing })
      : refusals.txidInUse()
  }
  const { charge } = issued
  // A charge that is rejected after its acceptance is removed by the provider.
  if (outcome.kind === 'rejected') charges.revise(charge, { status: 'removed_by_provider' })
  else profile.onChargeIssued?.(account, charge)
  return { status: 201, body: profile.presentCharge(charge) }
}

type RepeatedCharge = {
  charge: SimulatedCharge
  cents: number
  key: string
  expiresInSeconds: number
  details: Record<string, unknown>
}

/** Changes an active charge by a repeated `PUT`; one that asks for the same leaves it unchanged. */
function changeRepeatedCharge(
  { charges }: SimulatorState,
  { refusals, presentCharge }: BacenProfile,
  { charge, cents, key, expiresInSeconds, details }: RepeatedCharge,
): SimulatedResponse {
  if (charge.status !== 'active') return refusals.chargeNotActive()
  if (key !== charge.key) return refusals.keyNotOfAccount('cob')
  const isSame =
    cents === charge.cents &&
    expiresInSeconds === charge.expiresInSeconds &&
    JSON.stringify(details) === charge.details
  const shown = isSame ? charge : charges.revise(charge, { cents, expiresInSeconds, details })
  return shown ? { status: 201, body: presentCharge(shown) } : refusals.chargeNotActive()
}
