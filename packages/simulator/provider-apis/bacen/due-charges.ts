import type { SimulatedAccount } from '../../accounts.ts'
import { formatBrazilianDay } from '../../brazilian-day.ts'
import type { SimulatedCharge } from '../../charges.ts'
import { isDueCharge } from '../../due-charges.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { ScriptedOutcome } from '../../scripted-outcome.ts'
import type { SimulatorState } from '../../state.ts'
import { chooseLocation, isTxid } from './charges.ts'
import { type BacenDueTerms, type BacenDueValue, bacenDueChargeChangeBody } from './due-schemas.ts'
import { buildBacenListPage } from './list-page.ts'
import { dropFreeLocation, moveCharge } from './locations.ts'
import { nameBacenChargeStatus } from './presenters.ts'
import type { BacenProfile } from './profile.ts'
import { parseBacenRequest } from './schemas.ts'
import { createShownCharges } from './shown-charges.ts'

type DueChargeHandlers = Record<
  'create' | 'show' | 'revise' | 'list',
  (call: SimulatedCall, outcome: ScriptedOutcome) => SimulatedResponse
>

/** A rule that a charge breaks, in the words of the Central Bank's text, and the field that it is about. */
type DueViolation = [razao: string, propriedade: string]

/** Creates the handlers of charges with a due date, `/cobv`. */
export function createBacenDueChargeHandlers(
  state: SimulatorState,
  profile: BacenProfile,
): DueChargeHandlers {
  const { charges, store } = state
  const { dueRefusals: refusals } = profile
  const { find, listPayments, show } = createShownCharges(state, profile, {
    isOfKind: isDueCharge,
    present: profile.presentListedDueCharge,
    refusals,
  })

  return {
    create: (call, outcome) => createDueCharge(state, profile, call, outcome),
    show,
    revise: ({ account, params, body }, outcome) => {
      const change = parseBacenRequest(bacenDueChargeChangeBody, body, { refusals, subject: 'cobv' })
      if ('refusal' in change) return change.refusal
      const charge = find(account, params.txid!)
      if (!charge) return refusals.chargeNotFound()
      const { status, calendario, valor: { original, ...value } = {}, loc, ...details } = change.value
      if (status && Object.keys(body as object).length > 1) return refusals.removalWithChanges()
      const terms = mergeTerms(JSON.parse(charge.due) as BacenDueTerms, { calendario, value })
      const cents = original ?? charge.cents
      const violation = findViolation(cents, terms, formatBrazilianDay(charge.createdAt))
      if (violation) return refusals.chargeInvalid(...violation)
      const isMoved = loc !== undefined && loc.id !== charge.locationId
      const location = isMoved
        ? chooseLocation(state, profile, { account, id: loc.id, kind: 'cobv' })
        : undefined
      if (location && 'refusal' in location) return location.refusal
      if (outcome.kind === 'revision_lost' && charge.status === 'active')
        return { status: 200, body: profile.presentDueCharge(account, charge) }
      return store.inTransaction(() => {
        const revised = charges.revise(charge, {
          ...(status ? { status: 'removed' } : {}),
          cents,
          due: terms,
          details: dropUndefined(details),
        })
        if (!revised) return refusals.chargeNotActive()
        const shown = location ? moveCharge(state, revised, location.location) : revised
        return {
          status: 200,
          body: { ...profile.presentDueCharge(account, shown), ...listPayments(account, shown) },
        }
      })
    },
    list: call =>
      buildBacenListPage(
        call,
        {
          field: 'cobs',
          between: range => charges.listBetween(call.account.id, range).filter(isDueCharge),
          matches: charge =>
            (call.query.get('status') ?? nameBacenChargeStatus(charge)) === nameBacenChargeStatus(charge),
          present: charge => ({
            ...profile.presentDueCharge(call.account, charge),
            ...listPayments(call.account, charge),
          }),
        },
        { refusals, subject: 'cobv' },
      ),
  }
}

function createDueCharge(
  state: SimulatorState,
  profile: BacenProfile,
  { account, params, body }: SimulatedCall,
  outcome: ScriptedOutcome,
): SimulatedResponse {
  const { accounts, charges, store, now } = state
  const { dueRefusals: refusals } = profile
  const txid = params.txid!
  const cobv = parseBacenRequest(profile.bodies.dueCharge, body, { refusals, subject: 'cobv' })
  if ('refusal' in cobv) return cobv.refusal
  if (!isTxid(txid))
    return refusals.invalidFields('cobv', [
      { place: 'params', path: ['txid'], message: 'deve corresponder ao padrão [a-zA-Z0-9]{26,35}' },
    ])
  const { calendario, valor, chave: key, loc, ...details } = cobv.value
  const { original: cents, ...value } = valor
  const terms = mergeTerms({ calendario }, { value })
  const existing = charges.find(account.id, txid)
  const createdOn = formatBrazilianDay(existing?.createdAt ?? now().toISOString())
  const violation = findViolation(cents, terms, createdOn)
  if (violation) return refusals.chargeInvalid(...violation)
  if (accounts.findByKey(key)?.id !== account.id) return refusals.keyNotOfAccount('cob')
  const chosen = loc && chooseLocation(state, profile, { account, id: loc.id, kind: 'cobv' })
  if (chosen && 'refusal' in chosen) return chosen.refusal
  if (existing) {
    if (!profile.changesRepeatedCharge || !isDueCharge(existing)) return refusals.txidInUse()
    return changeRepeatedCharge(state, profile, { account, charge: existing, key, cents, terms, details })
  }
  const charge = store.inTransaction(() => {
    const issued = charges.issue({
      account,
      txid,
      cents,
      key,
      expiresInSeconds: 0,
      silent: outcome.kind === 'silent',
      details: dropUndefined(details),
      due: terms,
      location: chosen?.location,
    })
    if (issued.kind === 'issued' && chosen) dropFreeLocation(store, chosen.location.id)
    return issued.kind === 'issued' ? issued.charge : undefined
  })
  if (!charge) return refusals.txidInUse()
  // A charge that is rejected after its acceptance is removed by the provider.
  if (outcome.kind === 'rejected') charges.revise(charge, { status: 'removed_by_provider' })
  return { status: 201, body: profile.presentDueCharge(account, charge) }
}

type RepeatedDueCharge = {
  account: SimulatedAccount
  charge: SimulatedCharge
  key: string
  cents: number
  terms: BacenDueTerms
  details: Record<string, unknown>
}

/** Changes an active charge by a repeated `PUT`; one that asks for the same leaves it unchanged. */
function changeRepeatedCharge(
  { charges }: SimulatorState,
  profile: BacenProfile,
  { account, charge, key, cents, terms, details }: RepeatedDueCharge,
): SimulatedResponse {
  const { dueRefusals: refusals } = profile
  if (charge.status !== 'active') return refusals.chargeNotActive()
  if (key !== charge.key) return refusals.keyNotOfAccount('cob')
  const isSame =
    cents === charge.cents &&
    JSON.stringify(terms) === charge.due &&
    JSON.stringify(details) === charge.details
  const shown = isSame ? charge : charges.revise(charge, { cents, due: terms, details })
  return shown ? { status: 201, body: profile.presentDueCharge(account, shown) } : refusals.chargeNotActive()
}

/** Replaces the members of terms that a request has; one that is nothing is removed. */
function mergeTerms(
  { calendario: former, ...members }: BacenDueTerms,
  {
    calendario = former,
    value,
  }: { calendario?: BacenDueTerms['calendario'] | undefined; value: BacenDueValue },
): BacenDueTerms {
  const merged = { ...members, ...dropUndefined(value) }
  const kept = Object.entries(merged).filter(
    ([, member]) => member.valorPerc !== 0 || (member as { descontoDataFixa?: unknown }).descontoDataFixa,
  )
  return { calendario, ...Object.fromEntries(kept) }
}

function dropUndefined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T
}

const VALUE = 'cobv.valor'
const DISCOUNT = `${VALUE}.desconto`

/** Finds the first rule of the Central Bank's text that a charge breaks. */
function findViolation(cents: number, terms: BacenDueTerms, createdOn: string): DueViolation | undefined {
  const { calendario, abatimento, desconto } = terms
  const { dataDeVencimento: due } = calendario
  if (due < createdOn)
    return [
      'O campo cobv.calendario.dataDeVencimento é anterior à data de criação da cobrança.',
      'cobv.calendario.dataDeVencimento',
    ]
  if (cents === 0) return ['O campo cobv.valor.original apresenta o valor zero.', `${VALUE}.original`]
  if (abatimento && isWhole(abatimento.modalidade === 1, abatimento.valorPerc, cents))
    return [
      'O objeto cobv.valor.abatimento representa um valor maior ou igual ao valor da cobrança original ou maior ou igual a 100%.',
      `${VALUE}.abatimento`,
    ]
  return desconto && findDiscountViolation(desconto, { cents, due })
}

function findDiscountViolation(
  { modalidade, valorPerc, descontoDataFixa = [] }: NonNullable<BacenDueTerms['desconto']>,
  { cents, due }: { cents: number; due: string },
): DueViolation | undefined {
  const tooMuch =
    'O objeto cobv.valor.desconto apresenta algum elemento de desconto que representa um valor maior ou igual ao valor da cobrança original ou maior ou igual a 100%.'
  if (modalidade > 2) {
    if (valorPerc === undefined)
      return [
        'O objeto cobv.valor.desconto apresenta modalidade nos valores de 3 a 6, porém o elemento cobv.valor.desconto.valorPerc não está preenchido.',
        `${DISCOUNT}.valorPerc`,
      ]
    if (descontoDataFixa.length > 0)
      return [
        'O objeto cobv.valor.desconto apresenta modalidade nos valores de 3 a 6, porém o elemento cobv.valor.desconto.descontoDataFixa está preenchido ou não nulo.',
        `${DISCOUNT}.descontoDataFixa`,
      ]
    return isWhole(modalidade <= 4, valorPerc, cents) ? [tooMuch, DISCOUNT] : undefined
  }
  if (valorPerc !== undefined)
    return [
      'O objeto cobv.valor.desconto apresenta modalidade no valor 1 ou 2, porém cobv.valor.desconto.valorPerc encontra-se preenchido',
      `${DISCOUNT}.valorPerc`,
    ]
  if (descontoDataFixa.length === 0)
    return [
      'O objeto cobv.valor.desconto apresenta modalidade no valor 1 ou 2, porém o array cobv.valor.desconto.descontoDataFixa está vazio ou nulo.',
      `${DISCOUNT}.descontoDataFixa`,
    ]
  if (descontoDataFixa.some(({ data }) => data > due))
    return [
      'O objeto cobv.valor.desconto apresenta algum elemento cuja data seja posterior à data de vencimento representada por calendario.dataDeVencimento.',
      `${DISCOUNT}.descontoDataFixa`,
    ]
  return descontoDataFixa.some(step => isWhole(modalidade === 1, step.valorPerc, cents))
    ? [tooMuch, DISCOUNT]
    : undefined
}

/** Tells whether an amount, or a percentage in hundredths, is the whole value or more. */
function isWhole(isAmount: boolean, value: number, cents: number): boolean {
  return value >= (isAmount ? cents : 10_000)
}
