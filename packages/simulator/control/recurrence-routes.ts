import type Router from '@koa/router'
import { reaisFromCents } from '../amount.ts'
import { findSubscribedRecurrenceId } from '../provider-apis/stark/subscription-presenters.ts'
import type { AutomaticCharge, ChargeTry } from '../recurrences/automatic-charges.ts'
import {
  CHARGE_CANCELLATION_SOURCES,
  type ChargeCancellationCode,
  RECURRENCE_CANCELLATION_SOURCES,
  type RecurrenceCancellationCode,
} from '../recurrences/codes.ts'
import { MAGIC_DEBTORS } from '../recurrences/magic-debtors.ts'
import type { SimulatedRecurrence } from '../recurrences/recurrences.ts'
import { ControlApiError, parseControlBody, readPathParam } from '../request.ts'
import type { SimulatorState } from '../state.ts'
import * as schemas from './schemas.ts'

/** Adds the routes of the payers of recurrences, of their banks, and of the days of recurrences. */
export function addRecurrenceRoutes(router: Router, { recurring, store }: SimulatorState): void {
  const { recurrences, charges, payers, clock } = recurring
  /** Finds a recurrence by the rail's id, or by that of Stark Bank's API. */
  const find = (id: string) => {
    const recurrence = recurrences.find(findSubscribedRecurrenceId(store, id) ?? id)
    if (!recurrence) throw new ControlApiError(404, 'no such recurrence')
    return recurrence
  }
  const present = (recurrence: SimulatedRecurrence) => ({
    ...presentRecurrence(recurrence),
    charges: charges
      .listByRecurrence(recurrence.id)
      .map(charge => presentAutomaticCharge(charge, charges.listTries(charge))),
  })
  const readDay = () => ({ today: clock.today() })

  router.get('/recurrences', ctx => {
    ctx.body = { data: recurrences.list().map(present) }
  })
  router.get('/recurrence-debtors', ctx => {
    ctx.body = { data: MAGIC_DEBTORS }
  })
  router.get('/recurrences/:id', ctx => {
    ctx.body = present(find(readPathParam(ctx, 'id')))
  })
  router.post('/recurrences/:id/decide', async ctx => {
    const { decision, code, ceiling, payer_document, journey } = await parseControlBody(
      ctx,
      schemas.recurrenceDecisionBody,
    )
    const { id } = find(readPathParam(ctx, 'id'))
    const answered = payers.answer(id, {
      ...(decision === 'accept'
        ? { accept: true, ceilingCents: ceiling ?? null, payerDocument: payer_document }
        : { accept: false, code }),
      ...(journey === undefined ? {} : { journey }),
    })
    if (answered === 'ceiling_below_minimum')
      throw new ControlApiError(409, "the ceiling is below the receiver's minimum")
    if (!answered) throw new ControlApiError(409, 'the recurrence has been answered, or has ended')
    ctx.body = present(answered)
  })
  router.post('/recurrences/:id/cancel', async ctx => {
    const { txid, code } = await parseControlBody(ctx, schemas.recurrenceCancellationBody)
    const recurrence = find(readPathParam(ctx, 'id'))
    if (txid !== undefined) {
      const charge = charges.find(recurrence.accountId, txid)
      if (charge?.recurrenceId !== recurrence.id)
        throw new ControlApiError(404, 'the recurrence has no such charge')
      if (!payers.cancelCharge(charge, readChargeCode(code ?? 'SLBD')))
        throw new ControlApiError(409, 'the charge has ended')
      ctx.body = present(find(recurrence.id))
      return
    }
    const cancelled = payers.cancel(recurrence.id, readRecurrenceCode(code ?? 'SLDB'))
    if (!cancelled) throw new ControlApiError(409, 'the recurrence has ended')
    ctx.body = present(cancelled)
  })
  router.post('/recurrences/:id/ceiling', async ctx => {
    const { value } = await parseControlBody(ctx, schemas.recurrenceCeilingBody)
    const recurrence = find(readPathParam(ctx, 'id'))
    if (value !== null && value < (recurrence.minimumCents ?? 0))
      throw new ControlApiError(409, "the ceiling is below the receiver's minimum")
    ctx.body = present(payers.change(recurrence, { ceilingCents: value }))
  })
  router.post('/recurrences/:id/funds', async ctx => {
    const { value, evening_value } = await parseControlBody(ctx, schemas.recurrenceFundsBody)
    const settings = { fundsCents: value, eveningFundsCents: evening_value ?? null }
    ctx.body = present(payers.change(find(readPathParam(ctx, 'id')), settings))
  })
  router.post('/recurrences/:id/refuse', async ctx => {
    const { code, times } = await parseControlBody(ctx, schemas.recurrenceRefusalBody)
    ctx.body = present(payers.planRefusals(find(readPathParam(ctx, 'id')), code, times))
  })
  router.get('/day', ctx => {
    ctx.body = readDay()
  })
  router.post('/day', async ctx => {
    const { days, until } = await parseControlBody(ctx, schemas.dayBody)
    payers.advance(days, until)
    ctx.body = readDay()
  })
}

function readRecurrenceCode(code: string): RecurrenceCancellationCode {
  if (Object.hasOwn(RECURRENCE_CANCELLATION_SOURCES, code)) return code as RecurrenceCancellationCode
  throw new ControlApiError(422, 'code: is not of the cancellation of a recurrence')
}

function readChargeCode(code: string): ChargeCancellationCode {
  if (Object.hasOwn(CHARGE_CANCELLATION_SOURCES, code)) return code as ChargeCancellationCode
  throw new ControlApiError(422, 'code: is not of the cancellation of a charge')
}

function presentRecurrence(recurrence: SimulatedRecurrence) {
  const { id, accountId, status, contract, journey, debtorDocument, payerDocument } = recurrence
  const { cents, ceilingCents, fundsCents, eveningFundsCents } = recurrence
  return {
    id,
    account: accountId,
    status,
    contract,
    journey,
    debtor_document: debtorDocument,
    payer_document: payerDocument,
    value: toReais(cents),
    ceiling: toReais(ceilingCents),
    funds: toReais(fundsCents),
    evening_funds: toReais(eveningFundsCents),
  }
}

function presentAutomaticCharge({ txid, status, cents, dueOn, cycle }: AutomaticCharge, tries: ChargeTry[]) {
  return {
    txid,
    status,
    value: reaisFromCents(cents),
    due_on: dueOn,
    cycle,
    tries: tries.map(({ day, kind, status: tryStatus, code, endToEnd }) => ({
      on: day,
      kind,
      status: tryStatus,
      code,
      end_to_end: endToEnd,
    })),
  }
}

function toReais(cents: number | null): number | null {
  return cents === null ? null : reaisFromCents(cents)
}
